"""Returns the attributes, capacity and taints of the devices of one pool, for the live page."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from fakeapi.control.devices.objects import Device, TaintRule
from fakeapi.control.devices.pools import newest_slices
from fakeapi.control.devices.reading import Objects


class TaintView(msgspec.Struct, rename="camel"):
    """A taint of a device as KEY=VALUE:EFFECT.

    `rule`: the name of the DeviceTaintRule that adds the taint; "" for a taint in the ResourceSlice.
    """

    text: str
    rule: str = ""


class DeviceDetails(msgspec.Struct, rename="camel"):
    """The attributes, capacity and taints of a device. Values are texts, such as `80Gi` or `true`."""

    name: str
    attributes: dict[str, str]
    capacity: dict[str, str]
    taints: list[TaintView]


def device_details(read: Objects, driver: str, pool: str) -> list[DeviceDetails]:
    """Returns the devices of a pool in the order of its ResourceSlices; [] if the pool does not exist."""
    return [
        _details(device, driver, pool, read.taint_rules)
        for slices in newest_slices(read.slices)
        for each in slices
        if (each.spec.driver, each.spec.pool.name) == (driver, pool)
        for device in each.spec.devices or ()
    ]


def _details(device: Device, driver: str, pool: str, rules: Iterable[TaintRule]) -> DeviceDetails:
    fields = device.fields
    taints = [TaintView(str(taint)) for taint in fields.taints or ()]
    for rule in rules:
        selector = rule.spec.device_selector
        if selector is None or selector.matches(driver, pool, device.name):
            taints.append(TaintView(str(rule.spec.taint), rule.metadata.name))
    return DeviceDetails(device.name, _texts(fields.attributes), _texts(fields.capacity), taints)


def _texts(values: Mapping[str, Any] | None) -> dict[str, str]:
    return {name: _text(value) for name, value in (values or {}).items()}


def _text(value: Any) -> str:
    """Returns the value of an attribute or a capacity: the only member of its object, without its type."""
    if isinstance(value, dict) and "value" in value:
        value = value["value"]
    elif isinstance(value, dict) and len(value) == 1:
        value = next(iter(value.values()))
    return value if isinstance(value, str) else json.dumps(value)
