"""NodeState: a node, the pods on it, and the sum of the pods' requests."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache

import msgspec

from fakeapi.controllers.workloads.pods import has_ended
from fakeapi.kinds.common.pod_resources import (
    added,
    claimed_resources,
    container_totals,
    pod_level_amounts,
)
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import quantity

Amounts = dict[str, Fraction]

DEFAULT_CPU = Fraction(1, 10)
DEFAULT_MEMORY = Fraction(200 * 1024 * 1024)
"""Memory in bytes that scoring assumes for a container without a memory request."""
_REMEMBERED, _REMEMBERED_LENGTH = 1024, 32
"""Maximum number of quantities whose values are cached, and the maximum length of their texts."""


@dataclass(slots=True)
class NodeState:
    """A node with its pods.

    - `requested`: the sum of the pods' requests.
    - `scored`: the sum of the pods' cpu and memory requests, with defaults for containers without requests.
    - `shunning`: the pods with required anti-affinity.
    """

    node: Object
    pods: list[Object] = field(default_factory=list)
    requested: Amounts = field(default_factory=dict)
    scored: Amounts = field(default_factory=dict)
    shunning: list[Object] = field(default_factory=list)
    _allocatable: Amounts = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def name(self) -> str:
        return str(self.node["metadata"]["name"])

    def allocatable(self, resource: str) -> Fraction:
        known = self._allocatable.get(resource)
        if known is None:
            amounts = self.node["status"].get("allocatable") or {}
            known = self._allocatable[resource] = amount(amounts.get(resource, "0"))
        return known

    def add(self, pod: Object) -> None:
        self.pods.append(pod)
        if required_terms(pod, "podAntiAffinity"):
            self.shunning.append(pod)
        _add(self.requested, requests_of(pod))
        _add(self.scored, scored_requests(pod))


def required_terms(pod: Object, kind: str) -> list[Object]:
    """Returns the required terms of a pod's affinity or anti-affinity to other pods.

    `kind`: podAffinity or podAntiAffinity.
    """
    affinity = (pod["spec"].get("affinity") or {}).get(kind) or {}
    return affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or []


def with_pods(state: NodeState, pods: Iterable[Object]) -> NodeState:
    """Returns a copy of a node's state with other pods. `pods`: the new pods of the node."""
    updated = NodeState(state.node)
    for pod in pods:
        updated.add(pod)
    return updated


def amount(text: str) -> Fraction:
    """Returns the value of a quantity, such as "100m", as an exact fraction."""
    return _known_amount(text) if len(text) <= _REMEMBERED_LENGTH else _known_amount.__wrapped__(text)


@lru_cache(_REMEMBERED)
def _known_amount(text: str) -> Fraction:
    return Fraction(quantity.parse(text).amount)


def requests_of(pod: Object) -> Amounts:
    """Returns the resource requests of a pod, including overhead and node resources used through claims."""
    spec = pod["spec"]
    totals = container_totals(spec, "requests")
    claimed = claimed_resources(pod)
    if claimed:
        totals = added(totals, claimed)
    totals |= pod_level_amounts(spec, "requests")
    amounts = {name: amount(text) for name, text in totals.items()}
    for name, text in (spec.get("overhead") or {}).items():
        amounts[name] = amounts.get(name, Fraction(0)) + amount(text)
    return amounts


def scored_requests(pod: Object) -> Amounts:
    """Returns the cpu and memory requests of a pod for scoring, with defaults for missing requests."""
    totals = {"cpu": Fraction(0), "memory": Fraction(0)}
    for container in pod["spec"].get("containers") or ():
        requests = (container.get("resources") or {}).get("requests") or {}
        totals["cpu"] += amount(requests["cpu"]) if "cpu" in requests else DEFAULT_CPU
        totals["memory"] += amount(requests["memory"]) if "memory" in requests else DEFAULT_MEMORY
    for name, text in claimed_resources(pod).items():
        if name in totals:
            totals[name] += amount(text)
    requested = requests_of(pod)
    return {name: max(total, requested.get(name, Fraction(0))) for name, total in totals.items()}


class _Placed(msgspec.Struct, eq=False):
    """A pod on a node, with its requests.

    `requested`: None until the requests are part of the sums of the node.
    """

    pod: Object
    requested: Amounts | None = None
    scored: Amounts = msgspec.field(default_factory=dict)


