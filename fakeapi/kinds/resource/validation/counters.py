"""Validates the counters that devices of a ResourceSlice share, and the amounts that each device consumes.

Follows k8s.io/kubernetes `pkg/apis/resource/validation` from 1.33.
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from fakeapi.kinds.common.invalid_texts import validate_dns_label
from fakeapi.kinds.resource.validation.collections import validate_map, validate_set
from fakeapi.machinery.field_errors import FieldError, invalid, required
from fakeapi.machinery.json_types import Object
from fakeapi.releases.rules import ReleaseRules

Counters: TypeAlias = Mapping[str, frozenset[str]]
"""Maps the names of a slice's counter sets to the names of their counters."""

_NAME_SHOWN = 63
"""Maximum length of a counter's name in a field path, in bytes."""


def counters_of(sets: Sequence[Object] | None) -> Counters:
    return {counter_set["name"]: frozenset(counter_set.get("counters", ())) for counter_set in sets or ()}


def validate_counter_sets(sets: Sequence[Object] | None, path: str, rules: ReleaseRules) -> list[FieldError]:
    """Validates `sharedCounters`, the counter sets of a slice."""
    return validate_set(
        sets,
        path,
        rules.limits.counter_sets if rules.quirks.counter_sets_stand_alone else None,
        lambda counter_set, place: _validate_counter_set(counter_set, place, rules),
        rules,
        key=lambda counter_set: str(counter_set["name"]),
        key_field="name",
    )


def _validate_counter_set(each: Object, path: str, rules: ReleaseRules) -> list[FieldError]:
    name = each["name"]
    errors = validate_dns_label(name, f"{path}.name") if name else [required(f"{path}.name")]
    return errors + _validate_counters(each, path, rules.limits.counters_of_a_set, rules)


def _validate_counters(holder: Object, path: str, most: int, rules: ReleaseRules) -> list[FieldError]:
    if not holder.get("counters"):
        return [required(f"{path}.counters")]
    return validate_map(
        holder["counters"],
        f"{path}.counters",
        validate_dns_label,
        lambda counter, place: [],
        key_shown=_NAME_SHOWN,
        rules=rules,
        most=most if rules.quirks.counter_sets_stand_alone else None,
    )


def validate_consumption(
    consumed: Sequence[Object] | None, path: str, known: Counters, rules: ReleaseRules
) -> list[FieldError]:
    """Validates the `consumesCounters` of a device.

    - `consumed`: the field `consumesCounters`; None is valid
    - `path`: the path of the device
    - `known`: the counters of the slice. Up to 1.34 the device may only consume these counters.
    """
    place = f"{path}.consumesCounters"
    stand_alone = rules.quirks.counter_sets_stand_alone
    errors = validate_set(
        consumed,
        place,
        rules.limits.counter_consumptions_of_a_device if stand_alone else None,
        lambda consumption, here: _validate_consumed(consumption, here, rules),
        rules,
        key=lambda consumption: str(consumption["counterSet"]),
        key_field="counterSet",
    )
    if stand_alone:
        return errors
    number, most = _number_of(consumed), rules.limits.device_counters
    if number > most:
        errors.append(invalid(path, number, f"the total number of counters must not exceed {most}"))
    for index, entry in enumerate(consumed or ()):
        errors += _validate_known(entry, f"{place}[{index}]", known)
    return errors


def _validate_consumed(each: Object, path: str, rules: ReleaseRules) -> list[FieldError]:
    place = f"{path}.counterSet"
    errors: list[FieldError] = []
    if not each["counterSet"]:
        errors.append(required(place))
    elif rules.quirks.counter_sets_stand_alone:
        errors += validate_dns_label(each["counterSet"], place)
    return errors + _validate_counters(each, path, rules.limits.counters_of_a_consumption, rules)


def _validate_known(each: Object, path: str, known: Counters) -> list[FieldError]:
    if each["counterSet"] not in known:
        problem = "must reference a counterSet defined in the ResourceSlice sharedCounters"
        return [invalid(f"{path}.counterSet", each["counterSet"], problem)]
    return [
        invalid(
            f"{path}.counters", name, "must reference a counter defined in the ResourceSlice sharedCounters"
        )
        for name in each.get("counters") or ()
        if name not in known[each["counterSet"]]
    ]


def validate_number_of_counters(spec: Object, path: str, rules: ReleaseRules) -> list[FieldError]:
    """Validates the number of shared counters of a slice, and the total number that its devices consume."""
    limits = rules.limits
    taken = sum(_number_of(device.get("consumesCounters")) for device in spec.get("devices") or ())
    shared = _number_of(spec.get("sharedCounters"))
    errors: list[FieldError] = []
    if taken > limits.slice_device_counters:
        most = limits.slice_device_counters
        problem = f"the total number of counters in devices must not exceed {most}"
        errors.append(invalid(f"{path}.devices", taken, problem))
    if shared > limits.shared_counters:
        problem = f"the total number of shared counters must not exceed {limits.shared_counters}"
        errors.append(invalid(f"{path}.sharedCounters", shared, problem))
    return errors


def _number_of(holders: Sequence[Object] | None) -> int:
    return sum(len(holder.get("counters") or ()) for holder in holders or ())
