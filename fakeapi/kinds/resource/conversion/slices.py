"""Converts the devices in ResourceSlices.

In the hub version (the stored layout), as in v1 and v1beta2, the fields of a device are next to its name, and
a capacity is an object. In v1alpha3 and v1beta1 these fields are under `basic`; in v1alpha3 a capacity is a
quantity. Follows k8s.io/kubernetes `pkg/apis/resource/v1alpha3` and `v1beta1` of 1.32 and 1.33.
"""

from collections.abc import Callable

from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.conversion import Conversion

NOT_BASIC: Object = {"basic": None}
"""Marks devices that a client sent without `basic`. Releases 1.31 and 1.32 reject such devices."""


def _with_devices(each: Object, change: Callable[[Object], Object]) -> Object:
    spec = each["spec"]
    if not spec.get("devices"):
        return each
    return {**each, "spec": {**spec, "devices": [change(device) for device in spec["devices"]]}}


def _from_basic(device: Object) -> Object:
    return {"name": device["name"], **device.get("basic", NOT_BASIC)}


def _to_basic(device: Object) -> Object:
    parts = {name: value for name, value in device.items() if name != "name"}
    return {"name": device["name"]} if parts == NOT_BASIC else {"name": device["name"], "basic": parts}


def _from_quantities(device: Object) -> Object:
    parts = _from_basic(device)
    if "capacity" in parts:
        parts["capacity"] = {name: {"value": value} for name, value in parts["capacity"].items()}
    return parts


def _to_quantities(device: Object) -> Object:
    if "capacity" in device:
        device = {
            **device,
            "capacity": {name: capacity["value"] for name, capacity in device["capacity"].items()},
        }
    return _to_basic(device)


_REBUILT = frozenset((("BasicDevice", "taints"), ("BasicDevice", "consumesCounters")))

SLICE_CONVERSIONS = {
    "v1alpha3": Conversion(
        lambda resource_slice: _with_devices(resource_slice, _from_quantities),
        lambda resource_slice: _with_devices(resource_slice, _to_quantities),
        _REBUILT,
    ),
    "v1beta1": Conversion(
        lambda resource_slice: _with_devices(resource_slice, _from_basic),
        lambda resource_slice: _with_devices(resource_slice, _to_basic),
        _REBUILT,
    ),
}
