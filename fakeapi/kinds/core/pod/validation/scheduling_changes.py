"""Validates changes of node selector and node affinity of a pod with scheduling gates.

Follows `validateNodeSelectorMutation` and `validateNodeAffinityMutation` of k8s.io/kubernetes
`pkg/apis/core/validation`.
"""

from typing import Any

from fakeapi.kinds.common.printing.texts import printed_string_map
from fakeapi.kinds.common.printing.values import printed_field, printed_struct
from fakeapi.kinds.core.pod.validation.affinity import REQUIRED
from fakeapi.kinds.core.pod.validation.checks import PodChecks
from fakeapi.machinery.field_errors import FieldError, invalid
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.semantic_equality import semantically_equal


def with_old_placement(spec: Object, before: Object, checks: PodChecks) -> tuple[Object, list[FieldError]]:
    """Returns the spec with the stored node selector and node affinity, and the errors of their changes.

    `before`: the stored spec.
    """
    restored, errors = dict(spec), list[FieldError]()
    selector, stored = spec.get("nodeSelector") or {}, before.get("nodeSelector") or {}
    if selector != stored:
        if any(selector.get(key) != value for key, value in stored.items()):
            rule = "only additions to spec.nodeSelector are allowed (no mutations or deletions)"
            errors.append(invalid("spec.nodeSelector", printed_string_map(selector, checks.wording), rule))
        _put(restored, "nodeSelector", before.get("nodeSelector"))
    nodes, stored_nodes = _node_affinity(spec), _node_affinity(before)
    if not semantically_equal(nodes, stored_nodes):
        errors += _affinity_errors(nodes, stored_nodes, checks)
        _put(restored, "affinity", _with_old_nodes(spec.get("affinity"), before.get("affinity")))
    return {name: restored[name] for name in {**before, **restored} if name in restored}, errors


def _affinity_errors(new: Object | None, old: Object | None, checks: PodChecks) -> list[FieldError]:
    path = f"spec.affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms"
    stored: list[Object] = ((old or {}).get(REQUIRED) or {}).get("nodeSelectorTerms") or []
    terms: list[Object] = ((new or {}).get(REQUIRED) or {}).get("nodeSelectorTerms") or []
    if stored and len(stored) != len(terms):
        rule = "no additions/deletions to non-empty NodeSelectorTerms list are allowed"
        return [
            invalid(
                path,
                printed_field(terms or None, "core/v1.NodeSelector", "nodeSelectorTerms", checks.rules),
                rule,
            )
        ]
    rule = "only additions are allowed (no mutations or deletions)"
    return [
        invalid(f"{path}[{index}]", printed_struct(term, "core/v1.NodeSelectorTerm", checks.rules), rule)
        for index, (term, before) in enumerate(zip(terms, stored, strict=False))
        if not _only_adds(term, before)
    ]


def _only_adds(new: Object, old: Object) -> bool:
    parts = ("matchExpressions", "matchFields")
    if not any(old.get(name) for name in parts):
        return not any(new.get(name) for name in parts)
    return all((new.get(name) or [])[: len(old.get(name) or [])] == (old.get(name) or []) for name in parts)


def _node_affinity(spec: Object) -> Object | None:
    node_affinity: Object | None = (spec.get("affinity") or {}).get("nodeAffinity")
    return node_affinity


def _with_old_nodes(new: Object | None, old: Object | None) -> Object | None:
    """Returns the new affinity with the stored node affinity; None if the result is empty."""
    stored = (old or {}).get("nodeAffinity")
    if new is None:
        return None if stored is None else {"nodeAffinity": stored}
    rest = {name: value for name, value in new.items() if name != "nodeAffinity"}
    if old is None and not rest:
        return None
    return rest if stored is None else {"nodeAffinity": stored, **rest}


def _put(spec: Object, name: str, value: Any) -> None:
    spec.pop(name, None)
    if value is not None:
        spec[name] = value
