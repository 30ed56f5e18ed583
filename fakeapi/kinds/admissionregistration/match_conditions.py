"""Validates match conditions: CEL expressions that limit webhooks and policies to some requests.

Follows k8s.io/kubernetes `pkg/apis/admissionregistration/validation`.
"""

from collections.abc import Sequence
from typing import Any

from fakeapi.kinds.admissionregistration.expressions import compiled, expression_errors
from fakeapi.machinery.cel.admission import CONDITION, Declared
from fakeapi.machinery.field_errors import FieldError, duplicate, invalid, required, too_many
from fakeapi.machinery.meta.names import is_qualified_name
from fakeapi.releases.rules import ReleaseRules

CONDITIONS_MAX = 64


def validate_match_conditions(
    conditions: Sequence[dict[str, Any]], path: str, rules: ReleaseRules, *, params: bool = False
) -> list[FieldError]:
    """Validates match conditions. The names of the conditions must be unique.

    `params`: whether expressions may use the variable `params`
    """
    errors: list[FieldError] = []
    if len(conditions) > CONDITIONS_MAX:
        errors.append(too_many(path, len(conditions), CONDITIONS_MAX))
    seen: set[str] = set()
    for index, condition in enumerate(conditions):
        place, name = f"{path}[{index}]", condition["name"]
        errors += _condition_errors(condition, place, rules, params=params)
        if name and name in seen:
            errors.append(duplicate(f"{place}.name", name))
        seen.add(name)
    return errors


def _condition_errors(
    condition: dict[str, Any], path: str, rules: ReleaseRules, *, params: bool
) -> list[FieldError]:
    text, name = condition["expression"].strip(), condition["name"]
    if text:
        verdict = compiled(text, Declared(params=params), CONDITION, rules)
        errors = expression_errors(verdict, text, f"{path}.expression")
    else:
        errors = [required(f"{path}.expression")]
    if not name:
        return [*errors, required(f"{path}.name")]
    unit = rules.quirks.wording.length_unit
    return errors + [invalid(f"{path}.name", name, why) for why in is_qualified_name(name, unit)]
