"""Pure predicates on the canonical spec of a Service.

Follows k8s.io/kubernetes `pkg/api/service` and `pkg/registry/core/service`.
"""

from typing import Any, Final

from fakeapi.machinery.json_types import Object

CLUSTER_IP: Final = "ClusterIP"
NODE_PORT: Final = "NodePort"
LOAD_BALANCER: Final = "LoadBalancer"
EXTERNAL_NAME: Final = "ExternalName"
NONE: Final = "None"
"""The cluster IP of a service that has none."""

SINGLE_STACK: Final = "SingleStack"
PREFER_DUAL_STACK: Final = "PreferDualStack"
REQUIRE_DUAL_STACK: Final = "RequireDualStack"


def type_of(spec: Object) -> str:
    found: str = spec.get("type", "")
    return found


def cluster_ips(spec: Object) -> list[str]:
    """The cluster IPs; not to be changed."""
    found: list[str] = spec.get("clusterIPs") or []
    return found


def families(spec: Object) -> list[str]:
    """The IP families; not to be changed."""
    found: list[str] = spec.get("ipFamilies") or []
    return found


def is_headless(spec: Object) -> bool:
    return cluster_ips(spec) == [NONE]


def needs_cluster_ip(spec: Object) -> bool:
    return type_of(spec) != EXTERNAL_NAME


def has_node_ports(spec: Object) -> bool:
    """Whether services of the type have node ports."""
    return type_of(spec) in (NODE_PORT, LOAD_BALANCER)


def is_given_node_ports(spec: Object) -> bool:
    """Whether the server chooses node ports where the client has not."""
    if type_of(spec) == LOAD_BALANCER:
        return spec.get("allocateLoadBalancerNodePorts") is not False
    return type_of(spec) == NODE_PORT


def needs_health_check(spec: Object) -> bool:
    return type_of(spec) == LOAD_BALANCER and spec.get("externalTrafficPolicy") == "Local"


def is_externally_accessible(spec: Object) -> bool:
    return has_node_ports(spec) or (type_of(spec) == CLUSTER_IP and bool(spec.get("externalIPs")))


def ports_of(spec: Object) -> list[Object]:
    """The ports, each of which may be changed."""
    found: list[Object] = spec.get("ports") or []
    return found


def node_ports(spec: Object) -> list[int]:
    """The node ports that are set, in order."""
    return [port["nodePort"] for port in ports_of(spec) if port.get("nodePort")]


def keeps(new: Object, old: Object, *names: str) -> bool:
    """Whether the fields are the same in both; absent, empty and zero are."""
    return all((new.get(name) or None) == (old.get(name) or None) for name in names)


def put(spec: Object, name: str, value: Any) -> None:
    """Sets a field, or takes it away where the value is empty."""
    if value:
        spec[name] = value
    else:
        spec.pop(name, None)
