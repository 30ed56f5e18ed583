"""Validates core/v1 NodeSelectors in canonical form.

Follows k8s.io/kubernetes `pkg/apis/core/validation`.
"""

from collections.abc import Sequence
from typing import Any

from fakeapi.machinery.field_errors import FieldError, forbidden, invalid, required
from fakeapi.machinery.meta.names import is_qualified_name, is_valid_label_value, name_is_dns_subdomain

_NODE_NAME_FIELD = "metadata.name"


def validate_node_selector(
    selector: dict[str, Any], path: str, *, checks_values: bool = True, unit: str = "characters"
) -> list[FieldError]:
    """Validates a node selector.

    `checks_values`: whether the values of expressions must be valid label values; depends on the release.
    `unit`: the length unit in error messages: "characters" or "bytes".
    """
    terms = selector.get("nodeSelectorTerms") or ()
    if not terms:
        return [required(f"{path}.nodeSelectorTerms", "must have at least one node selector term")]
    errors: list[FieldError] = []
    for index, term in enumerate(terms):
        here = f"{path}.nodeSelectorTerms[{index}]"
        errors += validate_node_selector_term(term, here, checks_values=checks_values, unit=unit)
    return errors


def validate_node_selector_term(
    term: dict[str, Any], path: str, *, checks_values: bool = True, unit: str = "characters"
) -> list[FieldError]:
    """Validates one term of a node selector.

    `checks_values`: whether the values of expressions must be valid label values; depends on the release.
    `unit`: the length unit in error messages: "characters" or "bytes".
    """
    errors: list[FieldError] = []
    for position, expression in enumerate(term.get("matchExpressions") or ()):
        here = f"{path}.matchExpressions[{position}]"
        errors += _expression_errors(expression, here, unit, checks_values=checks_values)
    for position, field in enumerate(term.get("matchFields") or ()):
        errors += _field_errors(field, f"{path}.matchFields[{position}]")
    return errors


def _expression_errors(
    expression: dict[str, Any], path: str, unit: str, *, checks_values: bool
) -> list[FieldError]:
    values: Sequence[str] = expression.get("values") or ()
    key = expression["key"]
    errors = _operator_errors(expression["operator"], values, path)
    errors += [invalid(f"{path}.key", key, message) for message in is_qualified_name(key, unit)]
    if checks_values:
        errors += [
            invalid(f"{path}.values[{index}]", value, message)
            for index, value in enumerate(values)
            for message in is_valid_label_value(value, unit)
        ]
    return errors


def _operator_errors(operator: str, values: Sequence[str], path: str) -> list[FieldError]:
    match operator:
        case "In" | "NotIn" if not values:
            return [required(f"{path}.values", "must be specified when `operator` is 'In' or 'NotIn'")]
        case "Exists" | "DoesNotExist" if values:
            rule = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
            return [forbidden(f"{path}.values", rule)]
        case "Gt" | "Lt" if len(values) != 1:
            rule = "must be specified single value when `operator` is 'Lt' or 'Gt'"
            return [required(f"{path}.values", rule)]
        case "In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt":
            return []
        case _:
            return [invalid(f"{path}.operator", operator, "not a valid selector operator")]


def _field_errors(field: dict[str, Any], path: str) -> list[FieldError]:
    operator, key = field["operator"], field["key"]
    values: Sequence[str] = field.get("values") or ()
    errors: list[FieldError] = []
    if operator not in ("In", "NotIn"):
        errors.append(invalid(f"{path}.operator", operator, "not a valid selector operator"))
    elif len(values) != 1:
        rule = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
        errors.append(required(f"{path}.values", rule))
    if key != _NODE_NAME_FIELD:
        errors.append(invalid(f"{path}.key", key, "not a valid field selector key"))
        return errors
    errors += [
        invalid(f"{path}.values[{index}]", value, message)
        for index, value in enumerate(values)
        for message in name_is_dns_subdomain(value, False)
    ]
    return errors
