"""Converts the device requests in ResourceClaims and ResourceClaimTemplates.

In the hub version (the stored layout), as in v1 and v1beta2, the fields of an exact request are under
`exactly`. In v1alpha3 and v1beta1, these fields are in the request itself. Follows k8s.io/kubernetes
`pkg/apis/resource/v1alpha3` and `v1beta1` of 1.33.
"""

from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.conversion import Conversion

_OWN = frozenset(("name", "deviceClassName", "firstAvailable"))
"""Fields that every v1alpha3 or v1beta1 request may have, whether it is exact or not.

An exact request has at least one other field, or a `deviceClassName` that is not empty.
"""

_BEFORE_LISTS = ("selectors", "allocationMode", "count", "adminAccess")


def spec_to_hub(spec: Object) -> Object:
    """Returns the claim spec with the fields of exact requests under `exactly`."""
    devices = spec["devices"]
    requests = [_request_to_hub(request) for request in devices["requests"] or ()]
    return {**spec, "devices": {**devices, "requests": requests or devices["requests"]}}


def spec_from_hub(spec: Object) -> Object:
    """Returns the claim spec with the fields of exact requests directly in the requests."""
    devices = spec["devices"]
    requests = [_request_from_hub(request) for request in devices["requests"] or ()]
    return {**spec, "devices": {**devices, "requests": requests or devices["requests"]}}


def is_exact(request: Object) -> bool:
    """Whether a request of v1alpha3 or v1beta1 has any field that v1 has under `exactly`."""
    return bool(request["deviceClassName"]) or not _OWN.issuperset(request)


def _request_to_hub(request: Object) -> Object:
    converted: Object = {"name": request["name"]}
    if is_exact(request):
        exactly = {name: value for name, value in request.items() if name not in ("name", "firstAvailable")}
        if not exactly.get("tolerations"):  # Kubernetes appends tolerations to a nil list.
            exactly.pop("tolerations", None)
        converted["exactly"] = exactly
    if "firstAvailable" in request:
        converted["firstAvailable"] = request["firstAvailable"]
    return converted


def _request_from_hub(request: Object) -> Object:
    exactly = request.get("exactly", {})
    converted = {"name": request["name"], "deviceClassName": exactly.get("deviceClassName", "")}
    converted |= {name: exactly[name] for name in _BEFORE_LISTS if name in exactly}
    if "firstAvailable" in request:
        converted["firstAvailable"] = request["firstAvailable"]
    return {**converted, **exactly}


_REBUILT = frozenset((("DeviceRequest", "tolerations"),))

_CLAIM = Conversion(
    lambda claim: {**claim, "spec": spec_to_hub(claim["spec"])},
    lambda claim: {**claim, "spec": spec_from_hub(claim["spec"])},
    _REBUILT,
)
_TEMPLATE = Conversion(
    lambda template: {
        **template,
        "spec": {**template["spec"], "spec": spec_to_hub(template["spec"]["spec"])},
    },
    lambda template: {
        **template,
        "spec": {**template["spec"], "spec": spec_from_hub(template["spec"]["spec"])},
    },
    _REBUILT,
)

CLAIM_CONVERSIONS = {"v1alpha3": _CLAIM, "v1beta1": _CLAIM}
TEMPLATE_CONVERSIONS = {"v1alpha3": _TEMPLATE, "v1beta1": _TEMPLATE}
