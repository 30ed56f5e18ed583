"""The group lifecycle.k8s.io, from Kubernetes 1.37: who wants a pod to leave its node, and how it goes."""

from fakeapi.registry.groups.lifecycle_k8s_io.eviction import EVICTION
from fakeapi.registry.groups.lifecycle_k8s_io.eviction_request import EVICTION_REQUEST

KINDS = (EVICTION, EVICTION_REQUEST)
