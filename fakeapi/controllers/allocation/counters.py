"""Shared counters of partitionable devices: the amounts left, and the amounts that a search consumes."""

from collections.abc import Hashable, Iterable, Iterator

from fakeapi.controllers.allocation.model import AllocatedState, Device, DeviceID, Pool, Slice
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import quantity
from fakeapi.releases.allocation_quirks import AllocationQuirks, CountersOf

_Amounts = dict[tuple[str, str], str]
"""The amount of each shared counter, by (counter set name, counter name)."""


class Counters:
    """Tracks the shared counters of all pools during one search for devices.

    Releases with `CountersOf.SLICE_ANEW` do not use this class; they call `enough_in_slice`.
    """

    def __init__(self, state: AllocatedState, quirks: AllocationQuirks) -> None:
        self._state = state
        self._of_slice = quirks.counters_of is CountersOf.SLICE
        self._is_held = (
            state.holds if quirks.shared_devices_in_use_hold_counters else state.devices.__contains__
        )
        self._left: dict[Hashable, _Amounts] = {}
        self._taking: dict[Hashable, _Amounts] = {}

    def take(self, device: Device) -> bool:
        """Consumes the counters of a device. Returns False, and consumes nothing, if too little is left."""
        left = self._left_for(device)
        taking = self._taking.setdefault(self._place(device), {})
        for key, amount in consumption(device.spec):
            taking[key] = quantity.add(taking.get(key, "0"), amount)
        if any(quantity.compare(left[key], taking.get(key, "0")) < 0 for key in left):
            self.give_back(device)
            return False
        return True

    def give_back(self, device: Device) -> None:
        taking = self._taking[self._place(device)]
        for key, amount in consumption(device.spec):
            taking[key] = quantity.subtract(taking[key], amount)

    def _place(self, device: Device) -> Hashable:
        return device.slice.name if self._of_slice else device.pool.id

    def _left_for(self, device: Device) -> _Amounts:
        place = self._place(device)
        known = self._left.get(place)
        if known is None:
            pool = device.pool
            if self._of_slice:
                slices, sets = [device.slice], counter_sets([device.slice])
            else:
                slices, sets = [*pool.slices, *pool.elsewhere], pool.counter_sets
            known = {
                (name, counter): amount
                for name, counters in sets.items()
                for counter, amount in counters.items()
            }
            for spec in self._used(slices, pool):
                for key, amount in consumption(spec):
                    if key in known:
                        known[key] = quantity.subtract(known[key], amount)
            self._left[place] = known
        return known

    def _used(self, slices: Iterable[Slice], pool: Pool) -> Iterator[Object]:
        for resource_slice in slices:
            for spec in resource_slice.spec.get("devices") or ():
                if self._is_held(DeviceID(*pool.id, spec["name"])):
                    yield spec


def counter_sets(slices: Iterable[Slice]) -> dict[str, dict[str, str]]:
    """Returns the values of shared counters in ResourceSlices, by counter set name, then by counter name."""
    return {
        counter_set["name"]: {
            name: counter["value"] for name, counter in (counter_set.get("counters") or {}).items()
        }
        for one in slices
        for counter_set in one.spec.get("sharedCounters") or ()
    }


def enough_in_slice(device: Device, in_use: Iterable[DeviceID]) -> bool:
    """Whether the shared counters of a ResourceSlice still suffice for a device, as calculated up to 1.33.

    `in_use`: the devices that already consume counters.
    """
    used = set(in_use)
    left = {
        (counter_set["name"], counter): value["value"]
        for counter_set in device.slice.spec.get("sharedCounters") or ()
        for counter, value in (counter_set.get("counters") or {}).items()
    }
    for spec in device.slice.spec.get("devices") or ():
        if DeviceID(device.id.driver, device.id.pool, spec["name"]) in used:
            for key, amount in consumption(spec):
                if key in left:
                    left[key] = quantity.subtract(left[key], amount)
    return all(
        key in left and quantity.compare(left[key], amount) >= 0 for key, amount in consumption(device.spec)
    )


def consumption(spec: Object) -> Iterator[tuple[tuple[str, str], str]]:
    """Yields the amounts that a device consumes, by (counter set name, counter name)."""
    for used in spec.get("consumesCounters") or ():
        for counter, value in (used.get("counters") or {}).items():
            yield (used["counterSet"], counter), value["value"]
