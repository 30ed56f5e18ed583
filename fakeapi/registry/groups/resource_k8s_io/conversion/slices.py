"""Devices of slices: a capacity is a quantity in v1alpha3 and an object from v1beta1 on; v1beta2 has the
parts of a device beside its name, older versions under `basic`.

Follows k8s.io/kubernetes `pkg/apis/resource/v1alpha3` and `v1beta1` of 1.32 and 1.33.
"""

from collections.abc import Callable

from fakeapi.machinery.json_types import Object


def slice_from_objects(each: Object) -> Object:
    """From v1beta1 to v1alpha3."""
    return _with_devices(each, lambda device: _with_basic(device, _plain_capacity))


def slice_to_objects(each: Object) -> Object:
    """From v1alpha3 to v1beta1."""
    return _with_devices(each, lambda device: _with_basic(device, _capacity_objects))


def slice_from_flat(each: Object) -> Object:
    """From v1beta2 to v1alpha3; `nodeName: ""` and `allNodes: false`, which only v1beta2 has, stay."""
    return _with_devices(each, _from_flat)


def slice_to_flat(each: Object) -> Object:
    """From v1alpha3 to v1beta2."""
    return _with_devices(
        each, lambda device: {"name": device["name"], **_capacity_objects(device.get("basic", {}))}
    )


def _from_flat(device: Object) -> Object:
    parts = {name: value for name, value in device.items() if name != "name"}
    return {"name": device["name"], "basic": _plain_capacity(parts)}


def _with_devices(each: Object, change: Callable[[Object], Object]) -> Object:
    spec = each["spec"]
    if not spec["devices"]:
        return each
    return {**each, "spec": {**spec, "devices": [change(device) for device in spec["devices"]]}}


def _with_basic(device: Object, change: Callable[[Object], Object]) -> Object:
    return {**device, "basic": change(device["basic"])} if "basic" in device else device


def _plain_capacity(parts: Object) -> Object:
    if "capacity" not in parts:
        return parts
    return {**parts, "capacity": {name: each["value"] for name, each in parts["capacity"].items()}}


def _capacity_objects(parts: Object) -> Object:
    if "capacity" not in parts:
        return parts
    return {**parts, "capacity": {name: {"value": value} for name, value in parts["capacity"].items()}}
