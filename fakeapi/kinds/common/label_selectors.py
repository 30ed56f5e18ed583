"""Validates meta/v1 LabelSelectors, and the requirements of label and field selectors.

Follows k8s.io/apimachinery `pkg/apis/meta/v1/validation`. Selectors must be in canonical form.
"""

from collections.abc import Sequence
from typing import Any

from fakeapi.machinery.field_errors import FieldError, forbidden, invalid, required
from fakeapi.machinery.meta.names import is_qualified_name, is_valid_label_value
from fakeapi.machinery.meta.object_meta import validate_labels
from fakeapi.machinery.meta.wording import Wording

_WITH_VALUES = ("In", "NotIn")
_WITHOUT_VALUES = ("Exists", "DoesNotExist")


def validate_label_selector(
    selector: dict[str, Any] | None, path: str, wording: Wording, *, checks_values: bool = True
) -> list[FieldError]:
    """Validates a label selector. None is valid.

    `checks_values`: whether values that are not valid label values are errors. Callers pass false for an
    update if the stored object already has such values.
    """
    if selector is None:
        return []
    errors = validate_labels(selector.get("matchLabels") or {}, f"{path}.matchLabels", wording)
    for index, requirement in enumerate(selector.get("matchExpressions") or ()):
        here = f"{path}.matchExpressions[{index}]"
        errors += validate_label_requirement(requirement, here, wording, checks_values=checks_values)
    return errors


def validate_label_requirement(
    requirement: dict[str, Any],
    path: str,
    wording: Wording,
    *,
    checks_values: bool = True,
    any_operator: bool = False,
) -> list[FieldError]:
    """Validates one requirement of a label selector.

    - `checks_values`: whether values that are not valid label values are errors
    - `any_operator`: whether unknown operators are valid
    """
    values: Sequence[str] = requirement.get("values") or ()
    errors = _operator_errors(requirement["operator"], values, path, any_operator=any_operator)
    key, unit = requirement["key"], wording.length_unit
    errors += [invalid(f"{path}.key", key, message) for message in is_qualified_name(key, unit)]
    if checks_values:
        errors += [
            invalid(f"{path}.values[{index}]", value, message)
            for index, value in enumerate(values)
            for message in is_valid_label_value(value, unit)
        ]
    return errors


def validate_field_requirement(requirement: dict[str, Any], path: str) -> list[FieldError]:
    """Validates one requirement of a field selector. Accepts unknown operators."""
    errors = [] if requirement["key"] else [required(f"{path}.key", "must be specified")]
    values: Sequence[str] = requirement.get("values") or ()
    return errors + _operator_errors(requirement["operator"], values, path, any_operator=True)


def has_invalid_value(selector: dict[str, Any] | None) -> bool:
    """Whether an expression of a label selector contains a string that is not a valid label value."""
    return any(
        is_valid_label_value(value)
        for requirement in (selector or {}).get("matchExpressions") or ()
        for value in requirement.get("values") or ()
    )


def _operator_errors(
    operator: str, values: Sequence[str], path: str, *, any_operator: bool
) -> list[FieldError]:
    if operator in _WITH_VALUES:
        rule = "must be specified when `operator` is 'In' or 'NotIn'"
        return [] if values else [required(f"{path}.values", rule)]
    if operator in _WITHOUT_VALUES:
        rule = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
        return [forbidden(f"{path}.values", rule)] if values else []
    return [] if any_operator else [invalid(f"{path}.operator", operator, "not a valid selector operator")]
