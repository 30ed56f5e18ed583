"""Conversion of device requests in claims and templates.

The hub has the layout of v1 and v1beta2: an exact request stands under `exactly`. In v1alpha3 and v1beta1 its
fields stand in the request itself. Follows k8s.io/kubernetes `pkg/apis/resource/v1alpha3` and `v1beta1` of
1.33.
"""

from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.conversion import Conversion

_OWN = frozenset(("name", "deviceClassName", "firstAvailable"))
"""Fields of a request that do not make it an exact one by being there."""

_BEFORE_LISTS = ("selectors", "allocationMode", "count", "adminAccess")


def spec_to_hub(spec: Object) -> Object:
    """The spec of a claim, its exact requests under `exactly`."""
    devices = spec["devices"]
    requests = [_request_to_hub(request) for request in devices["requests"] or ()]
    return {**spec, "devices": {**devices, "requests": requests or devices["requests"]}}


def spec_from_hub(spec: Object) -> Object:
    """The spec of a claim, the fields of exact requests in the requests themselves."""
    devices = spec["devices"]
    requests = [_request_from_hub(request) for request in devices["requests"] or ()]
    return {**spec, "devices": {**devices, "requests": requests or devices["requests"]}}


def is_exact(request: Object) -> bool:
    """Whether a request of v1alpha3 or v1beta1 has anything that would stand under `exactly`."""
    return bool(request["deviceClassName"]) or not _OWN.issuperset(request)


def _request_to_hub(request: Object) -> Object:
    found: Object = {"name": request["name"]}
    if is_exact(request):
        found["exactly"] = {
            name: value for name, value in request.items() if name not in ("name", "firstAvailable")
        }
    if "firstAvailable" in request:
        found["firstAvailable"] = request["firstAvailable"]
    return found


def _request_from_hub(request: Object) -> Object:
    exactly = request.get("exactly", {})
    found = {"name": request["name"], "deviceClassName": exactly.get("deviceClassName", "")}
    found |= {name: exactly[name] for name in _BEFORE_LISTS if name in exactly}
    if "firstAvailable" in request:
        found["firstAvailable"] = request["firstAvailable"]
    return {**found, **exactly}


_CLAIM = Conversion(
    lambda claim: {**claim, "spec": spec_to_hub(claim["spec"])},
    lambda claim: {**claim, "spec": spec_from_hub(claim["spec"])},
)
_TEMPLATE = Conversion(
    lambda each: {**each, "spec": {**each["spec"], "spec": spec_to_hub(each["spec"]["spec"])}},
    lambda each: {**each, "spec": {**each["spec"], "spec": spec_from_hub(each["spec"]["spec"])}},
)

CLAIM_CONVERSIONS = {"v1alpha3": _CLAIM, "v1beta1": _CLAIM}
TEMPLATE_CONVERSIONS = {"v1alpha3": _TEMPLATE, "v1beta1": _TEMPLATE}
