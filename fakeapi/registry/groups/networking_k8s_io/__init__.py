"""The group networking.k8s.io: ingresses, network policies, and the addresses of services."""

from fakeapi.registry.groups.networking_k8s_io.ingress import INGRESS
from fakeapi.registry.groups.networking_k8s_io.ingress_class import INGRESS_CLASS
from fakeapi.registry.groups.networking_k8s_io.ip_address import IP_ADDRESS
from fakeapi.registry.groups.networking_k8s_io.network_policy import NETWORK_POLICY
from fakeapi.registry.groups.networking_k8s_io.service_cidr import SERVICE_CIDR

KINDS = (
    INGRESS,
    INGRESS_CLASS,
    IP_ADDRESS,
    NETWORK_POLICY,
    SERVICE_CIDR,
)
