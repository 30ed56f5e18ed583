"""Validates the topology spread constraints of pods.

Follows `validateTopologySpreadConstraints` of k8s.io/kubernetes `pkg/apis/core/validation`.
"""

from fakeapi.kinds.common.label_selectors import validate_label_selector
from fakeapi.kinds.common.numbers import validate_positive
from fakeapi.kinds.common.printing.values import printed_plain
from fakeapi.kinds.core.pod.validation.checks import Errors, PodChecks
from fakeapi.kinds.core.pod.validation.label_keys import (
    label_keys_errors,
    unmerged_label_keys_errors,
)
from fakeapi.machinery.field_errors import duplicate, invalid, not_supported, required
from fakeapi.machinery.json_types import Object

_ACTIONS = ("DoNotSchedule", "ScheduleAnyway")
_INCLUSIONS = ("Honor", "Ignore")


def topology_spread_errors(spec: Object, path: str, checks: PodChecks) -> Errors:
    """Validates the topology spread constraints of a pod. `path`: the path of the pod's spec."""
    constraints = spec.get("topologySpreadConstraints") or ()
    merged = _is_merged(checks)
    for index, constraint in enumerate(constraints):
        place = f"{path}.topologySpreadConstraints[{index}]"
        action, key = constraint.get("whenUnsatisfiable", ""), constraint.get("topologyKey", "")
        yield from validate_positive(constraint.get("maxSkew", 0), f"{place}.maxSkew")
        if not key:
            yield required(f"{place}.topologyKey", "can not be empty")
        if action not in _ACTIONS:
            yield not_supported(f"{place}.whenUnsatisfiable", printed_plain(action, checks.wording), _ACTIONS)
        if any(
            (other.get("topologyKey"), other.get("whenUnsatisfiable")) == (key, action)
            for other in constraints[index + 1 :]
        ):
            yield duplicate(f"{place}.{{topologyKey, whenUnsatisfiable}}", f"{{{key}, {action}}}")
        yield from _domain_errors(constraint, action, f"{place}.minDomains")
        for name in ("nodeAffinityPolicy", "nodeTaintsPolicy"):
            policy = constraint.get(name)
            if policy is not None and policy not in _INCLUSIONS:
                yield not_supported(f"{place}.{name}", printed_plain(policy, checks.wording), _INCLUSIONS)
        yield from _key_errors(constraint, place, checks, merged=merged)
        if not _has_invalid_selector(checks):
            selector = constraint.get("labelSelector")
            yield from validate_label_selector(selector, f"{place}.labelSelector", checks.wording)


def _domain_errors(constraint: Object, action: str, path: str) -> Errors:
    domains = constraint.get("minDomains")
    if domains is None:
        return
    yield from validate_positive(domains, path)
    if action != "DoNotSchedule":
        rule = f"can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}"
        yield invalid(path, domains, rule)


def _key_errors(constraint: Object, path: str, checks: PodChecks, *, merged: bool) -> Errors:
    keys, selector = constraint.get("matchLabelKeys") or (), constraint.get("labelSelector")
    if merged:
        yield from label_keys_errors(keys, (), selector, path, checks.wording)
    else:
        yield from unmerged_label_keys_errors(keys, selector, f"{path}.matchLabelKeys", checks.wording)


def _is_merged(checks: PodChecks) -> bool:
    """Whether to validate matchLabelKeys by the rules for keys that the server merges into label selectors.

    Always false up to 1.33, and while the gate MatchLabelKeysInPodTopologySpread is off. Otherwise, the gate
    MatchLabelKeysInPodTopologySpreadSelectorMerge selects the rules. If the label keys of the stored pod
    break the selected rules, the other rules apply.
    """
    if not checks.quirks.spread_keys_are_merged or not checks.enabled("MatchLabelKeysInPodTopologySpread"):
        return False
    by_gate = checks.enabled("MatchLabelKeysInPodTopologySpreadSelectorMerge")
    for constraint in checks.old.get("topologySpreadConstraints") or ():
        if next(_key_errors(constraint, "", checks, merged=by_gate), None) is not None:
            return not by_gate
    return by_gate


def _has_invalid_selector(checks: PodChecks) -> bool:
    return any(
        validate_label_selector(constraint.get("labelSelector"), "", checks.wording)
        for constraint in checks.old.get("topologySpreadConstraints") or ()
    )
