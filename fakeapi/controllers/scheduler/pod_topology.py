"""The scheduler filters PodTopologySpread and InterPodAffinity.

Follow k8s.io/kubernetes `pkg/scheduler/framework/plugins/podtopologyspread` and `interpodaffinity` for
required terms and DoNotSchedule. Preferred terms and ScheduleAnyway do not affect the scores.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

import msgspec

from fakeapi.controllers.scheduler.node_state import NodeState, required_terms
from fakeapi.controllers.scheduler.status import Unschedulable
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import label_selector
from fakeapi.machinery.meta.label_selector import Selector

SPREAD = "node(s) didn't match pod topology spread constraints"
NO_LABEL = f"{SPREAD} (missing required label)"
AFFINITY = "node(s) didn't match pod affinity rules"
ANTI_AFFINITY = "node(s) didn't match pod anti-affinity rules"
ANTI_AFFINITY_OF_OTHERS = "node(s) didn't satisfy existing pods anti-affinity rules"

Suits = Callable[[Object], bool]
"""A function that returns whether a Node meets a requirement of the pod."""

Namespaces = Callable[[], Mapping[str, Object]]
"""A function that returns the namespaces of the cluster by name."""


def has_rules(pod: Object) -> bool:
    """Whether a pod has pod affinity, anti-affinity or topology spread constraints."""
    affinity = pod["spec"].get("affinity") or {}
    return bool(
        affinity.get("podAffinity")
        or affinity.get("podAntiAffinity")
        or pod["spec"].get("topologySpreadConstraints")
    )


class Spread(msgspec.Struct, eq=False):
    """A topology spread constraint, with the number of matching pods in each topology domain.

    `selector`: the parsed labelSelector of the constraint; None selects no pods.
    """

    constraint: Object
    selector: Selector | None
    counts: dict[str, int] = msgspec.field(default_factory=dict)

    @property
    def least(self) -> int:
        """The smallest number of pods in a domain; 0 with fewer domains than minDomains."""
        if len(self.counts) < int(self.constraint.get("minDomains", 1)):
            return 0
        return min(self.counts.values())

    def skew(self, pod: Object, state: NodeState) -> int:
        """Returns the skew of a node's domain with the pod on this node."""
        own = int(_selects(self.selector, pod["metadata"].get("labels") or {}))
        there = self.counts.get(_labels_of(state).get(self.constraint["topologyKey"], ""), 0)
        return there + own - self.least


class AffinityTerm:
    """A required term of the affinity or anti-affinity of the pod `owner`. Parses its selectors once.

    - `term`: the term as written.
    - `topology_key`: the label of nodes whose values are the topology domains.
    """

    def __init__(self, term: Object, owner: Object) -> None:
        self.term = term
        self.topology_key = str(term["topologyKey"])
        self._selector = label_selector.of_object(term.get("labelSelector"))
        self._namespaces: Collection[str] = term.get("namespaces") or ()
        self._selects_namespaces = term.get("namespaceSelector") is not None
        self._namespace_selector = label_selector.of_object(term.get("namespaceSelector"))
        if not self._namespaces and not self._selects_namespaces:
            self._namespaces = (owner["metadata"]["namespace"],)

    def selects(self, pod: Object, namespaces: Namespaces) -> bool:
        """Whether the term selects a pod, by namespace and labels.

        `namespaces`: returns the namespaces of the cluster by name.
        """
        return self._is_in_scope(pod["metadata"]["namespace"], namespaces) and _selects(
            self._selector, pod["metadata"].get("labels") or {}
        )

    def _is_in_scope(self, namespace: str, namespaces: Namespaces) -> bool:
        if namespace in self._namespaces:
            return True
        if not self._selects_namespaces:
            return False
        namespace_object = namespaces().get(namespace)
        return namespace_object is not None and _selects(
            self._namespace_selector, namespace_object["metadata"].get("labels") or {}
        )


def affinity_terms(pod: Object, kind: str) -> list[AffinityTerm]:
    """Returns the required terms of a pod. `kind`: podAffinity or podAntiAffinity."""
    return [AffinityTerm(term, pod) for term in required_terms(pod, kind)]


