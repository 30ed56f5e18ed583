"""Validates the affinity of pods to nodes and to other pods.

Follows `validateAffinity` of k8s.io/kubernetes `pkg/apis/core/validation`.
"""

from collections.abc import Sequence

from fakeapi.kinds.common.invalid_texts import each_invalid, validate_qualified_name
from fakeapi.kinds.common.label_selectors import validate_label_selector
from fakeapi.kinds.core.pod.validation.checks import Errors, PodChecks
from fakeapi.kinds.core.pod.validation.label_keys import label_keys_errors
from fakeapi.machinery.field_errors import invalid, required
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names
from fakeapi.machinery.meta.node_selector import validate_node_selector, validate_node_selector_term

WEIGHT_MAX = 100
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def affinity_errors(spec: Object, path: str, checks: PodChecks) -> Errors:
    """Validates the node affinity, pod affinity and pod anti-affinity of a pod.

    `path`: the path of the pod's spec.
    """
    affinity = spec.get("affinity") or {}
    nodes, unit = affinity.get("nodeAffinity") or {}, checks.wording.length_unit
    if REQUIRED in nodes:
        checked = checks.quirks.node_affinity_values_are_checked and not _has_invalid_node_values(checks.old)
        place = f"{path}.affinity.nodeAffinity.{REQUIRED}"
        yield from validate_node_selector(nodes[REQUIRED], place, checks_values=checked, unit=unit)
    for index, term in enumerate(nodes.get(PREFERRED) or ()):
        place = f"{path}.affinity.nodeAffinity.{PREFERRED}[{index}]"
        yield from _weight_errors(term, place)
        preference = term.get("preference") or {}
        yield from validate_node_selector_term(
            preference, f"{place}.preference", checks_values=False, unit=unit
        )
    checked = not _has_invalid_selectors(checks)
    for name in ("podAffinity", "podAntiAffinity"):
        pods = affinity.get(name) or {}
        place = f"{path}.affinity.{name}"
        for index, term in enumerate(pods.get(REQUIRED) or ()):
            yield from _pod_term_errors(term, f"{place}.{REQUIRED}[{index}]", checks, checks_values=checked)
        for index, weighted in enumerate(pods.get(PREFERRED) or ()):
            here = f"{place}.{PREFERRED}[{index}]"
            yield from _weight_errors(weighted, here)
            term = weighted.get("podAffinityTerm") or {}
            yield from _pod_term_errors(term, f"{here}.podAffinityTerm", checks, checks_values=checked)


def _weight_errors(term: Object, path: str) -> Errors:
    weight = term.get("weight", 0)
    if not 0 < weight <= WEIGHT_MAX:
        yield invalid(f"{path}.weight", weight, "must be in the range 1-100")


def _pod_term_errors(term: Object, path: str, checks: PodChecks, *, checks_values: bool) -> Errors:
    yield from _selector_errors(term, path, checks, checks_values=checks_values)
    for name in term.get("namespaces") or ():
        yield from each_invalid(f"{path}.namespace", name, names.name_is_dns_label(name, False))
    keys, mismatched = term.get("matchLabelKeys") or (), term.get("mismatchLabelKeys") or ()
    yield from label_keys_errors(keys, mismatched, term.get("labelSelector"), path, checks.wording)
    key = term.get("topologyKey", "")
    if not key:
        yield required(f"{path}.topologyKey", "can not be empty")
    yield from validate_qualified_name(key, f"{path}.topologyKey", checks.wording)


def _selector_errors(term: Object, path: str, checks: PodChecks, *, checks_values: bool) -> Errors:
    for name in ("labelSelector", "namespaceSelector"):
        yield from validate_label_selector(
            term.get(name), f"{path}.{name}", checks.wording, checks_values=checks_values
        )


def _has_invalid_selectors(checks: PodChecks) -> bool:
    """Whether the stored pod has selectors that would be invalid in a new pod."""
    affinity = checks.old.get("affinity") or {}
    terms: list[Object] = []
    for name in ("podAffinity", "podAntiAffinity"):
        pods = affinity.get(name) or {}
        terms += pods.get(REQUIRED) or ()
        terms += [weighted.get("podAffinityTerm") or {} for weighted in pods.get(PREFERRED) or ()]
    return any(next(_selector_errors(term, "", checks, checks_values=True), None) for term in terms)


def _has_invalid_node_values(spec: Object) -> bool:
    nodes = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    terms: Sequence[Object] = (nodes.get(REQUIRED) or {}).get("nodeSelectorTerms") or ()
    return any(
        names.is_valid_label_value(value)
        for term in terms
        for expression in term.get("matchExpressions") or ()
        for value in expression.get("values") or ()
    )
