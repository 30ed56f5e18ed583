"""Compares the taints of devices with the tolerations of requests."""

from fakeapi.controllers.allocation.rules import AllocationRules
from fakeapi.machinery.json_types import Object

PREVENTING = frozenset(("NoSchedule", "NoExecute"))


def prevents_allocation(device: Object, request: Object, rules: AllocationRules) -> bool:
    """Whether the taints of a device prevent its allocation. Ignores taints that the request tolerates."""
    tolerations = request.get("tolerations") or ()
    return any(
        (rules.quirks.unknown_effects_prevent or taint.get("effect") in PREVENTING)
        and not any(tolerates(toleration, taint) for toleration in tolerations)
        for taint in device.get("taints") or ()
    )


def tolerates(toleration: Object, taint: Object) -> bool:
    """Whether the toleration of a device request tolerates a device taint."""
    if toleration.get("effect") and toleration["effect"] != taint.get("effect"):
        return False
    if toleration.get("key") and toleration["key"] != taint["key"]:
        return False
    operator = toleration.get("operator") or "Equal"
    if operator == "Equal":
        return bool(toleration.get("value", "") == taint.get("value", ""))
    return bool(operator == "Exists")