class PodTopology:
    """Filters nodes by pod affinity and topology spread, for one pod in one scheduling attempt.

    Pass all nodes to `count` before you filter nodes.

    `spreads`: the topology spread constraints with DoNotSchedule.
    """

    def __init__(
        self,
        pod: Object,
        namespaces: Namespaces,
        suits: Suits,
        tolerates: Suits,
    ) -> None:
        """Prepares the counts of pods.

        - `namespaces`: returns the namespaces of the cluster by name.
        - `suits`: returns whether a node matches the pod's required node affinity.
        - `tolerates`: returns whether the pod tolerates a node's taints.
        """
        self._pod = pod
        self._labels: Mapping[str, str] = pod["metadata"].get("labels") or {}
        self._namespaces, self._suits, self._tolerates = namespaces, suits, tolerates
        self.spreads = [
            Spread(constraint, label_selector.of_object(constraint.get("labelSelector")))
            for constraint in pod["spec"].get("topologySpreadConstraints") or ()
            if constraint["whenUnsatisfiable"] == "DoNotSchedule"
        ]
        self._wanted = affinity_terms(pod, "podAffinity")
        self._unwanted = affinity_terms(pod, "podAntiAffinity")
        self._near: dict[tuple[str, str], int] = {}
        self._far: dict[tuple[str, str], int] = {}
        self._shunning: set[tuple[str, str]] = set()

    def count(self, state: NodeState) -> None:
        """Counts the pods on a node."""
        self._count_spread(state)
        self._count_pods(state)

    def filter(self, state: NodeState) -> Unschedulable | None:
        """Returns the reason why the pod does not fit on a node; None if the pod fits."""
        return self._filter_spread(state) or self._filter_affinity(state)

    # spread ---------------------------------------------------------------------------------------

    def _count_spread(self, state: NodeState) -> None:
        labels = _labels_of(state)
        if any(spread.constraint["topologyKey"] not in labels for spread in self.spreads):
            return
        for spread in self.spreads:
            constraint = spread.constraint
            if constraint.get("nodeAffinityPolicy", "Honor") == "Honor" and not self._suits(state.node):
                continue
            if constraint.get("nodeTaintsPolicy", "Ignore") == "Honor" and not self._tolerates(state.node):
                continue
            domain = labels[constraint["topologyKey"]]
            number = sum(
                self._matches_spread(spread, pod["metadata"].get("labels") or {})
                for pod in state.pods
                if "deletionTimestamp" not in pod["metadata"]
                and pod["metadata"]["namespace"] == self._pod["metadata"]["namespace"]
            )
            spread.counts[domain] = spread.counts.get(domain, 0) + number

    def _matches_spread(self, spread: Spread, labels: Mapping[str, str]) -> bool:
        keys = [key for key in spread.constraint.get("matchLabelKeys") or () if key in self._labels]
        if not spread.constraint.get("labelSelector") and not keys:
            return False
        return _selects(spread.selector, labels) and all(labels.get(key) == self._labels[key] for key in keys)

    def _filter_spread(self, state: NodeState) -> Unschedulable | None:
        labels = _labels_of(state)
        for spread in self.spreads:
            if spread.constraint["topologyKey"] not in labels:
                return Unschedulable((NO_LABEL,))
            if spread.skew(self._pod, state) > int(spread.constraint["maxSkew"]):
                return Unschedulable((SPREAD,), preemptible=True)
        return None

    # affinity -------------------------------------------------------------------------------------

    def _count_pods(self, state: NodeState) -> None:
        labels = _labels_of(state)
        if self._wanted or self._unwanted:
            for other in state.pods:
                if self._wanted and all(term.selects(other, self._namespaces) for term in self._wanted):
                    _count(self._near, self._wanted, labels)
                for term in self._unwanted:
                    if term.selects(other, self._namespaces):
                        _count(self._far, [term], labels)
        for other in state.shunning:
            for term in affinity_terms(other, "podAntiAffinity"):
                if term.selects(self._pod, self._namespaces) and term.topology_key in labels:
                    self._shunning.add((term.topology_key, labels[term.topology_key]))

    def _filter_affinity(self, state: NodeState) -> Unschedulable | None:
        labels = _labels_of(state)
        if self._wanted and not self._is_near(labels):
            return Unschedulable((AFFINITY,))
        if any(self._far.get(pair) for pair in _pairs(self._unwanted, labels)):
            return Unschedulable((ANTI_AFFINITY,), preemptible=True)
        if self._shunning and not self._shunning.isdisjoint(labels.items()):
            return Unschedulable((ANTI_AFFINITY_OF_OTHERS,), preemptible=True)
        return None

    def _is_near(self, labels: Mapping[str, str]) -> bool:
        if any(term.topology_key not in labels for term in self._wanted):
            return False
        if all(self._near.get(pair) for pair in _pairs(self._wanted, labels)):
            return True
        return not self._near and all(term.selects(self._pod, self._namespaces) for term in self._wanted)


def _labels_of(state: NodeState) -> Mapping[str, str]:
    return state.node["metadata"].get("labels") or {}


def _pairs(terms: Iterable[AffinityTerm], labels: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for term in terms:
        if term.topology_key in labels:
            yield term.topology_key, labels[term.topology_key]


def _count(
    counts: dict[tuple[str, str], int], terms: Iterable[AffinityTerm], labels: Mapping[str, str]
) -> None:
    for pair in _pairs(terms, labels):
        counts[pair] = counts.get(pair, 0) + 1


def _selects(selector: Selector | None, labels: Mapping[str, str]) -> bool:
    """Whether a parsed LabelSelector matches labels. None matches no labels."""
    return selector is not None and selector.matches(labels)
