"""How much of a capacity a claim may ask for: the request policy of a device that is shared.

Follows `validateRequestPolicy` of k8s.io/kubernetes `pkg/apis/resource/validation` from 1.34. A step of zero,
by which kube-apiserver of 1.34 to 1.36 divides and panics, is refused in the words of 1.37.
"""

from fakeapi.machinery.field_errors import FieldError, forbidden, invalid, required
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import quantity
from fakeapi.registry.groups.resource_k8s_io.validation.collections import validate_set
from fakeapi.releases.rules import ReleaseRules

_TWO_POLICIES = (
    'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time'
)


def validate_capacity(
    capacity: Object, path: str, rules: ReleaseRules, *, is_shared: bool
) -> list[FieldError]:
    """Errors of a capacity; only those of a device with multiple allocations have a policy."""
    if "requestPolicy" not in capacity:
        return []
    path = f"{path}.requestPolicy"
    if not is_shared:
        return [forbidden(path, "allowMultipleAllocations must be true")]
    policy = capacity["requestPolicy"]
    if policy.get("validValues") and "validRange" in policy:
        return [forbidden(path, _TWO_POLICIES)]
    for name, validate in (("validValues", _validate_values), ("validRange", _validate_range)):
        if policy.get(name) is None or policy[name] == []:
            continue
        if policy.get("default") is None:
            return [required(f"{path}.default", f"required when {name} is defined")]
        return validate(policy, capacity["value"], path, rules)
    return []


def _validate_values(policy: Object, most: str, path: str, rules: ReleaseRules) -> list[FieldError]:
    values: list[str] = policy["validValues"]
    path = f"{path}.validValues"
    errors = [
        invalid(f"{path}[{index}]", value, "values must be sorted in ascending order")
        for index, value in enumerate(values)
        if index and quantity.compare(values[index - 1], value) > 0
    ]
    is_default_among = False

    def validate(value: str, place: str) -> list[FieldError]:
        nonlocal is_default_among
        is_default_among |= quantity.compare(value, policy["default"]) == 0
        if quantity.compare(value, most) > 0:
            return [invalid(place, value, f"option is larger than capacity value: {most}")]
        return []

    limit = rules.limits.discrete_capacity_values
    errors += validate_set(values, path, limit, validate, rules, key=_whole_text)
    if not is_default_among:
        problem = "default value is not valid according to the requestPolicy"
        errors.append(invalid(path, policy["default"], problem))
    return errors


def _whole_text(value: str) -> str:
    return str(quantity.whole(value))


def _validate_range(policy: Object, most: str, path: str, rules: ReleaseRules) -> list[FieldError]:
    path = f"{path}.validRange"
    default, bounds = policy["default"], policy["validRange"]
    least = bounds.get("min")
    if least is None:
        return [required(f"{path}.min", "required when validRange is defined")]
    errors: list[FieldError] = []
    if quantity.compare(least, most) > 0:
        errors.append(invalid(f"{path}.min", least, f"min is larger than capacity value: {most}"))
    if quantity.compare(default, least) < 0:
        errors.append(invalid(f"{path}.min", default, f"default is less than min: {least}"))
    if "max" in bounds:
        errors += _validate_max(bounds["max"], least, default, most, f"{path}.max")
    if "step" in bounds:
        values = [default, bounds["max"]] if "max" in bounds else [default]
        errors += _validate_step(bounds["step"], least, values, most, f"{path}.step")
    return errors


def _validate_max(bound: str, least: str, default: str, most: str, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    if quantity.compare(least, bound) > 0:
        errors.append(invalid(path, least, f"min is larger than max: {bound}"))
    if quantity.compare(bound, most) > 0:
        errors.append(invalid(path, bound, f"max is larger than capacity value: {most}"))
    if quantity.compare(default, bound) > 0:
        errors.append(invalid(path, default, f"default is more than max: {bound}"))
    return errors


def _validate_step(step: str, least: str, values: list[str], most: str, path: str) -> list[FieldError]:
    if quantity.whole(step) == 0:
        return [invalid(path, step, "must be greater than zero")]
    errors: list[FieldError] = []
    first = quantity.add(least, step)
    if quantity.compare(first, most) > 0:
        errors.append(invalid(path, step, f"one step {first} is larger than capacity value: {most}"))
    errors += [
        invalid(path, value, f"value is not a multiple of a given step ({step}) from ({least})")
        for value in values
        if (quantity.whole(value) - quantity.whole(least)) % quantity.whole(step)
    ]
    return errors
