"""The group discovery.k8s.io: where the traffic of services goes."""

from fakeapi.registry.groups.discovery_k8s_io.endpoint_slice import ENDPOINT_SLICE

KINDS = (ENDPOINT_SLICE,)
