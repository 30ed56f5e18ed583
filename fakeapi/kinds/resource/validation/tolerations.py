"""Validates tolerations of device taints.

Follows k8s.io/kubernetes `pkg/apis/resource/validation` and `pkg/apis/resource/v1alpha3` of 1.33, the first
release with these tolerations.
"""

from typing import Any

from fakeapi.kinds.common.printing.values import printed_plain
from fakeapi.machinery.field_errors import FieldError, invalid, not_supported, required
from fakeapi.machinery.meta import names
from fakeapi.releases.rules import ReleaseRules

OPERATORS = ("Equal", "Exists")


def validate_tolerations(
    tolerations: list[dict[str, Any]], path: str, rules: ReleaseRules
) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, toleration in enumerate(tolerations):
        errors += _validate_toleration(toleration, f"{path}[{index}]", rules)
    return errors


def _validate_toleration(toleration: dict[str, Any], path: str, rules: ReleaseRules) -> list[FieldError]:
    key = toleration.get("key", "")
    value = toleration.get("value", "")
    effect = toleration.get("effect", "")
    errors: list[FieldError] = []
    unit = rules.quirks.wording.length_unit
    if key:
        errors += [invalid(f"{path}.key", key, message) for message in names.is_qualified_name(key, unit)]
    match toleration.get("operator", ""):
        case "Exists":
            if value:
                errors.append(invalid(f"{path}.value", value, "must be empty for operator `Exists`"))
        case "Equal":
            errors += [
                invalid(f"{path}.value", value, message)
                for message in names.is_valid_label_value(value, unit)
            ]
        case "":
            errors.append(required(f"{path}.operator"))
        case operator:
            errors.append(
                not_supported(f"{path}.operator", printed_plain(operator, rules.quirks.wording), OPERATORS)
            )
    effects = rules.quirks.taint_effects
    if effect and effect not in effects:
        errors.append(not_supported(f"{path}.effect", printed_plain(effect, rules.quirks.wording), effects))
    return errors
