"""Compatibility groups: which devices may consume the same counter set together (alpha in 1.37).

Follows k8s.io/dynamic-resource-allocation `structured/internal/experimental` (compatibility_groups.go).
"""

from collections.abc import Callable, Iterable
from typing import TypeAlias

import msgspec
from msgspec.structs import replace

from fakeapi.controllers.allocation.model import AllocatedState, Device, DeviceID, Pool, PoolID
from fakeapi.machinery.json_types import Object


class Shared(msgspec.Struct, frozen=True):
    """The compatibility groups that all devices of a counter set have in common.

    `groups`: None if no device consumes the counter set yet; empty if the devices have no common groups.
    """

    groups: frozenset[str] | None = None

    def admits(self, groups: frozenset[str]) -> bool:
        """Whether a device with these groups may join the devices of the counter set.

        A device without groups may join only devices without groups.
        """
        if self.groups is None or not (self.groups or groups):
            return True
        return not self.groups.isdisjoint(groups)

    def joined(self, groups: frozenset[str]) -> "Shared":
        """Returns the common groups after a device with these groups has joined."""
        if self.groups is None:
            return replace(self, groups=groups)
        return replace(self, groups=self.groups & groups)


_BySet: TypeAlias = dict[str, Shared]


class CompatibilityGroups:
    """Tracks the common groups of the devices of each counter set during one search for devices."""

    def __init__(self, state: AllocatedState) -> None:
        self._state = state
        self._by_pool: dict[PoolID, _BySet] = {}

    def take(self, device: Device) -> Callable[[], None] | None:
        """Adds a device to the counter sets that it consumes.

        Returns a function that removes the device; None if the device is incompatible with the devices of a
        counter set.
        """
        known = self._by_pool.get(device.pool.id)
        if known is None:
            known = self._by_pool[device.pool.id] = self._allocated(device.pool)
        joined: _BySet = {}
        for name, groups in consumed_sets(device.spec):
            shared = joined.get(name) or known.get(name, Shared())
            if not shared.admits(groups):
                return None
            joined[name] = shared.joined(groups)
        before = {name: known.get(name, Shared()) for name in joined}
        known.update(joined)
        return lambda: known.update(before)

    def _allocated(self, pool: Pool) -> _BySet:
        """Returns the common groups of the pool's allocated devices, by counter set."""
        by_set: _BySet = {}
        for resource_slice in (*pool.slices, *pool.elsewhere):
            for spec in resource_slice.spec.get("devices") or ():
                if self._state.holds(DeviceID(*pool.id, spec["name"])):
                    for name, groups in consumed_sets(spec):
                        by_set[name] = by_set.get(name, Shared()).joined(groups)
        return by_set


def consumed_sets(device: Object) -> Iterable[tuple[str, frozenset[str]]]:
    """Yields (counter set, compatibility groups) for the counter sets that a device consumes."""
    for used in device.get("consumesCounters") or ():
        yield used["counterSet"], frozenset(used.get("compatibilityGroups") or ())
