"""Admission of pods by the kubelet: decides whether a node runs a pod that was bound to the node.

Follows k8s.io/kubernetes `pkg/kubelet/lifecycle/predicate.go`, and uses the scheduler's filters.
"""

from fractions import Fraction

from fakeapi.controllers.scheduler.node_filters import Wants, node_affinity, node_ports, tolerates_taint
from fakeapi.controllers.scheduler.node_state import NodeState, NodeStates, requests_of
from fakeapi.controllers.workloads.pods import has_ended
from fakeapi.machinery.json_types import Object
from fakeapi.releases import Quirks

SYSTEM = "linux"
"""The operating system of all nodes that this server runs."""

_OS_LABEL = "kubernetes.io/os"
_OUT_OF = "OutOf"
_FILTERS = (("NodeAffinity", node_affinity), ("NodePorts", node_ports))
_MILLI = 1000

Refusal = tuple[str, str]
"""The `status.reason` and `status.message` of a pod that the kubelet rejects."""


class AdmittedPods:
    """The pods that the kubelet of each node has admitted, without pods that have ended."""

    def __init__(self) -> None:
        self._states = NodeStates()

    def pod_changed(self, old: Object | None, new: Object | None) -> None:
        """Updates the admitted pods after a change of a pod.

        `old` or `new` is None if the pod was created or deleted.
        """
        before, after = (pod if pod is not None and was_admitted(pod) else None for pod in (old, new))
        if before is not None or after is not None:
            self._states.pod_changed(before, after)

    def on_node(self, node: Object) -> NodeState:
        """Returns the state of a node with its admitted pods."""
        return self._states.on_node(node)


def was_admitted(pod: Object) -> bool:
    """Whether the kubelet has admitted a pod. False for a pod that has ended."""
    return "startTime" in pod["status"] and not has_ended(pod)


def refusal(pod: Object, state: NodeState, quirks: Quirks) -> Refusal | None:
    """Returns the reason and message if a node rejects a pod; None if the node admits the pod.

    `state`: the node with its admitted pods, without pods that have ended.
    """
    if (pod["metadata"].get("labels") or {}).get(_OS_LABEL, SYSTEM) != SYSTEM:
        message = f"Failed to admit pod as the `{_OS_LABEL}` label doesn't match node label"
        return "PodOSSelectorNodeLabelDoesNotMatch", message
    if (pod["spec"].get("os") or {}).get("name", SYSTEM) != SYSTEM:
        return "PodOSNotSupported", "Failed to admit pod as the OS field doesn't match node OS"
    lacking = _lacking(pod, state)
    if lacking is not None:
        return lacking
    for name, matches in _FILTERS:
        problem = matches(Wants(pod, quirks), state)
        if problem is not None:
            return _failed(name, problem.reasons[0], quirks)
    for taint in state.node["spec"].get("taints") or ():
        if taint["effect"] == "NoExecute" and not tolerates_taint(pod, taint):
            reason = "node(s) had taints that the pod didn't tolerate"
            return _failed("TaintToleration", reason, quirks)
    return None


def _lacking(pod: Object, state: NodeState) -> Refusal | None:
    """Returns the refusal for the first resource that is not sufficient for a pod on a node.

    Returns None if all resources are sufficient. Ignores extended resources that are not in the node's
    allocatable resources.
    """
    if len(state.pods) + 1 > state.allocatable("pods"):
        return _out_of("pods", Fraction(1), Fraction(len(state.pods)), state)
    known = state.node["status"].get("allocatable") or {}
    for name, amount in requests_of(pod).items():
        used = state.requested.get(name, Fraction(0))
        if amount and (name in known or "/" not in name) and amount > state.allocatable(name) - used:
            return _out_of(name, amount, used, state)
    return None


def _out_of(name: str, wanted: Fraction, used: Fraction, state: NodeState) -> Refusal:
    unit = _MILLI if name == "cpu" else 1
    figures = [int(amount * unit) for amount in (wanted, used, state.allocatable(name))]
    message = "Node didn't have enough resource: {}, requested: {}, used: {}, capacity: {}"
    return f"{_OUT_OF}{name}", message.format(name, *figures)


def _failed(name: str, why: str, quirks: Quirks) -> Refusal:
    reason = f": {why}" if quirks.kubelet_explains_predicates else ""
    return name, f"Predicate {name} failed{reason}"
