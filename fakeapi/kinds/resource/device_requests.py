"""Device requests in the spec of a claim or a template: explicitly empty lists, and fields behind gates.

Follows k8s.io/kubernetes `pkg/registry/resource/resourceclaim` and `resourceclaimtemplate`.
"""

from typing import Any

from fakeapi.kinds.resource import gates
from fakeapi.kinds.resource.admin_access import requests_without
from fakeapi.machinery.json_types import Object
from fakeapi.releases.rules import ReleaseRules

_LISTS = ("selectors", "tolerations", "derivedAttributes")


def restore_empty_request_lists(spec: Object, sent: Any, path: tuple[str, ...]) -> None:
    """Restores explicitly empty lists of requests without a class, which decoding drops.

    In v1alpha3 and v1beta1 of 1.33 such a list makes a request an exact one. `spec` was decoded from `sent`,
    which has its requests at `path`. A request without a class is always refused, so the list is never
    stored.
    """
    for name in path:
        sent = sent.get(name) if isinstance(sent, dict) else None
    for request, sent_request in zip(spec["devices"]["requests"] or (), sent or (), strict=False):
        if not request["deviceClassName"]:
            request |= {name: [] for name in _LISTS if (sent_request or {}).get(name) == []}


class RequestGates:
    """Drops fields of requests and constraints whose feature gate is off in the release."""

    def __init__(self, rules: ReleaseRules) -> None:
        self._drops_lists = rules.drops(gates.PRIORITIZED_LIST)
        self._drops_admin_access = rules.drops(gates.ADMIN_ACCESS)
        self._drops_tolerations = rules.quirks.tolerations_are_gated and rules.drops(gates.DEVICE_TAINTS)
        self._drops_derived = rules.drops(gates.DERIVED_ATTRIBUTES)
        self._drops_capacity = rules.drops(gates.CONSUMABLE_CAPACITY)
        self._drops_distinct = self._drops_capacity and rules.quirks.distinct_attribute_is_gated

    def enabled(self, devices: Object, before: Object | None, *, uses_admin_access: bool) -> Object:
        """Returns `devices` without fields whose gate is off, except fields that `before` had.

        `uses_admin_access`: whether the old claim had `adminAccess`, in a request or in a result.
        """
        requests: list[Object] = devices["requests"] or []
        enabled = requests
        if self._drops_lists and not (before and _has_lists(before)):
            enabled = [_without_list(request) for request in enabled]
        if self._drops_admin_access and not uses_admin_access:
            enabled = requests_without(enabled)
        if self._drops_tolerations and not (before and _has_wish(before, "tolerations")):
            enabled = [_without_wish(request, "tolerations") for request in enabled]
        if self._drops_derived and not (before and _has_wish(before, "derivedAttributes")):
            enabled = [_without_wish(request, "derivedAttributes") for request in enabled]
        if not self._drops_capacity or (before and uses_consumable_capacity(before)):
            return devices if enabled == requests else {**devices, "requests": enabled}
        enabled = [_without_wish(request, "capacity") for request in enabled]
        if self._drops_distinct and "constraints" in devices:
            constraints = [_without(constraint, "distinctAttribute") for constraint in devices["constraints"]]
            devices = {**devices, "constraints": constraints}
        return devices if enabled == requests else {**devices, "requests": enabled}


def uses_consumable_capacity(devices: Object) -> bool:
    """Whether any request or constraint has a field of the gate DRAConsumableCapacity."""
    return _has_wish(devices, "capacity") or any(
        "distinctAttribute" in constraint for constraint in devices.get("constraints", ())
    )


def _has_wish(devices: Object, name: str) -> bool:
    """Whether any exact request or subrequest has the field."""
    return any(
        name in wish
        for request in devices["requests"] or ()
        for wish in (request.get("exactly", {}), *request.get("firstAvailable", ()))
    )


def _without_wish(request: Object, name: str) -> Object:
    """Returns the request with the field removed from `exactly` and from all subrequests."""
    if "exactly" in request:
        request = {**request, "exactly": _without(request["exactly"], name)}
    if "firstAvailable" in request:
        request = {**request, "firstAvailable": [_without(sub, name) for sub in request["firstAvailable"]]}
    return request


def _has_lists(devices: Object) -> bool:
    return any("firstAvailable" in request for request in devices["requests"] or ())


def _without_list(request: Object) -> Object:
    return _without(request, "firstAvailable")


def _without(part: Object, name: str) -> Object:
    return {key: value for key, value in part.items() if key != name} if name in part else part
