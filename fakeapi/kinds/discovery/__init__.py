"""The group discovery.k8s.io: where the traffic of services goes."""

from fakeapi.kinds.discovery.endpoint_slice import ENDPOINT_SLICE

KINDS = (ENDPOINT_SLICE,)
