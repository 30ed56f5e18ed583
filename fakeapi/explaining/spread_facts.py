"""Explains why a topology spread constraint excludes a node, with the number of pods in each domain."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial

from fakeapi.controllers.scheduler.node_state import NodeState
from fakeapi.controllers.scheduler.pod_topology import Spread
from fakeapi.explaining.model import NAMES_SHOWN, listed
from fakeapi.explaining.node_offers import Fact, Offer, labelled, of_node, recreated
from fakeapi.machinery.json_types import Object

PATH = "spec.topologySpreadConstraints"


class SpreadFacts:
    """Explains the topology spread constraints of one pod.

    - `spreads`: the constraints with whenUnsatisfiable DoNotSchedule, with the pods in each topology domain.
    - `states`: the nodes of the scheduling attempt by name.
    - `others`: the reasons that exclude other nodes, by node name.
    """

    def __init__(
        self,
        pod: Object,
        spreads: Sequence[Spread],
        states: Mapping[str, NodeState],
        others: Mapping[str, Sequence[Fact]],
    ) -> None:
        self._pod = pod
        self._spreads = spreads
        self._states = states
        self._others = others

    @cached_property
    def _lines(self) -> Sequence[Sequence[str]]:
        """For each constraint, the facts that are the same for all nodes, one line each."""
        return [[*self._lines_of(spread)] for spread in self._spreads]

    def without_label(self, code: str, state: NodeState) -> Fact:
        """Explains that a node lacks the label of a topology spread constraint."""
        labels = _labels_of(state)
        keys = [spread.constraint["topologyKey"] for spread in self._spreads]
        missing = next((key for key in keys if key not in labels), "")
        text = f"node {state.name} lacks the label {missing} of a topology spread constraint"
        label = f"label node {state.name} with {missing}"
        node = partial(labelled, state.node, missing, state.name)
        offer = of_node(self._pod, state, label, "metadata.labels", node)
        return Fact(code, f"no label {missing}", text, PATH, (offer,))

    def exceeded(self, code: str, state: NodeState) -> Fact:
        """Explains that the pod on a node would exceed the maxSkew of a constraint."""
        constraints = [spread.constraint for spread in self._spreads]
        named = ", ".join(f"{one['topologyKey']} (maxSkew {one['maxSkew']})" for one in constraints)
        text = f"the pod on node {state.name} would exceed the topology spread {named}"
        lines: list[str] = []
        offers: list[Offer] = []
        for spread, own in zip(self._spreads, self._lines, strict=True):
            skew = spread.skew(self._pod, state)
            if skew > int(spread.constraint["maxSkew"]):
                lines += own
                offers += self._offers(spread.constraint, skew)
        shape = f"topology spread {named} would be exceeded"
        return Fact(code, shape, text, PATH, tuple(offers), (), tuple(lines))

    def _lines_of(self, spread: Spread) -> Iterator[str]:
        """Yields the pods in each domain, and why the domains with the fewest pods cannot be used."""
        constraint, counts, least = spread.constraint, spread.counts, spread.least
        key = constraint["topologyKey"]
        ordered = sorted(counts.items(), key=lambda item: (item[1], item[0]))
        pods = listed([f"{domain} {count}" for domain, count in ordered], NAMES_SHOWN)
        most = least + int(constraint["maxSkew"])
        yield f"pods by {key}: {pods}; with maxSkew {constraint['maxSkew']}, at most {most} in one domain"
        if len(counts) < int(constraint.get("minDomains") or 1):
            yield f"minDomains is {constraint['minDomains']}, and only {len(counts)} domains have nodes"
        for domain, count in ordered[:NAMES_SHOWN]:
            if count > least:
                break
            names = [one.name for one in self._states.values() if _labels_of(one).get(key) == domain]
            reasons = [self._others.get(name) or () for name in names]
            if not names:
                continue
            shapes = dict.fromkeys(fact.shape for facts in reasons for fact in facts)
            why = ", ".join(shapes) or "without devices"
            yield f"{domain} has the fewest pods, but its nodes are refused: {listed(names, 4)} ({why})"
            if constraint.get("nodeTaintsPolicy", "Ignore") == "Ignore" and all(
                any(fact.code == "NodeTaint" for fact in facts) for facts in reasons
            ):
                yield f"tainted nodes count as nodes of {domain}, because nodeTaintsPolicy is Ignore"

    def _offers(self, constraint: Object, skew: int) -> Iterator[Offer]:
        """Yields the offers to weaken a constraint. `skew`: the smallest maxSkew that allows the pod."""
        index = self._pod["spec"]["topologySpreadConstraints"].index(constraint)
        weaker = {
            "nodeTaintsPolicy": "Honor",
            "maxSkew": skew,
            "whenUnsatisfiable": "ScheduleAnyway",
        }
        for field, value in weaker.items():
            old = constraint.get(field, "Ignore")
            if old == value:
                continue
            path = f"{PATH}[{index}].{field}"
            what = f"{value} instead of {old} in {path}"
            yield recreated(self._pod, what, path, partial(self._changed, index, {field: value}), str(value))

    def _changed(self, index: int, fields: Object) -> Object:
        """Returns the spec of the pod with changed fields of one constraint."""
        constraints = [*self._pod["spec"]["topologySpreadConstraints"]]
        constraints[index] = {**constraints[index], **fields}
        return {**self._pod["spec"], "topologySpreadConstraints": constraints}


def _labels_of(state: NodeState) -> Mapping[str, str]:
    return state.node["metadata"].get("labels") or {}
