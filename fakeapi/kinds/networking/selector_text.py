"""Formats label selectors like `kubectl get` prints them.

Follows `FormatLabelSelector` of k8s.io/apimachinery `pkg/apis/meta/v1`.
"""

from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.label_selector import Operator, Requirement, Selector
from fakeapi.machinery.meta.names import is_qualified_name, is_valid_label_value

_OPERATORS = {
    "In": Operator.IN,
    "NotIn": Operator.NOT_IN,
    "Exists": Operator.EXISTS,
    "DoesNotExist": Operator.DOES_NOT_EXIST,
}


def selector_text(selector: Object | None) -> str:
    """Formats a label selector, sorted by key.

    Returns `<none>` without requirements, and `<error>` for an invalid selector.
    """
    fields = selector or {}
    labels: dict[str, str] = fields.get("matchLabels") or {}
    requirements = [Requirement(key, Operator.EQUALS, (value,)) for key, value in labels.items()]
    for expression in fields.get("matchExpressions") or ():
        operator = _OPERATORS.get(expression.get("operator", ""))
        if operator is None:
            return "<error>"
        values = tuple(sorted(set(expression.get("values") or ())))
        requirements.append(Requirement(expression.get("key", ""), operator, values))
    if not all(map(_is_possible, requirements)):
        return "<error>"
    return str(Selector(tuple(sorted(requirements, key=lambda requirement: requirement.key)))) or "<none>"


def _is_possible(requirement: Requirement) -> bool:
    if is_qualified_name(requirement.key) or any(map(is_valid_label_value, requirement.values)):
        return False
    needs_values = requirement.operator in (Operator.IN, Operator.NOT_IN, Operator.EQUALS)
    return bool(requirement.values) == needs_values
