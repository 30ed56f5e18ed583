"""Requests for devices in the spec of a claim, or of a template's claims: defaults, and fields behind gates.

Follows k8s.io/kubernetes `pkg/apis/resource/v1alpha3`, `v1beta1` and `v1beta2`, and
`pkg/registry/resource/resourceclaim` and `resourceclaimtemplate`.
"""

from typing import Any

from fakeapi.machinery.json_types import Object
from fakeapi.registry.groups.resource_k8s_io import gates
from fakeapi.registry.groups.resource_k8s_io.admin_access import requests_without
from fakeapi.registry.groups.resource_k8s_io.validation.tolerations import default_tolerations
from fakeapi.releases.rules import ReleaseRules

_LISTS = ("selectors", "tolerations", "derivedAttributes")
_BEFORE_MODE = ("name", "deviceClassName", "selectors")


def restore_empty_request_lists(spec: Object, sent: Any, path: tuple[str, ...]) -> None:
    """Restores the explicitly empty lists of requests without a class, which decoding drops.

    v1alpha3 and v1beta1 of 1.33 take a request for an exact one if it has such a list. `spec` is decoded from
    `sent`, which has its requests at `path`. A request without a class is refused, so that the list is never
    stored.
    """
    for name in path:
        sent = sent.get(name) if isinstance(sent, dict) else None
    for request, said in zip(spec["devices"]["requests"] or (), sent or (), strict=False):
        if not request["deviceClassName"]:
            request |= {name: [] for name in _LISTS if (said or {}).get(name) == []}


def default_claim_spec(spec: Object, rules: ReleaseRules) -> Object:
    """The spec with its defaults, in the nested layout."""
    devices = spec["devices"]
    if devices["requests"]:
        devices["requests"] = [_default_request(request, rules) for request in devices["requests"]]
    return spec


def default_exact_claim_spec(spec: Object) -> Object:
    """The spec with its defaults, in the flat layout, where an exact request always has them."""
    for request in spec["devices"]["requests"] or ():
        if "exactly" in request:
            request["exactly"] = _default_subrequest(request["exactly"])
        _default_subrequests(request)
    return spec


def _default_request(request: Object, rules: ReleaseRules) -> Object:
    if not rules.quirks.request_fields_under_exactly:
        return _default_allocation_mode(request)
    _default_subrequests(request)
    return _default_subrequest(request) if request["deviceClassName"] else with_tolerations(request)


def _default_subrequests(request: Object) -> None:
    if "firstAvailable" in request:
        request["firstAvailable"] = [
            _default_subrequest(subrequest) for subrequest in request["firstAvailable"]
        ]


def _default_subrequest(subrequest: Object) -> Object:
    return _default_allocation_mode(with_tolerations(subrequest))


def with_tolerations(holder: Object) -> Object:
    """`holder`, its tolerations with their defaults."""
    if "tolerations" in holder:
        holder["tolerations"] = default_tolerations(holder["tolerations"])
    return holder


def _default_allocation_mode(request: Object) -> Object:
    mode = request.get("allocationMode", "ExactCount")
    if mode != "ExactCount" or ("count" in request and "allocationMode" in request):
        return request
    before = {name: request[name] for name in _BEFORE_MODE if name in request}
    return {**before, "allocationMode": mode, "count": request.get("count", 1), **request}


class RequestGates:
    """The gates of a release that fields of requests and constraints are behind."""

    def __init__(self, rules: ReleaseRules) -> None:
        self._drops_lists = rules.drops(gates.PRIORITIZED_LIST)
        self._drops_admin_access = rules.drops(gates.ADMIN_ACCESS)
        self._drops_tolerations = rules.quirks.tolerations_are_gated and rules.drops(gates.DEVICE_TAINTS)
        self._drops_derived = rules.drops(gates.DERIVED_ATTRIBUTES)
        self._drops_capacity = rules.drops(gates.CONSUMABLE_CAPACITY)
        self._drops_distinct = self._drops_capacity and rules.quirks.distinct_attribute_is_gated

    def enabled(self, devices: Object, before: Object | None, *, uses_admin_access: bool) -> Object:
        """`devices` without fields behind a gate that is off, unless `before` had such a field.

        `uses_admin_access`: it had `adminAccess`, whether in a request or in a result.
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
    """The request, what it asks for without the field."""
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
