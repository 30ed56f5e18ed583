"""The group lifecycle.k8s.io, from Kubernetes 1.37: requests to evict a pod, and running evictions."""

from fakeapi.kinds.lifecycle.eviction import EVICTION
from fakeapi.kinds.lifecycle.eviction_request import EVICTION_REQUEST

KINDS = (EVICTION, EVICTION_REQUEST)
