"""Explains why pod affinity or topology spread constraints exclude a node."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from fakeapi.controllers.scheduler.node_state import NodeState, required_terms
from fakeapi.controllers.scheduler.pod_topology import (
    AFFINITY,
    ANTI_AFFINITY,
    ANTI_AFFINITY_OF_OTHERS,
    NO_LABEL,
    SPREAD,
    Spread,
    affinity_terms,
)
from fakeapi.explaining.cluster_objects import ClusterObjects, reference
from fakeapi.explaining.model import Change
from fakeapi.explaining.node_offers import Fact, Offer, labelled, new_node, recreated, without_pods
from fakeapi.explaining.selector_text import shortened
from fakeapi.explaining.spread_facts import SpreadFacts
from fakeapi.machinery.json_types import Object
from fakeapi.registry.offloading.turns import Turns

OF_OTHERS = "AntiAffinityOfOtherPods"
"""The code of the reason that the anti-affinity of other pods excludes a node."""

TOPOLOGY: Mapping[str, str] = {
    SPREAD: "TopologySpread",
    NO_LABEL: "TopologyLabelMissing",
    AFFINITY: "PodAffinity",
    ANTI_AFFINITY: "PodAntiAffinity",
    ANTI_AFFINITY_OF_OTHERS: OF_OTHERS,
}
"""Maps the scheduler's messages about pod affinity and topology spread to codes of reasons."""

_HOSTNAME = "kubernetes.io/hostname"
_TERM_LENGTH = 40
"""Maximum number of characters of a label selector in the text of a reason."""


@dataclass(frozen=True, slots=True)
class Excluding:
    """A pod that excludes a node for the explained pod, by an anti-affinity term of either pod."""

    pod: Object
    place: NodeState
    term: Object


class TopologyFacts:
    """Explains why pod affinity or topology spread excludes nodes for one pod.

    `spreads`, `states` and `others`: see SpreadFacts.
    """

    def __init__(
        self,
        cluster: ClusterObjects,
        pod: Object,
        spreads: Sequence[Spread],
        states: Mapping[str, NodeState],
        others: Mapping[str, Sequence[Fact]],
    ) -> None:
        self._spread = SpreadFacts(pod, spreads, states, others)
        self._cluster = cluster
        self._pod = pod
        self._excluding: dict[str, dict[tuple[str, str], list[Excluding]]] = {}

    async def fact(self, state: NodeState, message: str) -> Fact:
        """Explains a message of the scheduler that pod affinity or topology spread excludes a node.

        Lets other tasks of the event loop run meanwhile.
        """
        code = TOPOLOGY[message]
        labels = state.node["metadata"].get("labels") or {}
        if message == NO_LABEL:
            return self._spread.without_label(code, state)
        if message == SPREAD:
            return self._spread.exceeded(code, state)
        if code == "PodAffinity":
            return _affinity(self._pod, state)
        if code not in self._excluding:
            self._excluding[code] = await self._by_domain(code)
        domains = self._excluding[code]
        excluding = [one for pair in labels.items() for one in domains.get(pair, ())]
        return _anti_affinity(code, self._pod, state, excluding)

    async def _by_domain(self, code: str) -> dict[tuple[str, str], list[Excluding]]:
        """Returns the pods that exclude the pod, by topology key and value of their nodes."""
        domains: dict[tuple[str, str], list[Excluding]] = {}
        of_pod, turns = affinity_terms(self._pod, "podAntiAffinity"), Turns()
        for place in self._cluster.node_states.values():
            await turns.give_turn_if_over()
            labels = place.node["metadata"].get("labels") or {}
            for other in place.shunning if code == OF_OTHERS else place.pods:
                target = self._pod if code == OF_OTHERS else other
                for term in affinity_terms(other, "podAntiAffinity") if code == OF_OTHERS else of_pod:
                    key = term.topology_key
                    if key in labels and term.selects(target, lambda: self._cluster.namespaces):
                        domains.setdefault((key, labels[key]), []).append(Excluding(other, place, term.term))
        return domains


