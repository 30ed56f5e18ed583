"""Explains why the labels of a node do not suit the nodeSelector or the node affinity of a pod."""

from collections.abc import Iterator, Mapping, Sequence

from fakeapi.controllers.allocation.nodes import is_met
from fakeapi.controllers.scheduler.node_filters import Wants
from fakeapi.controllers.scheduler.node_state import NodeState
from fakeapi.explaining.node_offers import Fact, Offer, of_label, recreated
from fakeapi.machinery.json_types import Object

_PATH = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"


def affinity_facts(wants: Wants, state: NodeState) -> Iterator[Fact]:
    """Yields one fact: about the nodeSelector if the node does not match it, otherwise about the node
    affinity.
    """
    labels: Mapping[str, str] = state.node["metadata"].get("labels") or {}
    selector: Mapping[str, str] = wants.pod["spec"].get("nodeSelector") or {}
    differing = [key for key, value in selector.items() if labels.get(key) != value]
    if differing:
        yield _selector_fact(wants.pod, state, selector, differing)
        return
    affinity = (wants.pod["spec"].get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or {}
    unmet = [_unmet(term, state.node) for term in required.get("nodeSelectorTerms") or ()]
    shape = "; or ".join(text for text, _ in unmet) or "no terms"
    values = "; ".join(value for _, value in unmet)
    yield Fact(
        "NodeAffinity",
        f"no match for node affinity {shape}",
        f"node affinity wants {shape}, node {state.name} has {values}",
        _PATH,
        tuple(_affinity_offers(wants.pod, state, required.get("nodeSelectorTerms") or ())),
        wants=f"node affinity wants {shape}",
        has=values,
    )


def _selector_fact(pod: Object, state: NodeState, selector: Mapping[str, str], differing: list[str]) -> Fact:
    """Returns the fact that a node lacks labels of the nodeSelector.

    `differing`: the keys of these labels.
    """
    labels: Mapping[str, str] = state.node["metadata"].get("labels") or {}
    key = differing[0]
    value = selector[key]
    has = f"{key}={labels[key]}" if key in labels else "no such label"
    present = [one for one in differing if one in labels]
    absent = [one for one in differing if one not in labels]
    changed = {name: labels.get(name, "") for name in selector if name not in absent}
    wanted = [f"{one}={labels[one]} instead of {one}={selector[one]}" for one in present]
    dropped = [f"no {one}" for one in absent]
    what = f"{', '.join([*wanted, *dropped])} in spec.nodeSelector"
    new_value = f"{key}={labels[key]}" if differing == present == [key] else ""
    again = recreated(
        pod, what, "spec.nodeSelector", lambda: {**pod["spec"], "nodeSelector": changed}, new_value
    )
    return Fact(
        "NodeSelector",
        f"no match for nodeSelector {key}={value}",
        f"nodeSelector wants {key}={value}, node {state.name} has {has}",
        "spec.nodeSelector",
        (of_label(pod, state, key, value), again),
        wants=f"nodeSelector wants {key}={value}",
        has=has,
    )


def _affinity_offers(pod: Object, state: NodeState, terms: Sequence[Object]) -> Iterator[Offer]:
    """Yields offers to label a node, and to create the pod again with a weaker node affinity.

    Reads only the matchExpressions of the first term. Offers a label only for the operator In.
    """
    labels: Mapping[str, str] = state.node["metadata"].get("labels") or {}
    affinity = pod["spec"].get("affinity") or {}
    expressions = (terms[0].get("matchExpressions") or ()) if terms else ()
    unmet = [one for one in expressions if not is_met(one, labels)]
    if not unmet:
        return
    first = unmet[0]
    key, values = first["key"], first.get("values") or ()
    if first["operator"] == "In" and values:
        yield of_label(pod, state, key, values[0])
    kept = [one for one in expressions if one not in unmet]
    rest = {**terms[0], "matchExpressions": kept}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [rest]}}
    is_empty = not kept and not rest.get("matchFields")
    node_affinity = {**affinity.get("nodeAffinity", {}), **required}
    if is_empty:
        del node_affinity["requiredDuringSchedulingIgnoredDuringExecution"]
    changed = {**affinity, "nodeAffinity": node_affinity}
    keys = ", ".join(dict.fromkeys(one["key"] for one in unmet))
    what = f"no requirement for {keys} in {_PATH}"
    if len(unmet) == 1 and first["operator"] == "In" and key in labels:
        what = f"{labels[key]} among the values of {key} in {_PATH}"
    yield recreated(pod, what, _PATH, lambda: {**pod["spec"], "affinity": changed})


def _unmet(term: Object, node: Object) -> tuple[str, str]:
    """Returns the first requirement of a node selector term that a node fails, and the node's value.

    Both are texts. A term without requirements also fails, and gives "an empty term".
    """
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