class _OnNode(msgspec.Struct, eq=False):
    """The pods on one node by uid, with the sums of their requests.

    `change` runs during the commit of a pod and must be fast, so only `state` calculates the requests of new
    pods.
    """

    pods: dict[str, _Placed] = msgspec.field(default_factory=dict)
    requested: Amounts = msgspec.field(default_factory=dict)
    scored: Amounts = msgspec.field(default_factory=dict)

    def change(self, uid: str, pod: Object | None) -> None:
        """Adds or replaces the pod with this uid, as the last pod. Removes the pod if `pod` is None."""
        known = self.pods.pop(uid, None)
        if known is not None and known.requested is not None:
            if pod is not None and _has_equal_requests(known.pod, pod):
                self.pods[uid] = _Placed(pod, known.requested, known.scored)
                return
            _subtract(self.requested, known.requested)
            _subtract(self.scored, known.scored)
        if pod is not None:
            self.pods[uid] = _Placed(pod)

    def state(self, node: Object) -> NodeState:
        """Returns the state of the node with these pods. Later changes do not affect the returned state."""
        for placed in self.pods.values():
            if placed.requested is None:
                placed.requested, placed.scored = requests_of(placed.pod), scored_requests(placed.pod)
                _add(self.requested, placed.requested)
                _add(self.scored, placed.scored)
        pods = [placed.pod for placed in self.pods.values()]
        shunning = [pod for pod in pods if required_terms(pod, "podAntiAffinity")]
        return NodeState(node, pods, dict(self.requested), dict(self.scored), shunning)


def _add(sums: Amounts, amounts: Amounts) -> None:
    for name, value in amounts.items():
        sums[name] = sums.get(name, Fraction(0)) + value


def _subtract(sums: Amounts, amounts: Amounts) -> None:
    for name, value in amounts.items():
        sums[name] -= value


def _has_equal_requests(one: Object, other: Object) -> bool:
    return bool(one["spec"] == other["spec"] and claimed_resources(one) == claimed_resources(other))


class NodeStates:
    """Keeps the NodeState of each node. Ignores pods that have ended.

    The informers call `node_changed` and `pod_changed`. The cost of a change does not depend on the number of
    nodes, because only the changed node is updated.
    """

    def __init__(self) -> None:
        self._nodes: dict[str, Object] = {}
        self._pods: defaultdict[str, _OnNode] = defaultdict(_OnNode)
        self._changed: set[str] = set()
        self._states: dict[str, NodeState] = {}
        """The cached states of nodes by name, in the order of names."""

    def node_changed(self, old: Object | None, new: Object | None) -> None:
        name = (new or old or {})["metadata"]["name"]
        self._changed.add(name)
        if new is None:
            self._nodes.pop(name, None)
        else:
            self._nodes[name] = new

    def pod_changed(self, old: Object | None, new: Object | None) -> None:
        uid = (new or old or {})["metadata"]["uid"]
        before = None if old is None else old["spec"].get("nodeName")
        after = None if new is None or has_ended(new) else new["spec"].get("nodeName")
        if old is not None and before and (before != after or old["metadata"]["uid"] != uid):
            self._change(before, old["metadata"]["uid"], None)
        if after:
            self._change(after, uid, new)

    def _change(self, node: str, uid: str, pod: Object | None) -> None:
        on_node = self._pods[node]
        on_node.change(uid, pod)
        self._changed.add(node)
        if not on_node.pods:
            del self._pods[node]

    def on_node(self, node: Object) -> NodeState:
        """Returns the state of a node. `node`: the Node, which `node_changed` may not have received yet."""
        on_node = self._pods.get(node["metadata"]["name"])
        return NodeState(node) if on_node is None else on_node.state(node)

    def by_name(self) -> dict[str, NodeState]:
        """Returns the states of all nodes by name, in the order of names."""
        changed, self._changed = self._changed, set()
        is_sorted = True
        for name in changed:
            node = self._nodes.get(name)
            if node is None:
                self._states.pop(name, None)
                continue
            is_sorted = is_sorted and name in self._states
            self._states[name] = self.on_node(node)
        if not is_sorted:
            self._states = dict(sorted(self._states.items()))
        return dict(self._states)
