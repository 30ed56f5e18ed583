"""Validates the fields of `metav1.Condition`.

Follows `ValidateConditions` of k8s.io/apimachinery `pkg/apis/meta/v1/validation`.
"""

import re
from collections.abc import Sequence
from typing import Any

from fakeapi.machinery.field_errors import FieldError, duplicate, invalid, not_supported, required, too_long
from fakeapi.machinery.meta import names
from fakeapi.releases.rules import ReleaseRules

REASON_MAX_LENGTH = 1024
MESSAGE_MAX_LENGTH = 32 * 1024

STATUSES = ("False", "True", "Unknown")

_REASON = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?"
_is_reason = re.compile(_REASON).fullmatch
_REASON_ERROR = names.regex_error(
    "a condition reason must start with alphabetic character, optionally followed by a string of "
    "alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
    _REASON,
    "my_name",
    "MY_NAME",
    "MyName",
    "ReasonA,ReasonB",
    "ReasonA:ReasonB",
)


def validate_conditions(
    conditions: Sequence[dict[str, Any]], path: str, rules: ReleaseRules
) -> list[FieldError]:
    """Validates a list of conditions. Each type may occur only once."""
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, condition in enumerate(conditions):
        place = f"{path}[{index}]"
        if condition["type"] in seen:
            named = f"{place}.type" if rules.quirks.condition_duplicates_name_the_type else place
            errors.append(duplicate(named, condition["type"]))
        seen.add(condition["type"])
        errors += _validate_condition(condition, place, rules)
    return errors


def _validate_condition(condition: dict[str, Any], path: str, rules: ReleaseRules) -> list[FieldError]:
    kind, reason = condition["type"], condition["reason"]
    is_required = rules.quirks.wording.required_where_empty
    if not kind and is_required:
        errors = [required(f"{path}.type", "is required")]
    else:
        errors = [
            invalid(f"{path}.type", kind, message)
            for message in names.is_qualified_name(kind, rules.quirks.wording.length_unit)
        ]
    if not condition["status"] and is_required:
        errors.append(required(f"{path}.status"))
    elif condition["status"] not in STATUSES:
        errors.append(not_supported(f"{path}.status", condition["status"], STATUSES))
    if condition.get("observedGeneration", 0) < 0:
        generation = condition["observedGeneration"]
        errors.append(
            invalid(f"{path}.observedGeneration", generation, "must be greater than or equal to zero")
        )
    if not condition["lastTransitionTime"]:
        errors.append(required(f"{path}.lastTransitionTime", rules.quirks.condition_field_required))
    if not reason:
        errors.append(required(f"{path}.reason", rules.quirks.condition_field_required))
    else:
        errors += validate_condition_reason(reason, f"{path}.reason")
    if names.byte_length(reason) > REASON_MAX_LENGTH:
        errors.append(too_long(f"{path}.reason", REASON_MAX_LENGTH, rules.quirks.too_long))
    if names.byte_length(condition["message"]) > MESSAGE_MAX_LENGTH:
        errors.append(too_long(f"{path}.message", MESSAGE_MAX_LENGTH, rules.quirks.too_long))
    return errors


def validate_condition_reason(reason: str, path: str) -> list[FieldError]:
    """Returns an error if a string is not a valid condition reason, such as `MyReason`."""
    return [] if _is_reason(reason) else [invalid(path, reason, _REASON_ERROR)]
