"""Devices and pools, the devices in use, and the exceptions of an allocation."""

from dataclasses import dataclass, field
from typing import NamedTuple

from fakeapi.machinery.json_types import Object


class DeviceID(NamedTuple):
    """Driver, pool and name of a device, as in an allocation result."""

    driver: str
    pool: str
    device: str

    def __str__(self) -> str:
        return f"{self.driver}/{self.pool}/{self.device}"


class PoolID(NamedTuple):
    """Driver and name of a pool."""

    driver: str
    pool: str

    def __str__(self) -> str:
        return f"{self.driver}/{self.pool}"


TIMED_OUT = "timed out trying to allocate devices"
"""Error message of a search that reached its limit, as in 1.34 and newer."""


class SearchTooLong(Exception):
    """The search for devices reached its limit before it found a solution or had tried everything."""


class AllocationError(Exception):
    """Scheduling of the pod ends with an error, such as a failed CEL selector or an invalid pool."""


class NodeError(Exception):
    """Devices cannot be allocated on this node; the message says why."""


@dataclass(eq=False, slots=True)
class Slice:
    """Name and spec of a ResourceSlice."""

    name: str
    spec: Object

    @property
    def pool_id(self) -> PoolID:
        return PoolID(self.spec["driver"], self.spec["pool"]["name"])

    @property
    def generation(self) -> int:
        return int(self.spec["pool"].get("generation", 0))


@dataclass(eq=False, slots=True)
class Device:
    """A device of a ResourceSlice that is visible to the node."""

    id: DeviceID
    spec: Object
    slice: Slice
    pool: "Pool"

    @property
    def allows_sharing(self) -> bool:
        return bool(self.spec.get("allowMultipleAllocations"))


@dataclass(eq=False, slots=True)
class Pool:
    """A resource pool as one node sees it.

    `problem`: says why the pool is invalid; "" for a valid pool.
    `elsewhere`: slices of other nodes whose devices consume the same counters.
    """

    id: PoolID
    is_incomplete: bool = False
    problem: str = ""
    slices: list[Slice] = field(default_factory=list)
    elsewhere: list[Slice] = field(default_factory=list)
    counter_sets: dict[str, dict[str, str]] = field(default_factory=dict)
    devices: list[Device] = field(default_factory=list)

    def find_devices(self) -> None:
        """Fills `devices` with the devices of all `slices`, in order."""
        self.devices = [
            Device(DeviceID(*self.id, spec["name"]), spec, resource_slice, self)
            for resource_slice in self.slices
            for spec in resource_slice.spec.get("devices") or ()
        ]


@dataclass(slots=True)
class AllocatedState:
    """The devices in use: devices of single claims, and the consumed capacity of shared devices."""

    devices: set[DeviceID] = field(default_factory=set)
    shared: dict[DeviceID, dict[str, str]] = field(default_factory=dict)

    def holds(self, device: DeviceID) -> bool:
        return device in self.devices or device in self.shared
