"""Tolerations of device taints: their default and their rules.

Follows k8s.io/kubernetes `pkg/apis/resource/validation` and `pkg/apis/resource/v1alpha3` of 1.33, the first
release that has them.
"""

from typing import Any

from fakeapi.machinery.field_errors import FieldError, invalid, not_supported, required
from fakeapi.machinery.meta import names

OPERATORS = ("Equal", "Exists")
EFFECTS = ("NoExecute", "NoSchedule")


def default_tolerations(tolerations: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The tolerations, each with an operator."""
    return [
        toleration if "operator" in toleration else _with_operator(toleration) for toleration in tolerations
    ]


def _with_operator(toleration: dict[str, Any]) -> dict[str, Any]:
    before = {"key": toleration["key"]} if "key" in toleration else {}
    return {**before, "operator": "Equal", **toleration}


def validate_tolerations(tolerations: list[dict[str, Any]], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, toleration in enumerate(tolerations):
        errors += _validate_toleration(toleration, f"{path}[{index}]")
    return errors


def _validate_toleration(toleration: dict[str, Any], path: str) -> list[FieldError]:
    key = toleration.get("key", "")
    value = toleration.get("value", "")
    effect = toleration.get("effect", "")
    errors: list[FieldError] = []
    if key:
        errors += [invalid(f"{path}.key", key, message) for message in names.is_qualified_name(key)]
    match toleration.get("operator", ""):
        case "Exists":
            if value:
                errors.append(invalid(f"{path}.value", value, "must be empty for operator `Exists`"))
        case "Equal":
            errors += [
                invalid(f"{path}.value", value, message) for message in names.is_valid_label_value(value)
            ]
        case "":
            errors.append(required(f"{path}.operator"))
        case operator:
            errors.append(not_supported(f"{path}.operator", operator, OPERATORS))
    if effect and effect not in EFFECTS:
        errors.append(not_supported(f"{path}.effect", effect, EFFECTS))
    return errors
