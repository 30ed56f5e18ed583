"""Prepared: the claims that a node's DRA drivers have prepared, and their pods."""

from collections.abc import Iterator

import msgspec

from fakeapi.controllers.kubelet.driver import Claim, PreparedDevice
from fakeapi.machinery.json_types import Object

PREPARE, UNPREPARE, ALL = "NodePrepareResources", "NodeUnprepareResources", "*"
"""Names of node operations in a device's `skipNodeOperations`. ALL means every operation."""


class PreparedClaim(msgspec.Struct, eq=False):
    """A ResourceClaim that DRA drivers have prepared or are about to prepare.

    - `drivers`: the names of the drivers in the claim's allocation.
    - `devices`: the devices that each driver has prepared.
    - `pods`: the uids of the pods that use the claim.
    - `told`: the claim in the form that each driver receives, by driver name. Only for releases up to 1.30,
      where the claim contains the driver's resource handle.
    - `skipped`: the node operations that the kubelet skips for a driver, by driver name.
    """

    claim: Claim
    drivers: list[str]
    devices: dict[str, list[PreparedDevice]] = msgspec.field(default_factory=dict)
    pods: set[str] = msgspec.field(default_factory=set)
    told: dict[str, Claim] = msgspec.field(default_factory=dict)
    skipped: dict[str, list[str]] = msgspec.field(default_factory=dict)

    def calls(self, driver: str, operation: str) -> bool:
        """Whether the kubelet calls a driver for this node operation, PREPARE or UNPREPARE, on the claim."""
        skipped = self.skipped.get(driver, ())
        return driver in self.drivers and operation not in skipped and ALL not in skipped

    def for_driver(self, driver: str) -> Claim:
        return self.told.get(driver, self.claim)

    @property
    def cdi_devices(self) -> list[str]:
        return [cdi for devices in self.devices.values() for device in devices for cdi in device.cdi_devices]


class Prepared:
    """The prepared ResourceClaims of a node, by namespace and name."""

    def __init__(self) -> None:
        self._claims: dict[tuple[str, str], PreparedClaim] = {}

    def __iter__(self) -> Iterator[PreparedClaim]:
        return iter(list(self._claims.values()))

    def __contains__(self, entry: PreparedClaim) -> bool:
        return self.get(entry.claim.namespace, entry.claim.name) is entry

    def get(self, namespace: str, name: str) -> PreparedClaim | None:
        return self._claims.get((namespace, name))

    def add(self, entry: PreparedClaim) -> None:
        self._claims[entry.claim.namespace, entry.claim.name] = entry

    def remove(self, entry: PreparedClaim) -> None:
        self._claims.pop((entry.claim.namespace, entry.claim.name), None)

    def of_pod(self, uid: str) -> list[PreparedClaim]:
        return [entry for entry in self._claims.values() if uid in entry.pods]


def drivers_of(claim: Object) -> list[str]:
    """Returns the drivers in a claim's allocation, without duplicates, in the order of the results."""
    allocation = claim["status"].get("allocation") or {}
    results = (allocation.get("devices") or {}).get("results") or ()
    handles = allocation.get("resourceHandles") or ()
    names = [result["driver"] for result in results] + [
        handle.get("driverName") or claim["status"].get("driverName", "") for handle in handles
    ]
    if not names and "driverName" in claim["status"]:
        names = [claim["status"]["driverName"]]
    return list(dict.fromkeys(names))


def skipped_operations(claim: Object) -> dict[str, list[str]]:
    """Returns the node operations that a kubelet skips for each driver of an allocated claim, sorted.

    The kubelet skips an operation if all devices of the driver in the claim skip it. The result omits drivers
    without skipped operations. Follows `computeDriverStates` in k8s.io/kubernetes `pkg/kubelet/cm/dra`.
    """
    results = (claim["status"]["allocation"].get("devices") or {}).get("results") or ()
    by_driver: dict[str, list[set[str]]] = {}
    for result in results:
        by_driver.setdefault(result["driver"], []).append(set(result.get("skipNodeOperations") or ()))
    skipped = {driver: _skipped_by_all(of_devices) for driver, of_devices in by_driver.items()}
    return {driver: operations for driver, operations in skipped.items() if operations}


def _skipped_by_all(of_devices: list[set[str]]) -> list[str]:
    if all(ALL in operations for operations in of_devices):
        return [ALL]
    named = set().union(*of_devices) - {ALL}
    return sorted(each for each in named if all({each, ALL} & operations for operations in of_devices))
