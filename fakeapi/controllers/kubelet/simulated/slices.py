"""Divides the devices of a pool into ResourceSlices, within the limits of the release."""

from collections.abc import Iterator, Sequence

from fakeapi.devices.model import DeviceError, PoolSpec
from fakeapi.kinds.resource.conversion.slices import SLICE_CONVERSIONS
from fakeapi.kinds.resource.gated_fields import RESOURCE_SLICE_FIELDS
from fakeapi.kinds.resource.validation.attributes import has_list_attribute
from fakeapi.kinds.resource.validation.slice_devices import validate_taints
from fakeapi.machinery.json_types import Object
from fakeapi.releases.rules import ReleaseRules


def parts_of(pool: PoolSpec, rules: ReleaseRules) -> list[Object]:
    """Returns the devices and shared counters of each slice of a pool.

    Since 1.35, counter sets are in slices of their own. In 1.33 and 1.34, a slice contains the counter sets
    of its devices. A pool without devices has one empty slice.
    """
    if not rules.quirks.counter_sets_stand_alone:
        return list(_combined(pool, rules)) or [{"devices": []}]
    counters = [{"sharedCounters": part} for part in _chunks(pool.counters, rules.limits.counter_sets)]
    is_large = any(
        device.get("taints") or device.get("consumesCounters") or has_list_attribute(device)
        for device in pool.devices
    )
    limits = rules.limits
    most = limits.devices_with_taints_or_counters if is_large else limits.slice_devices
    return [*counters, *({"devices": part} for part in _chunks(pool.devices, most))] or [{"devices": []}]


def _combined(pool: PoolSpec, rules: ReleaseRules) -> Iterator[Object]:
    most = rules.limits.slice_devices
    by_set: dict[str, list[Object]] = {counter_set["name"]: [] for counter_set in pool.counters}
    plain = []
    for device in pool.devices:
        consumed = device.get("consumesCounters") or ()
        if consumed:
            by_set.setdefault(consumed[0]["counterSet"], []).append(device)
        else:
            plain.append(device)
    for counter_set in pool.counters:
        for part in _chunks(by_set[counter_set["name"]], most):
            yield {"sharedCounters": [counter_set], "devices": part}
    for part in _chunks(plain, most):
        yield {"devices": part}


def _chunks(items: Sequence[Object], most: int) -> Iterator[list[Object]]:
    for start in range(0, len(items), most):
        yield list(items[start : start + most])


def check_gates(parts: Sequence[Object], rules: ReleaseRules) -> None:
    """Raises DeviceError if slices have fields whose feature gates are off.

    The server would drop these fields.
    """
    for part in parts:
        for gated in RESOURCE_SLICE_FIELDS:
            if gated.are_disabled(rules) and gated.are_in({"spec": part}):
                names = (gated.gate,) if isinstance(gated.gate, str) else gated.gate
                fields = ", ".join(path.rpartition(".")[2].rstrip("[]{}") for path in gated.paths)
                gates = " or ".join(name for name in names if name in rules.gates)
                if not gates:
                    raise DeviceError(f"its devices need {fields}, which the release does not have")
                raise DeviceError(f"its devices need {fields}: switch the feature gate {gates} on")


def check_taints(device: Object, rules: ReleaseRules) -> None:
    """Raises DeviceError if the release would drop or reject the taints of a device."""
    check_gates([{"devices": [device]}], rules)
    errors = validate_taints(device, device["name"], None, rules)
    if errors:
        raise DeviceError("; ".join(map(str, errors)))


def in_version(resource_slice: Object, version: str) -> Object:
    """Converts a slice from the layout of v1 to the layout of an API version."""
    conversion = SLICE_CONVERSIONS.get(version)
    return resource_slice if conversion is None else conversion.from_hub(resource_slice)
