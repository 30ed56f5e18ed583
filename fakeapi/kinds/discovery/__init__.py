"""The group discovery.k8s.io: the network endpoints of services."""

from fakeapi.kinds.discovery.endpoint_slice import ENDPOINT_SLICE

KINDS = (ENDPOINT_SLICE,)
