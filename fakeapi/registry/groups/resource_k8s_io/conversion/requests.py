"""Requests of claims and templates: v1beta2 says under `exactly` what older versions say in the request.

Follows k8s.io/kubernetes `pkg/apis/resource/v1alpha3` and `v1beta1` of 1.33.
"""

from fakeapi.machinery.json_types import Object
from fakeapi.registry.groups.resource_k8s_io.validation.claim_devices import is_exact

_BEFORE_LISTS = ("selectors", "allocationMode", "count", "adminAccess")


def claim_from_exactly(claim: Object) -> Object:
    return {**claim, "spec": _spec_from_exactly(claim["spec"])}


def claim_to_exactly(claim: Object) -> Object:
    return {**claim, "spec": _spec_to_exactly(claim["spec"])}


def template_from_exactly(template: Object) -> Object:
    spec = template["spec"]
    return {**template, "spec": {**spec, "spec": _spec_from_exactly(spec["spec"])}}


def template_to_exactly(template: Object) -> Object:
    spec = template["spec"]
    return {**template, "spec": {**spec, "spec": _spec_to_exactly(spec["spec"])}}


def _spec_from_exactly(spec: Object) -> Object:
    devices = spec["devices"]
    requests = [_request_from_exactly(request) for request in devices["requests"] or ()]
    return {**spec, "devices": {**devices, "requests": requests or devices["requests"]}}


def _spec_to_exactly(spec: Object) -> Object:
    devices = spec["devices"]
    requests = [_request_to_exactly(request) for request in devices["requests"] or ()]
    return {**spec, "devices": {**devices, "requests": requests or devices["requests"]}}


def _request_from_exactly(request: Object) -> Object:
    exactly = request.get("exactly", {})
    plain = {"name": request["name"], "deviceClassName": exactly.get("deviceClassName", "")}
    plain |= {name: exactly[name] for name in _BEFORE_LISTS if name in exactly}
    if "firstAvailable" in request:
        plain["firstAvailable"] = request["firstAvailable"]
    if "tolerations" in exactly:
        plain["tolerations"] = exactly["tolerations"]
    return plain


def _request_to_exactly(request: Object) -> Object:
    nested: Object = {"name": request["name"]}
    if is_exact(request):
        nested["exactly"] = {
            name: value for name, value in request.items() if name not in ("name", "firstAvailable")
        }
    if "firstAvailable" in request:
        nested["firstAvailable"] = request["firstAvailable"]
    return nested
