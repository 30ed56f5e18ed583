"""Devices, pools and the errors of an allocation."""

from dataclasses import dataclass, field
from typing import NamedTuple

from fakeapi.machinery.json_types import Object


class DeviceID(NamedTuple):
    """A device by the names that claims hold."""

    driver: str
    pool: str
    device: str

    def __str__(self) -> str:
        return f"{self.driver}/{self.pool}/{self.device}"


class PoolID(NamedTuple):
    """A pool by its names."""

    driver: str
    pool: str

    def __str__(self) -> str:
        return f"{self.driver}/{self.pool}"


class SearchTooLong(Exception):
    """A search for devices takes more than it may, and has neither found all nor tried all."""


class AllocationError(Exception):
    """The input is such that a scheduler should give up on the pod: a selector that fails, a broken pool."""


class NodeError(Exception):
    """Allocation on this node is impossible; the text says why."""


@dataclass(eq=False, slots=True)
class Slice:
    """A ResourceSlice."""

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
    """A device of a slice that a node can see."""

    id: DeviceID
    spec: Object
    slice: Slice
    pool: "Pool"

    @property
    def allows_sharing(self) -> bool:
        return bool(self.spec.get("allowMultipleAllocations"))


@dataclass(eq=False, slots=True)
class Pool:
    """A pool of devices as one node can use it. `problem`: why the pool is invalid, or empty.

    `elsewhere` are slices of other nodes, whose devices use the same counters.
    """

    id: PoolID
    is_incomplete: bool = False
    problem: str = ""
    slices: list[Slice] = field(default_factory=list)
    elsewhere: list[Slice] = field(default_factory=list)
    counter_sets: dict[str, dict[str, str]] = field(default_factory=dict)
    devices: list[Device] = field(default_factory=list)

    def find_devices(self) -> None:
        """Lists the devices of the slices, in their order."""
        self.devices = [
            Device(DeviceID(*self.id, spec["name"]), spec, each, self)
            for each in self.slices
            for spec in each.spec.get("devices") or ()
        ]


@dataclass(slots=True)
class AllocatedState:
    """Devices in use: those that one claim has to itself, and how much of shared ones is taken."""

    devices: set[DeviceID] = field(default_factory=set)
    shared: dict[DeviceID, dict[str, str]] = field(default_factory=dict)

    def holds(self, device: DeviceID) -> bool:
        return device in self.devices or device in self.shared
