"""Drops fields of a claim's status whose feature gate is off, unless the stored claim uses them.

Follows k8s.io/kubernetes `pkg/registry/resource/resourceclaim` of each release.
"""

from collections.abc import Callable, Sequence
from typing import Any

from fakeapi.kinds.resource import admin_access, gates
from fakeapi.kinds.resource.device_requests import uses_consumable_capacity
from fakeapi.machinery.json_types import Object
from fakeapi.releases.rules import ReleaseRules

_BINDING = ("bindingConditions", "bindingFailureConditions")
_CAPACITY = ("shareID", "consumedCapacity")


def without(part: Object, *names: str) -> Object:
    """Returns `part` without the named fields; returns `part` itself if it has none of them."""
    if not any(name in part for name in names):
        return part
    return {name: value for name, value in part.items() if name not in names}


def enabled_status(status: Object, old: Object, rules: ReleaseRules) -> Object:
    """Returns the status without fields whose gate is off, except fields that the claim `old` uses.

    The status strategy of claims handles the gate of `status.devices` as a whole.
    """
    if rules.drops(gates.ADMIN_ACCESS) and not admin_access.uses_admin_access(old):
        status = admin_access.status_without(status)
    if rules.drops(gates.CONSUMABLE_CAPACITY) and not _uses_consumable_capacity(old):
        status = _with_results(status, lambda result: without(result, *_CAPACITY))
        if "devices" in status:
            devices = [without(device, "shareID") for device in status["devices"]]
            status = {**status, "devices": devices}
    if rules.drops(gates.OPTIONAL_NODE_OPERATIONS) and not any(
        "skipNodeOperations" in result for result in _results(old["status"])
    ):
        status = _with_results(status, lambda result: without(result, "skipNodeOperations"))
    status = _with_binding_conditions(status, old["status"], rules)
    if rules.drops(gates.CONTROL_PLANE_CONTROLLER):
        status = _without_controller(status, old)
    return status


def _with_binding_conditions(status: Object, before: Object, rules: ReleaseRules) -> Object:
    together = rules.quirks.binding_needs_device_status
    drops = rules.drops(gates.BINDING_CONDITIONS)
    if not drops and not (together and rules.drops(gates.DEVICE_STATUS)):
        return status
    used = any(result.get(name) for result in _results(before) for name in _BINDING)
    if together:
        used = used or before.get("allocation", {}).get("allocationTimestamp") is not None
    if used or "allocation" not in status:
        return status
    status = _with_results(status, lambda result: without(result, *_BINDING))
    if not together:
        return status
    return {**status, "allocation": without(status["allocation"], "allocationTimestamp")}


def _uses_consumable_capacity(claim: Object) -> bool:
    if uses_consumable_capacity(claim["spec"]["devices"]):
        return True
    status = claim["status"]
    return any(name in result for result in _results(status) for name in _CAPACITY) or any(
        "shareID" in device for device in status.get("devices", ())
    )


def _results(status: Object) -> Sequence[Object]:
    if "allocation" not in status:
        return ()
    results: Sequence[Object] = status["allocation"]["devices"].get("results", ())
    return results


def _with_results(status: Object, change: Callable[[Object], Object]) -> Object:
    """Returns the status with `change` applied to each result of its allocation."""
    results = _results(status)
    if not results:
        return status
    allocation = status["allocation"]
    devices: dict[str, Any] = {**allocation["devices"], "results": [change(result) for result in results]}
    return {**status, "allocation": {**allocation, "devices": devices}}


def _without_controller(status: Object, old: Object) -> Object:
    """Drops fields of the gate DRAControlPlaneController, unless a controller allocates the claim."""
    allocation = status.get("allocation")
    if allocation is not None and "allocation" not in old["status"] and "controller" not in old["spec"]:
        allocation = without(allocation, "controller")
        status = {**status, "allocation": allocation}
    handled = allocation is not None and "controller" in allocation
    if not handled and "deallocationRequested" not in old["status"]:
        status = without(status, "deallocationRequested")
    return status
