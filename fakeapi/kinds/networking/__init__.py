"""The group networking.k8s.io: ingresses, network policies, and IP addresses of services."""

from fakeapi.kinds.networking.ingress import INGRESS
from fakeapi.kinds.networking.ingress_class import INGRESS_CLASS
from fakeapi.kinds.networking.ip_address import IP_ADDRESS
from fakeapi.kinds.networking.network_policy import NETWORK_POLICY
from fakeapi.kinds.networking.service_cidr import SERVICE_CIDR

KINDS = (
    INGRESS,
    INGRESS_CLASS,
    IP_ADDRESS,
    NETWORK_POLICY,
    SERVICE_CIDR,
)
