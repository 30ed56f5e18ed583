"""Filters of the scheduler for one node, such as TaintToleration, NodeAffinity and NodeResourcesFit.

Follow k8s.io/kubernetes `pkg/scheduler/framework/plugins`, in the order in which kube-scheduler runs them.
The first filter that rejects a node determines the reason.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from fakeapi.controllers.allocation.nodes import is_met, matches_selector
from fakeapi.controllers.scheduler.node_state import Amounts, NodeState, requests_of
from fakeapi.controllers.scheduler.status import Unschedulable
from fakeapi.machinery.json_types import Object
from fakeapi.releases import Quirks

UNSCHEDULABLE_TAINT = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
_KEEPS_AWAY = frozenset(("NoSchedule", "NoExecute"))

HostPort = tuple[str, str, int]
"""The host IP, the protocol and the number of a host port."""


@dataclass(frozen=True, slots=True)
class Wants:
    """A pod to schedule, with its resource requests. Every filter receives this object.

    `by_class`: the requested extended resources of the pod for which a DeviceClass exists.
    """

    pod: Object
    quirks: Quirks
    by_class: frozenset[str] = frozenset()
    requests: Amounts = field(init=False)
    """The resource requests of the pod."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "requests", requests_of(self.pod))


Filter = Callable[[Wants, NodeState], Unschedulable | None]


def node_unschedulable(wants: Wants, state: NodeState) -> Unschedulable | None:
    if not state.node["spec"].get("unschedulable") or tolerates_taint(wants.pod, UNSCHEDULABLE_TAINT):
        return None
    return Unschedulable(("node(s) were unschedulable",))


def node_name(wants: Wants, state: NodeState) -> Unschedulable | None:
    name = wants.pod["spec"].get("nodeName")
    if not name or name == state.name:
        return None
    return Unschedulable(("node(s) didn't match the requested node name",))


def taint_toleration(wants: Wants, state: NodeState) -> Unschedulable | None:
    for taint in state.node["spec"].get("taints") or ():
        if taint["effect"] in _KEEPS_AWAY and not tolerates_taint(wants.pod, taint):
            named = f" {{{taint['key']}: {taint.get('value', '')}}}"
            which = named if wants.quirks.pods.scheduler_names_taints else "(s)"
            return Unschedulable((f"node(s) had untolerated taint{which}",))
    return None


def node_affinity(wants: Wants, state: NodeState) -> Unschedulable | None:
    if fits_affinity(wants.pod["spec"], state.node):
        return None
    return Unschedulable(("node(s) didn't match Pod's node affinity/selector",))


def node_ports(wants: Wants, state: NodeState) -> Unschedulable | None:
    ports = host_ports(wants.pod)
    for other in state.pods if ports else ():
        if any(is_taken(own, other) for own in ports):
            reason = "node(s) didn't have free ports for the requested pod ports"
            return Unschedulable((reason,), preemptible=True)
    return None


def node_resources_fit(wants: Wants, state: NodeState) -> Unschedulable | None:
    reasons: list[str] = []
    impossible = False
    if len(state.pods) + 1 > state.allocatable("pods"):
        reasons.append("Too many pods")
    for name, amount in wants.requests.items():
        if name in wants.by_class and not state.allocatable(name):
            continue
        if amount and amount > state.allocatable(name) - state.requested.get(name, 0):
            reasons.append(f"Insufficient {name}")
            impossible = impossible or amount > state.allocatable(name)
    return Unschedulable(tuple(reasons), preemptible=not impossible) if reasons else None


FILTERS: tuple[Filter, ...] = (
    node_unschedulable,
    node_name,
    taint_toleration,
    node_affinity,
    node_ports,
    node_resources_fit,
)


def fits_affinity(spec: Object, node: Object) -> bool:
    """Whether a node matches the nodeSelector and the required node affinity of a pod spec."""
    labels = node["metadata"].get("labels") or {}
    if any(labels.get(key) != value for key, value in (spec.get("nodeSelector") or {}).items()):
        return False
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    return required is None or matches_selector(required, node)


def tolerates_taint(pod: Object, taint: Object) -> bool:
    """Whether any toleration of a pod tolerates a node taint."""
    return any(_covers(toleration, taint) for toleration in pod["spec"].get("tolerations") or ())


def _covers(toleration: Object, taint: Object) -> bool:
    if toleration.get("effect") and toleration["effect"] != taint["effect"]:
        return False
    if toleration.get("key") and toleration["key"] != taint["key"]:
        return False
    operator, value = toleration.get("operator") or "Equal", taint.get("value", "")
    if operator in {"Gt", "Lt"}:
        requirement = {"key": "value", "operator": operator, "values": [toleration.get("value", "")]}
        return is_met(requirement, {"value": value})
    return operator == "Exists" or bool(operator == "Equal" and toleration.get("value", "") == value)


def host_ports(pod: Object) -> list[HostPort]:
    """Returns the host ports of a pod's containers."""
    return [
        (port.get("hostIP") or "0.0.0.0", port.get("protocol") or "TCP", port["hostPort"])  # noqa: S104
        for container in pod["spec"].get("containers") or ()
        for port in container.get("ports") or ()
        if port.get("hostPort")
    ]


def is_taken(port: HostPort, other: Object) -> bool:
    """Whether another pod on the node uses a host port. Ports of different IP addresses do not collide."""
    return any(_collide(port, used) for used in host_ports(other))


def _collide(one: HostPort, other: HostPort) -> bool:
    anywhere = "0.0.0.0"  # noqa: S104 - compared, not bound
    return one[1:] == other[1:] and (one[0] == other[0] or anywhere in {one[0], other[0]})
