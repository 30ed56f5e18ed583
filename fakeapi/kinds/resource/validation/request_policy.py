"""Validates request policies: the amounts of a capacity that a claim may request from a shared device.

Follows `validateRequestPolicy` of k8s.io/kubernetes `pkg/apis/resource/validation` from 1.34. For a step of
zero kube-apiserver 1.34 to 1.36 panics with a division by zero; fakeapi returns the error of 1.37.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from fakeapi.kinds.resource import gates
from fakeapi.kinds.resource.validation.collections import validate_set
from fakeapi.machinery.field_errors import FieldError, forbidden, invalid, required
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import quantity
from fakeapi.releases.rules import ReleaseRules

_INT64_MAX: Final = (1 << 63) - 1
_TWO_POLICIES = (
    'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time'
)


def validate_capacity(
    capacity: Object, path: str, rules: ReleaseRules, *, is_shared: bool
) -> list[FieldError]:
    """Validates the request policy of a capacity.

    `is_shared`: whether the device has `allowMultipleAllocations`; a request policy requires it
    """
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
    key = _exact_text if rules.gates.enabled(gates.FRACTIONAL_RANGES) else _whole_text
    errors += validate_set(values, path, limit, validate, rules, key=key)
    if not is_default_among:
        problem = "default value is not valid according to the requestPolicy"
        errors.append(invalid(path, policy["default"], problem))
    return errors


def _whole_text(value: str) -> str:
    return str(quantity.whole(value))


def _exact_text(value: str) -> str:
    """Returns a quantity with all its digits. Upstream compares this text, so `1.0` differs from `1`."""
    return str(quantity.parse(value).amount)


def _validate_range(policy: Object, most: str, path: str, rules: ReleaseRules) -> list[FieldError]:
    path = f"{path}.validRange"
    default, bounds = policy["default"], policy["validRange"]
    least = bounds.get("min")
    if least is None:
        return [required(f"{path}.min", "required when validRange is defined")]
    errors: list[FieldError] = []
    if quantity.compare(least, most) > 0:
        errors.append(invalid(f"{path}.min", least, f"min is larger than capacity value: {most}"))
    is_own = rules.quirks.capacity_defaults_have_own_errors
    if quantity.compare(default, least) < 0:
        place = f"{path}.default" if is_own else f"{path}.min"
        errors.append(invalid(place, default, f"default is less than min: {least}"))
    if "max" in bounds:
        place = f"{path}.default" if is_own else f"{path}.max"
        errors += _validate_max(bounds["max"], least, default, most, f"{path}.max", place)
    named = {"default": default, **{name: bounds[name] for name in ("min", "max", "step") if name in bounds}}
    fractional = rules.gates.enabled(gates.FRACTIONAL_RANGES) and not all(
        map(quantity.is_whole, named.values())
    )
    if fractional and (beyond := _beyond_milli(named, path)):
        return errors + beyond
    if "step" in bounds:
        errors += _validate_step(named, most, path, fractional=fractional, rules=rules)
    return errors


def _validate_max(
    bound: str, least: str, default: str, most: str, path: str, default_path: str
) -> list[FieldError]:
    errors: list[FieldError] = []
    if quantity.compare(least, bound) > 0:
        errors.append(invalid(path, least, f"min is larger than max: {bound}"))
    if quantity.compare(bound, most) > 0:
        errors.append(invalid(path, bound, f"max is larger than capacity value: {most}"))
    if quantity.compare(default, bound) > 0:
        errors.append(invalid(default_path, default, f"default is more than max: {bound}"))
    return errors


def _beyond_milli(named: Mapping[str, str], path: str) -> list[FieldError]:
    return [
        invalid(f"{path}.{name}", value, "value cannot be represented as a milli value")
        for name, value in named.items()
        if quantity.milli(value) is None
    ]


def _beyond_int64(named: Mapping[str, str], path: str) -> Iterator[FieldError]:
    for name, value in named.items():
        if quantity.compare(value, "0") < 0:
            yield invalid(f"{path}.{name}", value, "must be greater than or equal to 0")
        elif quantity.compare(value, str(_INT64_MAX)) > 0:
            yield invalid(f"{path}.{name}", value, f"must not be larger than {_INT64_MAX}")


def _validate_step(
    named: Mapping[str, str], most: str, path: str, *, fractional: bool, rules: ReleaseRules
) -> list[FieldError]:
    """Validates the step of a range: `default` and `max` must be `min` plus a multiple of the step.

    - `named`: the quantities of `default`, `min`, `max` and `step`
    - `most`: the value of the capacity; `min` plus one step must not exceed this value
    - `fractional`: whether amounts are compared in thousandths; if false, amounts are rounded up to whole
      numbers
    """
    step, least, place = named["step"], named["min"], f"{path}.step"
    checks_bounds = rules.quirks.capacity_bounds_are_int64
    if quantity.compare(step, "0") <= 0 if checks_bounds else quantity.whole(step) == 0:
        return [invalid(place, step, "must be greater than zero")]
    errors: list[FieldError] = []
    first = quantity.add(least, step)
    if quantity.compare(first, most) > 0:
        errors.append(invalid(place, step, f"one step {first} is larger than capacity value: {most}"))
    if checks_bounds and not fractional and (beyond := list(_beyond_int64(named, path))):
        return errors + beyond
    amount = _milli if fractional else quantity.whole
    errors += [
        invalid(place, named[name], f"value is not a multiple of a given step ({step}) from ({least})")
        for name in ("default", "max")
        if name in named and (amount(named[name]) - amount(least)) % amount(step)
    ]
    return errors


def _milli(value: str) -> int:
    amount = quantity.milli(value)
    assert amount is not None, "checked before"
    return amount
