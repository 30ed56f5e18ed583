"""Explains why one node does not suit a pod, for all reasons other than devices."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from fakeapi.controllers.allocation.nodes import is_met
from fakeapi.controllers.scheduler.filters import (
    UNSCHEDULABLE_TAINT,
    Wants,
    node_affinity,
    node_name,
    node_ports,
    node_resources_fit,
    node_unschedulable,
    taint_toleration,
    tolerates_taint,
)
from fakeapi.controllers.scheduler.node_state import NodeState, requests_of
from fakeapi.explaining.cluster_objects import reference
from fakeapi.explaining.dropped import taint_text
from fakeapi.explaining.model import Reference
from fakeapi.machinery.json_types import Object

NOT_READY = "node.kubernetes.io/not-ready"
AGAIN = "delete the pod and create it again with"
"""The start of the advice to create a pod again, because the field to change is immutable."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A reason why a node does not suit a pod.

    - `code`: a stable name of the reason, such as "NodeTainted".
    - `shape`: the reason without the values of the node. Nodes with equal shapes form one group.
    - `path`: the field of the pod or node to look at.
    - `changes`: the changes in words; each of them would remove the reason.
    """

    code: str
    shape: str
    text: str
    path: str
    changes: tuple[str, ...]
    blame: tuple[Reference, ...] = ()


def facts_of(wants: Wants, state: NodeState) -> list[Fact]:
    """Returns the reasons of all scheduler filters that exclude a node, in the order of kube-scheduler."""
    return [
        fact
        for check, describe in _DESCRIBERS
        if check(wants, state) is not None
        for fact in describe(wants, state)
    ]


def _unschedulable(wants: Wants, state: NodeState) -> Iterator[Fact]:
    yield Fact(
        "NodeUnschedulable",
        "cordoned (spec.unschedulable)",
        f"node {state.name} is cordoned (spec.unschedulable)",
        "spec.unschedulable",
        (f"kubectl uncordon {state.name}",),
    )


def _name(wants: Wants, state: NodeState) -> Iterator[Fact]:
    name = wants.pod["spec"]["nodeName"]
    text = f"spec.nodeName of the pod is {name}"
    yield Fact("NodeName", text, text, "spec.nodeName", ("remove spec.nodeName",))


def _taints(wants: Wants, state: NodeState) -> Iterator[Fact]:
    for taint in state.node["spec"].get("taints") or ():
        keeps_away = taint["effect"] in {"NoSchedule", "NoExecute"}
        if not keeps_away or tolerates_taint(wants.pod, taint) or taint["key"] == UNSCHEDULABLE_TAINT["key"]:
            continue
        text = taint_text(taint)
        if taint["key"] == NOT_READY:
            why = _ready_text(state.node)
            whole = f"node {state.name} is not ready{why}"
            yield Fact(
                "NodeNotReady", "not ready", whole, "status.conditions", (f"make node {state.name} ready",)
            )
        else:
            yield Fact(
                "NodeTaint",
                f"tainted {text}",
                f"node {state.name} has the taint {text}, which the pod does not tolerate",
                "spec.taints",
                (
                    f"add a toleration for {text} to spec.tolerations of the pod",
                    f"remove the taint {text} from node {state.name}",
                ),
            )


def _ready_text(node: Object) -> str:
    for condition in node["status"].get("conditions") or ():
        if condition["type"] == "Ready" and condition["status"] != "True":
            why = condition.get("message") or condition.get("reason") or f"Ready is {condition['status']}"
            return f": {why}"
    return f" (taint {NOT_READY})"


def _affinity(wants: Wants, state: NodeState) -> Iterator[Fact]:
    labels = state.node["metadata"].get("labels") or {}
    for key, value in (wants.pod["spec"].get("nodeSelector") or {}).items():
        if labels.get(key) != value:
            has = f"{key}={labels[key]}" if key in labels else "no such label"
            yield Fact(
                "NodeSelector",
                f"no match for nodeSelector {key}={value}",
                f"nodeSelector wants {key}={value}, node {state.name} has {has}",
                "spec.nodeSelector",
                (f"label node {state.name} {key}={value}", f"{AGAIN} another spec.nodeSelector"),
            )
            return
    affinity = (wants.pod["spec"].get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or {}
    unmet = [_unmet(term, state.node) for term in required.get("nodeSelectorTerms") or ()]
    shape = "; or ".join(text for text, _ in unmet) or "no terms"
    values = "; ".join(value for _, value in unmet)
    path = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"
    yield Fact(
        "NodeAffinity",
        f"no match for node affinity {shape}",
        f"node affinity wants {shape}, node {state.name} has {values}",
        path,
        (f"label node {state.name} so that it matches", f"{AGAIN} another {path}"),
    )


def _unmet(term: Object, node: Object) -> tuple[str, str]:
    """Returns the first requirement of a node selector term that a node fails, and the node's value."""
    labels: Mapping[str, str] = node["metadata"].get("labels") or {}
    fields = {"metadata.name": node["metadata"]["name"]}
    for part, values in (("matchExpressions", labels), ("matchFields", fields)):
        for requirement in term.get(part) or ():
            if not is_met(requirement, values):
                key = requirement["key"]
                wanted = ",".join(requirement.get("values") or ())
                has = f"{key}={values[key]}" if key in values else f"no {key}"
                return f"{key} {requirement['operator']} ({wanted})", has
    return "an empty term", "nothing to match"


