"""Explains why one node does not suit a pod, for all reasons other than devices."""

from collections.abc import Callable, Iterator
from functools import partial

from fakeapi.controllers.scheduler.node_filters import (
    UNSCHEDULABLE_TAINT,
    Wants,
    host_ports,
    is_taken,
    node_affinity,
    node_name,
    node_ports,
    node_resources_fit,
    node_unschedulable,
    taint_toleration,
    tolerates_taint,
)
from fakeapi.controllers.scheduler.node_state import NodeState
from fakeapi.explaining.affinity_facts import affinity_facts
from fakeapi.explaining.cluster_objects import reference
from fakeapi.explaining.dropped import taint_text
from fakeapi.explaining.model import Change
from fakeapi.explaining.node_offers import Fact, Offer, of_node, recreated, without_pods
from fakeapi.explaining.resource_facts import resource_facts
from fakeapi.machinery.json_types import Object

NOT_READY = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
"""The taints of a node whose condition Ready is not True."""


def facts_of(wants: Wants, state: NodeState) -> list[Fact]:
    """Returns the reasons of the scheduler filters that exclude a node, in the order of kube-scheduler.

    Leaves out the filters for devices, and for the pod's topology.
    """
    return [
        fact
        for check, describe in _DESCRIBERS
        if check(wants, state) is not None
        for fact in describe(wants, state)
    ]


def _unschedulable(wants: Wants, state: NodeState) -> Iterator[Fact]:
    uncordon = of_node(
        wants.pod,
        state,
        f"uncordon node {state.name}",
        "spec.unschedulable",
        lambda: _with_spec(state, untainted(state.node["spec"], UNSCHEDULABLE_TAINT["key"], "unschedulable")),
        harm="other pods can then get this node",
    )
    yield Fact(
        "NodeUnschedulable",
        "cordoned (spec.unschedulable)",
        f"node {state.name} is cordoned (spec.unschedulable)",
        "spec.unschedulable",
        (uncordon,),
    )


def _name(wants: Wants, state: NodeState) -> Iterator[Fact]:
    pod = wants.pod
    text = f"spec.nodeName of the pod is {pod['spec']['nodeName']}"
    again = recreated(pod, "no spec.nodeName", "spec.nodeName", lambda: {**pod["spec"], "nodeName": ""})
    yield Fact("NodeName", text, text, "spec.nodeName", (again,))


def _taints(wants: Wants, state: NodeState) -> Iterator[Fact]:
    pod = wants.pod
    for taint in state.node["spec"].get("taints") or ():
        keeps_away = taint["effect"] in {"NoSchedule", "NoExecute"}
        if not keeps_away or tolerates_taint(pod, taint) or taint["key"] == UNSCHEDULABLE_TAINT["key"]:
            continue
        text = taint_text(taint)
        without = partial(_without_taint, state, text)
        if taint["key"] in NOT_READY:
            ready = of_node(pod, state, f"make node {state.name} ready", "status.conditions", without)
            whole = f"node {state.name} is not ready{_ready_text(state.node, taint['key'])}"
            yield Fact("NodeNotReady", "not ready", whole, "status.conditions", (ready,))
            continue
        remove = f"remove the taint {text} from node {state.name}"
        harm = "other pods can then get this node"
        yield Fact(
            "NodeTaint",
            f"tainted {text}",
            f"node {state.name} has the taint {text}, which the pod does not tolerate",
            "spec.taints",
            (
                _tolerate(pod, taint, text),
                of_node(pod, state, remove, "spec.taints", without, harm=harm),
            ),
        )


def _tolerate(pod: Object, taint: Object, text: str) -> Offer:
    """Returns the offer to add a toleration to the pod. Kubernetes allows this change of an existing pod."""
    path = "spec.tolerations"
    advice = f"add a toleration for {text} to {path} of the pod"
    change = Change(advice, "edit", [reference("Pod", pod)], path)
    spec = pod["spec"]
    toleration = {"key": taint["key"], "operator": "Exists", "effect": taint["effect"]}
    changed = {**spec, "tolerations": [*(spec.get("tolerations") or ()), toleration]}
    return Offer(change, lambda: ({**pod, "spec": changed}, ()))


def _ready_text(node: Object, taint: str) -> str:
    """Returns why a node is not ready: from its condition Ready, or else the key of its taint."""
    for condition in node["status"].get("conditions") or ():
        if condition["type"] == "Ready" and condition["status"] != "True":
            why = condition.get("message") or condition.get("reason") or f"Ready is {condition['status']}"
            return f": {why}"
    return f" (taint {taint})"


def _ports(wants: Wants, state: NodeState) -> Iterator[Fact]:
    pod = wants.pod
    taken = [port for port in host_ports(pod) if any(is_taken(port, other) for other in state.pods)]
    using = [other for other in state.pods if any(is_taken(port, other) for port in taken)]
    users = tuple(reference("Pod", other) for other in using)
    ports = ", ".join(str(number) for _, _, number in taken)
    path = "spec.containers[].ports[].hostPort"
    yield Fact(
        "HostPorts",
        f"hostPort {ports} in use",
        f"hostPort {ports} of node {state.name} is in use by {', '.join(map(str, users[:3]))}",
        path,
        (
            recreated(pod, f"another hostPort instead of {ports}", path, partial(_without_ports, pod)),
            without_pods(pod, [state], using, state.name),
        ),
        users,
    )


def _without_ports(pod: Object) -> Object:
    """Returns a copy of a pod's spec without the ports of its containers."""
    containers = [{**one, "ports": []} for one in pod["spec"].get("containers") or ()]
    return {**pod["spec"], "containers": containers}


def _with_spec(state: NodeState, spec: Object) -> Object:
    return {**state.node, "spec": spec}


def _without_taint(state: NodeState, text: str) -> Object:
    """Returns a copy of a node without one taint. `text`: the taint as kubectl prints it."""
    taints = [taint for taint in state.node["spec"].get("taints") or () if taint_text(taint) != text]
    return _with_spec(state, {**state.node["spec"], "taints": taints})


def untainted(spec: Object, key: str, field: str) -> Object:
    """Returns a copy of a node's spec without the field `field` and without the taints of this key."""
    taints = [taint for taint in spec.get("taints") or () if taint["key"] != key]
    return {name: value for name, value in spec.items() if name != field} | {"taints": taints}


Describe = Callable[[Wants, NodeState], Iterator[Fact]]

_DESCRIBERS = (
    (node_unschedulable, _unschedulable),
    (node_name, _name),
    (taint_toleration, _taints),
    (node_affinity, affinity_facts),
    (node_ports, _ports),
    (node_resources_fit, resource_facts),
)
