"""Shared counters of partitionable devices: what is left of them, and what a search consumes."""

from collections.abc import Iterable, Iterator

from fakeapi.controllers.allocation.model import AllocatedState, Device, DeviceID, Pool, PoolID, Slice
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import quantity

_Amounts = dict[tuple[str, str], str]
"""Amounts by (counter set, counter)."""


class Counters:
    """Counters of all pools of one search, for releases whose counter sets belong to the pool, not to a slice
    (`counter_sets_of_pool`).
    """

    def __init__(self, state: AllocatedState) -> None:
        self._state = state
        self._left: dict[PoolID, _Amounts] = {}
        self._taking: dict[PoolID, _Amounts] = {}

    def take(self, device: Device) -> bool:
        """Consumes the counters of a device; False, with nothing consumed, if too little is left."""
        left = self._left_of(device.pool)
        taking = self._taking.setdefault(device.pool.id, {})
        for key, amount in _consumption(device.spec):
            taking[key] = quantity.add(taking.get(key, "0"), amount)
        if any(quantity.compare(left[key], taking.get(key, "0")) < 0 for key in left):
            self.give_back(device)
            return False
        return True

    def give_back(self, device: Device) -> None:
        taking = self._taking[device.pool.id]
        for key, amount in _consumption(device.spec):
            taking[key] = quantity.subtract(taking[key], amount)

    def _left_of(self, pool: Pool) -> _Amounts:
        known = self._left.get(pool.id)
        if known is None:
            known = {
                (name, counter): amount
                for name, counters in pool.counter_sets.items()
                for counter, amount in counters.items()
            }
            for spec in _used_devices(pool, self._state):
                for key, amount in _consumption(spec):
                    if key in known:
                        known[key] = quantity.subtract(known[key], amount)
            self._left[pool.id] = known
        return known


def enough_in_slice(device: Device, in_use: Iterable[DeviceID]) -> bool:
    """Whether the counters of its slice suffice for a device beside those in use (until 1.33)."""
    used = set(in_use)
    left = {
        (each["name"], counter): value["value"]
        for each in device.slice.spec.get("sharedCounters") or ()
        for counter, value in (each.get("counters") or {}).items()
    }
    for spec in device.slice.spec.get("devices") or ():
        if DeviceID(device.id.driver, device.id.pool, spec["name"]) in used:
            for key, amount in _consumption(spec):
                if key in left:
                    left[key] = quantity.subtract(left[key], amount)
    return all(
        key in left and quantity.compare(left[key], amount) >= 0 for key, amount in _consumption(device.spec)
    )


def _consumption(spec: Object) -> Iterator[tuple[tuple[str, str], str]]:
    for used in spec.get("consumesCounters") or ():
        for counter, value in (used.get("counters") or {}).items():
            yield (used["counterSet"], counter), value["value"]


def _used_devices(pool: Pool, state: AllocatedState) -> Iterator[Object]:
    def devices(slices: Iterable[Slice]) -> Iterator[Object]:
        for each in slices:
            yield from each.spec.get("devices") or ()

    for spec in (*devices(pool.slices), *devices(pool.elsewhere)):
        if state.holds(DeviceID(*pool.id, spec["name"])):
            yield spec
