"""Calculates the devices in use, and the consumed capacity of shared devices, from all ResourceClaims."""

from collections.abc import Iterable

from fakeapi.controllers.allocation import capacity
from fakeapi.controllers.allocation.model import AllocatedState, DeviceID
from fakeapi.machinery.json_types import Object


def allocated_state(claims: Iterable[Object], *, shares: bool, admin_counts: bool) -> AllocatedState:
    """Returns the devices and capacities that claims have allocated.

    - `claims`: the claims, in the layout of resource.k8s.io/v1.
    - `shares`: whether several claims can share a device.
    - `admin_counts`: whether devices with admin access count as in use.
    """
    state = AllocatedState()
    for claim in claims:
        allocation = claim["status"].get("allocation") or {}
        for result in (allocation.get("devices") or {}).get("results") or ():
            if result.get("adminAccess") and not admin_counts:
                continue
            device = DeviceID(result["driver"], result["pool"], result["device"])
            if shares and result.get("shareID"):
                known = state.shared.get(device, {})
                state.shared[device] = capacity.total(known, result.get("consumedCapacity") or {})
            else:
                state.devices.add(device)
    return state
