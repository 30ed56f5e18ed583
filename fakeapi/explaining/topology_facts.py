"""Explains why pod affinity or topology spread constraints exclude a node."""

from collections.abc import Iterable, Mapping

from fakeapi.controllers.scheduler.node_state import NodeState, required_terms
from fakeapi.explaining.cluster_objects import ClusterObjects, reference
from fakeapi.explaining.node_facts import AGAIN, Fact
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import label_selector

TOPOLOGY: Mapping[str, str] = {
    "node(s) didn't match pod topology spread constraints": "TopologySpread",
    "node(s) didn't match pod topology spread constraints (missing required label)": "TopologyLabelMissing",
    "node(s) didn't match pod affinity rules": "PodAffinity",
    "node(s) didn't match pod anti-affinity rules": "PodAntiAffinity",
    "node(s) didn't satisfy existing pods anti-affinity rules": "AntiAffinityOfOtherPods",
}
"""Maps the scheduler's messages about pod affinity and topology spread to codes of reasons."""


def topology_fact(cluster: ClusterObjects, pod: Object, state: NodeState, message: str) -> Fact:
    """Explains a message of the scheduler that pod affinity or topology spread excludes a node."""
    code = TOPOLOGY[message]
    labels = state.node["metadata"].get("labels") or {}
    if code.startswith("Topology"):
        return _spread(code, pod, state, labels)
    kind = "podAffinity" if code == "PodAffinity" else "podAntiAffinity"
    path = f"spec.affinity.{kind}.requiredDuringSchedulingIgnoredDuringExecution"
    if code == "PodAffinity":
        wanted = "; ".join(_term_text(term) for term in required_terms(pod, kind))
        text = f"no pod near node {state.name} matches the pod affinity {wanted}"
        shape = f"no matching pod nearby for pod affinity {wanted}"
        return Fact(code, shape, text, path, ("start such a pod there", f"{AGAIN} another {path}"))
    near = [
        other
        for other_state in cluster.node_states.values()
        for other in other_state.pods
        if _shares_domain(state, other_state, _terms(code, pod, other))
    ]
    guilty = [
        other
        for other in near
        if any(
            _selects(term, pod if code == "AntiAffinityOfOtherPods" else other)
            for term in _terms(code, pod, other)
        )
    ]
    users = tuple(reference("Pod", other) for other in guilty[:4])
    named = ", ".join(map(str, users)) or "other pods"
    whose = f"the anti-affinity of {named}"
    shape = "the anti-affinity of other pods"
    if code == "PodAntiAffinity":
        whose, shape = f"the pod's anti-affinity to {named}", "the pod's anti-affinity"
    text = f"{whose} keeps the pod off node {state.name}"
    return Fact(code, shape, text, path, (f"end {named}", f"{AGAIN} another {path}"), users)


def _terms(code: str, pod: Object, other: Object) -> list[Object]:
    return required_terms(other if code == "AntiAffinityOfOtherPods" else pod, "podAntiAffinity")


def _shares_domain(one: NodeState, other: NodeState, terms: Iterable[Object]) -> bool:
    labels, others = (state.node["metadata"].get("labels") or {} for state in (one, other))
    return any(
        term["topologyKey"] in labels and labels[term["topologyKey"]] == others.get(term["topologyKey"])
        for term in terms
    )


def _selects(term: Object, pod: Object) -> bool:
    compiled = label_selector.of_object(term.get("labelSelector"))
    return compiled is not None and compiled.matches(pod["metadata"].get("labels") or {})


def _term_text(term: Object) -> str:
    labels = (term.get("labelSelector") or {}).get("matchLabels") or {}
    wanted = ",".join(f"{key}={value}" for key, value in labels.items()) or "labelSelector"
    return f"{wanted} by {term['topologyKey']}"


def _spread(code: str, pod: Object, state: NodeState, labels: Mapping[str, str]) -> Fact:
    constraints = [
        one
        for one in pod["spec"].get("topologySpreadConstraints") or ()
        if one["whenUnsatisfiable"] == "DoNotSchedule"
    ]
    path = "spec.topologySpreadConstraints"
    keys = [one["topologyKey"] for one in constraints]
    if code == "TopologyLabelMissing":
        missing = next((key for key in keys if key not in labels), "")
        text = f"node {state.name} lacks the label {missing} of a topology spread constraint"
        return Fact(code, f"no label {missing}", text, path, (f"label node {state.name} with {missing}",))
    named = ", ".join(f"{one['topologyKey']} (maxSkew {one['maxSkew']})" for one in constraints)
    text = f"the pod on node {state.name} would exceed the topology spread {named}"
    return Fact(
        code,
        f"topology spread {named} would be exceeded",
        text,
        path,
        (f"{AGAIN} a larger maxSkew in {path}",),
    )
