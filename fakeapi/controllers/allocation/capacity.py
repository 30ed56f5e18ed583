"""Consumable capacity: how much of a shared device a request consumes, and whether enough is left.

Follows the consumable capacity in k8s.io/dynamic-resource-allocation `structured/internal`, since 1.34.
"""

from collections.abc import Mapping

from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import quantity


def consumed(requests: Mapping[str, str], capacity: Mapping[str, Object]) -> dict[str, str]:
    """Returns the amount of each capacity that a request consumes.

    Rounds up as the device's request policies demand. For a capacity without a requested amount, the amount
    is the policy's default, or the whole capacity.
    """
    return {name: _consumed(requests.get(name), spec) for name, spec in capacity.items()}


def fits(
    requests: Mapping[str, str],
    capacity: Mapping[str, Object],
    taken: Mapping[str, str],
    taking: Mapping[str, str],
) -> bool:
    """Whether a device has enough capacity left for a request, and its request policies allow the request.

    - `requests`: the requested amount of each capacity.
    - `capacity`: the capacities of the device, by name.
    - `taken`: the amounts that other claims consume.
    - `taking`: the amounts that the current search has allocated.
    """
    if not requests.keys() <= capacity.keys():
        return False
    for name, spec in capacity.items():
        needed = _consumed(requests.get(name), spec)
        if _violates(needed, spec.get("requestPolicy") or {}):
            return False
        total = needed
        for other in (taken.get(name), taking.get(name)):
            total = total if other is None else quantity.add(total, other)
        if quantity.compare(total, spec["value"]) > 0:
            return False
    return True


def _consumed(wanted: str | None, capacity: Object) -> str:
    policy = capacity.get("requestPolicy") or {}
    if wanted is None:
        return str(policy.get("default", capacity["value"]))
    valid_range = policy.get("validRange") or {}
    if valid_range.get("min") is not None:
        return _rounded_up(wanted, valid_range)
    for value in policy.get("validValues") or ():
        if quantity.compare(wanted, value) <= 0:
            return str(value)
    return wanted


def _rounded_up(wanted: str, valid_range: Object) -> str:
    least = valid_range["min"]
    if quantity.compare(wanted, least) < 0:
        return str(least)
    if valid_range.get("step") is None:
        return wanted
    start, step = quantity.whole(least), quantity.whole(valid_range["step"])
    steps = -((start - quantity.whole(wanted)) // step)
    return quantity.canonical_binary(start + step * steps)


def _violates(wanted: str, policy: Object) -> bool:
    if policy.get("default") == wanted:
        return False
    if valid_range := policy.get("validRange"):
        if valid_range.get("max") is not None and quantity.compare(wanted, valid_range["max"]) > 0:
            return True
        if valid_range.get("step") is None:
            return False
        start = quantity.whole(valid_range["min"])
        return (quantity.whole(wanted) - start) % quantity.whole(valid_range["step"]) != 0
    values = policy.get("validValues") or ()
    return bool(values) and all(quantity.compare(wanted, value) for value in values)


def total(one: Mapping[str, str], other: Mapping[str, str]) -> dict[str, str]:
    """Adds two mappings of amounts: returns the sum of the amounts for each name."""
    sums = dict(one)
    for name, amount in other.items():
        sums[name] = quantity.add(sums[name], amount) if name in sums else amount
    return sums
