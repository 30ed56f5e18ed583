"""Validates the binding conditions of a device, which allow or prevent the binding of a pod to a node.

Follows `validateDeviceBindingParameters` of k8s.io/kubernetes `pkg/apis/resource/validation` from 1.34.
"""

from collections.abc import Sequence

from fakeapi.kinds.common.printing.values import printed_plain
from fakeapi.kinds.resource.validation.collections import validate_items
from fakeapi.machinery.field_errors import FieldError, duplicate, invalid
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names
from fakeapi.releases.rules import ReleaseRules

_OVERLAP = "bindingFailureConditions must not overlap with bindingConditions"


def validate_binding_conditions(holder: Object, path: str, rules: ReleaseRules) -> list[FieldError]:
    """Validates the binding conditions of a device or of an allocation result.

    `path`: the path of the device or the result
    """
    binding_name, failure_name = "bindingConditions", "bindingFailureConditions"
    conditions, failures = holder.get(binding_name) or [], holder.get(failure_name) or []
    return [
        *_validate_names(conditions, f"{path}.{binding_name}", rules),
        *_validate_names(failures, f"{path}.{failure_name}", rules),
        *_validate_distinct(conditions, (), f"{path}.{binding_name}"),
        *_validate_distinct(failures, conditions, f"{path}.{failure_name}"),
        *_validate_both(holder, binding_name, failure_name, path, rules),
        *_validate_both(holder, failure_name, binding_name, path, rules),
    ]


def _validate_names(conditions: Sequence[str], path: str, rules: ReleaseRules) -> list[FieldError]:
    unit = rules.quirks.wording.length_unit

    def validate(name: str, place: str) -> list[FieldError]:
        return [invalid(place, name, message) for message in names.is_qualified_name(name, unit)]

    return validate_items(conditions, path, rules.limits.binding_conditions, validate, rules)


def _validate_distinct(conditions: Sequence[str], others: Sequence[str], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, condition in enumerate(conditions):
        if condition in conditions[:index]:
            errors.append(duplicate(f"{path}[{index}]", condition))
        if condition in others:
            errors.append(invalid(f"{path}[{index}]", condition, _OVERLAP))
    return errors


def _validate_both(
    holder: Object, missing: str, given: str, path: str, rules: ReleaseRules
) -> list[FieldError]:
    """Returns an error if `holder` has the list `given` but not the list `missing`.

    `holder`: the device or the allocation result, with the path `path`
    """
    if holder.get(missing) or not holder.get(given):
        return []
    bad_value = printed_plain(holder.get(missing), rules.quirks.wording)
    return [invalid(f"{path}.{missing}", bad_value, f"{missing} are required to use {given}")]
