"""NodeState: a node, the pods on it, and the sum of the pods' requests."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

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

    @property
    def name(self) -> str:
        return str(self.node["metadata"]["name"])

    def allocatable(self, resource: str) -> Fraction:
        amounts = self.node["status"].get("allocatable") or {}
        return amount(amounts.get(resource, "0"))

    def add(self, pod: Object) -> None:
        self.pods.append(pod)
        if required_terms(pod, "podAntiAffinity"):
            self.shunning.append(pod)
        for name, value in requests_of(pod).items():
            self.requested[name] = self.requested.get(name, Fraction(0)) + value
        for name, value in scored_requests(pod).items():
            self.scored[name] = self.scored.get(name, Fraction(0)) + value


def required_terms(pod: Object, kind: str) -> list[Object]:
    """Returns the required terms of a pod's affinity or anti-affinity to other pods.

    `kind`: podAffinity or podAntiAffinity.
    """
    affinity = (pod["spec"].get("affinity") or {}).get(kind) or {}
    return affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or []


def with_pods(state: NodeState, pods: Iterable[Object]) -> NodeState:
    """Returns a copy of the state of a node, with these pods instead of its present pods."""
    updated = NodeState(state.node)
    for pod in pods:
        updated.add(pod)
    return updated


def amount(text: str) -> Fraction:
    """Returns the value of a quantity, such as "100m", as an exact fraction."""
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


class NodeStates:
    """The NodeState of each node. Ignores pods that have ended.

    The informers call `node_changed` and `pod_changed` to keep the states up to date.
    """

    def __init__(self) -> None:
        self._nodes: dict[str, Object] = {}
        self._pods: defaultdict[str, dict[str, Object]] = defaultdict(dict)
        self._states: dict[str, NodeState] = {}

    def node_changed(self, old: Object | None, new: Object | None) -> None:
        name = (new or old or {})["metadata"]["name"]
        self._states.pop(name, None)
        if new is None:
            self._nodes.pop(name, None)
        else:
            self._nodes[name] = new

    def pod_changed(self, old: Object | None, new: Object | None) -> None:
        for pod in filter(None, (old, new)):
            name = pod["spec"].get("nodeName")
            if not name:
                continue
            uid = pod["metadata"]["uid"]
            if pod is new and pod["status"].get("phase") not in {"Succeeded", "Failed"}:
                self._pods[name][uid] = pod
            else:
                self._pods[name].pop(uid, None)
            self._states.pop(name, None)

    def by_name(self) -> dict[str, NodeState]:
        """Returns the states of all nodes by name, in the order of names."""
        for name in self._nodes.keys() - self._states.keys():
            state = self._states[name] = NodeState(self._nodes[name])
            for pod in self._pods[name].values():
                state.add(pod)
        return {name: self._states[name] for name in sorted(self._states)}