def _ports(wants: Wants, state: NodeState) -> Iterator[Fact]:
    own = [
        port["hostPort"]
        for container in wants.pod["spec"].get("containers") or ()
        for port in container.get("ports") or ()
        if port.get("hostPort")
    ]
    users = tuple(
        reference("Pod", other)
        for other in state.pods
        if any(
            port.get("hostPort") in own
            for container in other["spec"].get("containers") or ()
            for port in container.get("ports") or ()
        )
    )
    ports = ", ".join(map(str, own))
    used = ", ".join(map(str, users[:3]))
    yield Fact(
        "HostPorts",
        f"hostPort {ports} in use",
        f"hostPort {ports} of node {state.name} is in use by {used}",
        "spec.containers[].ports[].hostPort",
        (f"end {used}", f"{AGAIN} another hostPort"),
        users,
    )


def _resources(wants: Wants, state: NodeState) -> Iterator[Fact]:
    if len(state.pods) + 1 > state.allocatable("pods"):
        limit = int(state.allocatable("pods"))
        text = f"node {state.name} runs {len(state.pods)} of at most {limit} pods"
        yield Fact("TooManyPods", "too many pods", text, "status.allocatable.pods", ("end other pods",))
    for name, wanted in requests_of(wants.pod).items():
        if name in wants.by_class and not state.allocatable(name):
            continue
        total, used = state.allocatable(name), state.requested.get(name, Fraction(0))
        if not wanted or wanted <= total - used:
            continue
        users = _largest(state, name)
        free = amount_text(name, total - used)
        wants_text = f"the pod requests {amount_text(name, wanted)} {name}"
        has = f"node {state.name} has {free} free of {amount_text(name, total)}"
        amount = amount_text(name, wanted)
        changes = [f"end pods on node {state.name}"]
        if wanted > total:
            users, changes = [], [f"add a node with at least {amount} {name}"]
        if total > used:
            changes.append(f"{AGAIN} a request of at most {free} {name}")
        if not total and "/" in name:
            has = f"node {state.name} has none"
            changes = [f"a device plugin, or a DeviceClass with extendedResourceName {name}, must provide it"]
        yield Fact(
            "Insufficient",
            f"insufficient {name}",
            f"{wants_text}, {has}",
            "spec.containers[].resources.requests",
            tuple(changes),
            tuple(users),
        )


def amount_text(resource: str, amount: Fraction) -> str:
    """Returns an amount of a resource as in a manifest: cpu as "500m" or "2", memory as "1536Mi"."""
    if resource == "cpu":
        return str(int(amount)) if amount.denominator == 1 else f"{int(amount * 1000)}m"
    if resource in {"memory", "ephemeral-storage"} or resource.startswith("hugepages-"):
        for unit, size in (("Gi", 1024**3), ("Mi", 1024**2), ("Ki", 1024)):
            if amount and amount % size == 0:
                return f"{int(amount / size)}{unit}"
    return str(int(amount))


def _largest(state: NodeState, resource: str) -> list[Reference]:
    """Returns the pods on a node that request the most of a resource."""
    amounts = [(requests_of(pod).get(resource, Fraction(0)), pod) for pod in state.pods]
    users = sorted(((one, pod) for one, pod in amounts if one), key=lambda pair: -pair[0])
    return [reference("Pod", pod) for _, pod in users[:3]]


Describe = Callable[[Wants, NodeState], Iterator[Fact]]

_DESCRIBERS = (
    (node_unschedulable, _unschedulable),
    (node_name, _name),
    (taint_toleration, _taints),
    (node_affinity, _affinity),
    (node_ports, _ports),
    (node_resources_fit, _resources),
)
