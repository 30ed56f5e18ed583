"""Reads the canonical spec of a Service.

Follows k8s.io/kubernetes `pkg/api/service` and `pkg/registry/core/service`.
"""

from typing import Any, Final

from fakeapi.machinery.json_types import Object

CLUSTER_IP: Final = "ClusterIP"
NODE_PORT: Final = "NodePort"
LOAD_BALANCER: Final = "LoadBalancer"
EXTERNAL_NAME: Final = "ExternalName"
NONE: Final = "None"
"""The clusterIP of a headless Service."""

SINGLE_STACK: Final = "SingleStack"
PREFER_DUAL_STACK: Final = "PreferDualStack"
REQUIRE_DUAL_STACK: Final = "RequireDualStack"


def type_of(spec: Object) -> str:
    service_type: str = spec.get("type", "")
    return service_type


def cluster_ips(spec: Object) -> list[str]:
    """Returns the cluster IPs of a Service. Callers must not change the list."""
    ips: list[str] = spec.get("clusterIPs") or []
    return ips


def families(spec: Object) -> list[str]:
    """Returns the IP families of a Service. Callers must not change the list."""
    names: list[str] = spec.get("ipFamilies") or []
    return names


def is_headless(spec: Object) -> bool:
    return cluster_ips(spec) == [NONE]


def needs_cluster_ip(spec: Object) -> bool:
    return type_of(spec) != EXTERNAL_NAME


def has_node_ports(spec: Object) -> bool:
    """Whether the type of the Service has node ports: NodePort or LoadBalancer."""
    return type_of(spec) in (NODE_PORT, LOAD_BALANCER)


def is_given_node_ports(spec: Object) -> bool:
    """Whether the server allocates a node port for each port of the Service that has no nodePort."""
    if type_of(spec) == LOAD_BALANCER:
        return spec.get("allocateLoadBalancerNodePorts") is not False
    return type_of(spec) == NODE_PORT


def needs_health_check(spec: Object) -> bool:
    return type_of(spec) == LOAD_BALANCER and spec.get("externalTrafficPolicy") == "Local"


def is_externally_accessible(spec: Object) -> bool:
    return has_node_ports(spec) or (type_of(spec) == CLUSTER_IP and bool(spec.get("externalIPs")))


def ports_of(spec: Object) -> list[Object]:
    """Returns the ports of a Service. Callers may change the ports in place."""
    ports: list[Object] = spec.get("ports") or []
    return ports


def node_ports(spec: Object) -> list[int]:
    """Returns the node ports that a Service sets, in the order of its ports."""
    return [port["nodePort"] for port in ports_of(spec) if port.get("nodePort")]


def keeps(new: Object, old: Object, *names: str) -> bool:
    """Whether the fields `names` are equal in `new` and `old`. Missing, empty and zero values are equal."""
    return all((new.get(name) or None) == (old.get(name) or None) for name in names)


def put(spec: Object, name: str, value: Any) -> None:
    """Sets a field of a Service spec, or removes the field if the value is empty."""
    if value:
        spec[name] = value
    else:
        spec.pop(name, None)