def _affinity(pod: Object, state: NodeState) -> Fact:
    path = "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution"
    terms = required_terms(pod, "podAffinity")
    wanted = "; ".join(map(_term_text, terms))
    text = f"no pod near node {state.name} matches the pod affinity {wanted}"
    shape = f"no matching pod nearby for pod affinity {wanted}"
    start = Change(f"start a pod with {_labels_text(terms[0])} near node {state.name}", "create")
    again = recreated(pod, f"no {path}", path, partial(_without_affinity, pod, "podAffinity"))
    return Fact("PodAffinity", shape, text, path, (Offer(start), again))


def _anti_affinity(code: str, pod: Object, state: NodeState, others: Sequence[Excluding]) -> Fact:
    """Explains that pod anti-affinity excludes a node. `others`: the pods that cause the exclusion."""
    path = "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution"
    if not others:
        text = f"pod anti-affinity excludes node {state.name}"
        return Fact(code, "pod anti-affinity", text, path, ())
    users = tuple(dict.fromkeys(reference("Pod", one.pod) for one in others))
    first = others[0]
    key = first.term["topologyKey"]
    whose = f"anti-affinity of {users[0]}" if code == OF_OTHERS else "anti-affinity"
    lead = f"{whose} to {_term_text(first.term)}"
    text = f"{lead}: {_where(users[0], state, first.place, key, named=code != OF_OTHERS)}"
    shape = "anti-affinity of other pods" if code == OF_OTHERS else lead
    guilty = list({reference("Pod", one.pod): one.pod for one in others}.values())
    places = list({one.place.name: one.place for one in others}.values())
    deleting = without_pods(pod, places, guilty, state.name)
    if deleting.change.harm:
        deleting = _warned(deleting, "created again, it waits for another node")
    offers = (_weaker(code, pod, first.term, path), _new_domain(pod, state, key), deleting)
    return Fact(code, shape, text, path, offers, users[:4])


def _where(other: object, state: NodeState, there: NodeState, key: str, *, named: bool) -> str:
    """Returns the place of another pod: the same node, or a node with an equal value of the topology key."""
    who = f"{other}" if named else "it"
    if there.name == state.name:
        return f"{who} is on node {there.name}"
    value = (state.node["metadata"].get("labels") or {}).get(key, "")
    return f"{who} on node {there.name} has {key}={value}, as node {state.name}"


def _warned(offer: Offer, harm: str) -> Offer:
    change = offer.change
    return Offer(
        Change(change.text, change.action, change.objects, node=change.node, harm=f"{change.harm}; {harm}"),
        offer.after,
    )


def _weaker(code: str, pod: Object, term: Object, path: str) -> Offer:
    """Returns the offer to create the pod again, without its anti-affinity or without the labels that a term
    selects.
    """
    if code != OF_OTHERS:
        return recreated(pod, f"no {path}", path, partial(_without_affinity, pod, "podAntiAffinity"))
    what = f"labels other than {_labels_text(term)} in metadata.labels"
    offer = recreated(pod, what, "metadata.labels", lambda: pod["spec"])
    unlabelled = {**pod, "metadata": {**pod["metadata"], "labels": {}}}
    return Offer(offer.change, lambda: (unlabelled, ()))


def _new_domain(pod: Object, state: NodeState, key: str) -> Offer:
    """Returns the offer to add a node with a new value of a topology key."""
    text = "add a node" if key == _HOSTNAME else f"add a node with another {key}"
    return new_node(pod, state, text, lambda: labelled(state.node, key, f"other-than-{state.name}"))


def _without_affinity(pod: Object, kind: str) -> Object:
    """Returns a copy of a pod's spec without podAffinity or podAntiAffinity."""
    affinity = {name: value for name, value in pod["spec"]["affinity"].items() if name != kind}
    return {**pod["spec"], "affinity": affinity}


def _labels_text(term: Object) -> str:
    """Returns the label selector of an affinity term, such as "app=cache"."""
    selector = term.get("labelSelector") or {}
    parts = [f"{key}={value}" for key, value in (selector.get("matchLabels") or {}).items()]
    parts += [
        " ".join([one["key"], one["operator"], *(f"({','.join(values)})" for values in _values(one))])
        for one in selector.get("matchExpressions") or ()
    ]
    return shortened(",".join(parts) or "all pods", _TERM_LENGTH)


def _values(requirement: Object) -> Iterable[Sequence[str]]:
    return [requirement["values"]] if requirement.get("values") else []


def _term_text(term: Object) -> str:
    return f"{_labels_text(term)} by {term['topologyKey']}"
