"""The group lifecycle.k8s.io, from Kubernetes 1.37: who wants a pod to leave its node, and how it goes."""

from fakeapi.kinds.lifecycle.eviction import EVICTION
from fakeapi.kinds.lifecycle.eviction_request import EVICTION_REQUEST

KINDS = (EVICTION, EVICTION_REQUEST)
