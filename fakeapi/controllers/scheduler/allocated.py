"""Calculates the devices in use, and the consumed capacity of shared devices, from all ResourceClaims."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from fakeapi.controllers.allocation import capacity
from fakeapi.controllers.allocation.model import AllocatedState, DeviceID
from fakeapi.machinery.json_types import Object


class Use(NamedTuple):
    """A device that a claim has allocated.

    `consumed`: the consumed capacity; None for an exclusive device.
    """

    device: DeviceID
    consumed: dict[str, str] | None


def uses_of(claim: Object, *, shares: bool, admin_counts: bool) -> Iterator[Use]:
    """Yields the devices that a claim has allocated and that count as in use.

    - `claim`: a claim in the layout of resource.k8s.io/v1.
    - `shares`: whether several claims can share a device.
    - `admin_counts`: whether devices with admin access count as in use.
    """
    allocation = claim["status"].get("allocation") or {}
    for result in (allocation.get("devices") or {}).get("results") or ():
        if result.get("adminAccess") and not admin_counts:
            continue
        device = DeviceID(result["driver"], result["pool"], result["device"])
        is_share = shares and result.get("shareID")
        yield Use(device, (result.get("consumedCapacity") or {}) if is_share else None)


def allocated_state(claims: Iterable[Object], *, shares: bool, admin_counts: bool) -> AllocatedState:
    """Returns the devices and capacities that claims have allocated.

    - `claims`: the claims, in the layout of resource.k8s.io/v1.
    - `shares`: whether several claims can share a device.
    - `admin_counts`: whether devices with admin access count as in use.
    """
    state = AllocatedState()
    for claim in claims:
        for device, consumed in uses_of(claim, shares=shares, admin_counts=admin_counts):
            if consumed is None:
                state.devices.add(device)
            else:
                state.shared[device] = capacity.total(state.shared.get(device, {}), consumed)
    return state
