"""Matches labels by metav1.LabelSelector, and formats selectors for tables.

Follows `LabelSelectorAsSelector` and `FormatLabelSelector` of k8s.io/apimachinery
`pkg/apis/meta/v1/helpers.go`.
"""

from collections.abc import Mapping
from typing import Any

from fakeapi.machinery.errors import bad_request
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.meta.label_selector import Operator, Requirement, Selector
from fakeapi.machinery.meta.names import is_qualified_name, is_valid_label_value

LabelSelector = Mapping[str, Any]
"""A metav1.LabelSelector in canonical form."""

_OPERATORS = {
    "In": Operator.IN,
    "NotIn": Operator.NOT_IN,
    "Exists": Operator.EXISTS,
    "DoesNotExist": Operator.DOES_NOT_EXIST,
}


class InvalidSelector(ValueError):
    """Raised for an invalid label selector, which cannot be compiled."""


def is_empty(selector: LabelSelector) -> bool:
    """Whether a label selector has no requirements. An empty selector matches everything."""
    return not selector.get("matchLabels") and not selector.get("matchExpressions")


def compiled(selector: LabelSelector | None) -> Selector | None:
    """Compiles a label selector. Returns None for the selector None, which matches no objects.

    Raises InvalidSelector if the selector is invalid.
    """
    if selector is None:
        return None
    labels = selector.get("matchLabels") or {}
    requirements = [_requirement(key, Operator.EQUALS, (value,)) for key, value in labels.items()]
    for expression in selector.get("matchExpressions") or ():
        operator = _OPERATORS.get(expression.get("operator", ""))
        if operator is None:
            text = quote(expression.get("operator", ""))
            raise InvalidSelector(f"{text} is not a valid label selector operator")
        values = tuple(sorted(set(expression.get("values") or ())))
        requirements.append(_requirement(expression.get("key", ""), operator, values))
    return Selector(tuple(sorted(requirements, key=lambda requirement: requirement.key)))


def selects(selector: Selector | None, labels: Mapping[str, str]) -> bool:
    """Whether a compiled selector matches the labels. None matches no labels."""
    return selector is not None and selector.matches(labels)


def _requirement(key: str, operator: Operator, values: tuple[str, ...]) -> Requirement:
    wants_values = operator in (Operator.IN, Operator.NOT_IN, Operator.EQUALS)
    if is_qualified_name(key) or wants_values != bool(values) or any(map(is_valid_label_value, values)):
        raise InvalidSelector(key)
    return Requirement(key, operator, values)


def formatted(selector: LabelSelector | None) -> str:
    """Formats a label selector like kubectl; `<error>` for an invalid and `<none>` for an empty selector."""
    try:
        parsed = compiled(selector)
    except InvalidSelector:
        return "<error>"
    return str(parsed or "") or "<none>"


def scale_selector(obj: Mapping[str, Any]) -> str:
    """Returns the label selector of a workload as text, for the Scale of the workload.

    Raises ApiError 400 for an invalid selector.
    """
    try:
        return str(compiled(obj["spec"].get("selector")) or "")
    except InvalidSelector as error:
        raise bad_request(str(error)) from None
