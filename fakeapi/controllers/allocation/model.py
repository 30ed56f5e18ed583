"""Data structures and exceptions of an allocation: devices, pools, and devices in use."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec

from fakeapi.machinery.json_types import Object


class DeviceID(NamedTuple):
    """The driver, pool and name of a device, as in an allocation result."""

    driver: str
    pool: str
    device: str

    def __str__(self) -> str:
        return f"{self.driver}/{self.pool}/{self.device}"


class PoolID(NamedTuple):
    """The driver and name of a resource pool."""

    driver: str
    pool: str

    def __str__(self) -> str:
        return f"{self.driver}/{self.pool}"


TIMED_OUT = "timed out trying to allocate devices"
"""The error message for a search that reached its limit, as in 1.34 and newer."""


class SearchTooLong(Exception):
    """Raised if the search for devices reaches its limit before all combinations are tried."""


class AllocationError(Exception):
    """Raised for a problem that ends the scheduling of the pod, such as a failed CEL selector."""


class NodeError(Exception):
    """Raised if devices cannot be allocated on a node. The message contains the reason."""


@dataclass(eq=False, slots=True)
class Slice:
    """The name and spec of a ResourceSlice. `has_groups`: whether any device has compatibility groups."""

    name: str
    spec: Object
    has_groups: bool = field(init=False)

    def __post_init__(self) -> None:
        self.has_groups = any(
            "compatibilityGroups" in used
            for device in self.spec.get("devices") or ()
            for used in device.get("consumesCounters") or ()
        )

    @property
    def pool_id(self) -> PoolID:
        return PoolID(self.spec["driver"], self.spec["pool"]["name"])

    @property
    def generation(self) -> int:
        return int(self.spec["pool"].get("generation", 0))


class Device(msgspec.Struct, eq=False):
    """A device of a ResourceSlice in its pool, as one node sees it."""

    id: DeviceID
    spec: Object
    slice: Slice
    pool: "Pool"

    @property
    def allows_sharing(self) -> bool:
        return bool(self.spec.get("allowMultipleAllocations"))


class Pool(msgspec.Struct, eq=False):
    """A resource pool, as one node sees it.

    - `is_incomplete`: whether some ResourceSlices of the pool are missing.
    - `problem`: the reason why the pool is invalid; "" for a valid pool.
    - `slices`: the slices with devices for this node.
    - `elsewhere`: slices of other nodes whose devices consume the same counters.
    - `counter_sets`: the counter values, by counter set name and then by counter name.
    """

    id: PoolID
    is_incomplete: bool = False
    problem: str = ""
    slices: list[Slice] = msgspec.field(default_factory=list)
    elsewhere: list[Slice] = msgspec.field(default_factory=list)
    counter_sets: dict[str, dict[str, str]] = msgspec.field(default_factory=dict)

    @property
    def devices(self) -> Iterator[Device]:
        """The devices of all ResourceSlices in `slices`, in order.

        A pool does not keep its devices: a device refers to its pool, and only the garbage collector of
        Python frees objects that refer to each other.
        """
        return self.devices_after(0)

    def devices_after(self, skipped: int) -> Iterator[Device]:
        """Yields the devices without the first `skipped` devices, for which it creates no objects."""
        driver, pool = self.id
        for resource_slice in self.slices:
            specs = resource_slice.spec.get("devices") or ()
            for spec in specs[skipped:]:
                yield Device(DeviceID(driver, pool, spec["name"]), spec, resource_slice, self)
            skipped = max(skipped - len(specs), 0)

    @property
    def size(self) -> int:
        """The number of devices of all ResourceSlices in `slices`."""
        return sum(len(resource_slice.spec.get("devices") or ()) for resource_slice in self.slices)


class AllocatedState(msgspec.Struct):
    """The devices in use.

    - `devices`: the devices that only one claim can use.
    - `shared`: the consumed capacity of each shared device.
    """

    devices: set[DeviceID] = msgspec.field(default_factory=set)
    shared: dict[DeviceID, dict[str, str]] = msgspec.field(default_factory=dict)

    def holds(self, device: DeviceID) -> bool:
        return device in self.devices or device in self.shared
