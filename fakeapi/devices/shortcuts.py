"""Expands short forms of devices and counter sets into the layout of resource.k8s.io/v1.

- Attributes: `model: A100` stands for `model: {string: A100}`. Whole numbers and booleans have the same short
  form.
- Capacities and counters: `memory: 80Gi` stands for `memory: {value: 80Gi}`.
- consumesCounters: `{gpu-0: {memory: 10Gi}}` stands for a list with one entry for each counter set.
"""

from collections.abc import Mapping
from typing import Any

from fakeapi.devices.model import DeviceError
from fakeapi.machinery.json_types import Object


def device_of(template: Any, shared: Mapping[str, Any]) -> Object:
    """Expands the template of a device into the layout of resource.k8s.io/v1.

    `shared`: attributes and capacities of all devices of the driver; the values of the device take
    precedence. Raises DeviceError if the template has no name or an invalid member.
    """
    device = _named(template, "device")
    for member, of in (("attributes", _attribute), ("capacity", _amount)):
        values = {**(shared.get(member) or {}), **(_mapping(device, member))}
        if values:
            device[member] = {str(name): of(value, f"{member}: {name}") for name, value in values.items()}
    consumed = device.get("consumesCounters")
    if isinstance(consumed, Mapping):
        device["consumesCounters"] = [
            {"counterSet": name, "counters": _counters(counters)} for name, counters in consumed.items()
        ]
    elif consumed is not None:
        device["consumesCounters"] = [
            {**_object(each), "counters": _counters(_object(each).get("counters"))} for each in consumed
        ]
    return device


def counter_set_of(template: Any) -> Object:
    """Expands the template of a counter set. Raises DeviceError if the template has no name or invalid
    counters.
    """
    counter_set = _named(template, "counter set")
    return {**counter_set, "counters": _counters(counter_set.get("counters"))}


def _named(template: Any, what: str) -> Object:
    if not isinstance(template, Mapping) or not isinstance(template.get("name"), str):
        raise DeviceError(f"a {what} is a mapping with a name, not {template!r:.80}")
    if "for" in template and not isinstance(template["for"], Mapping):
        raise DeviceError(f"for: {template['for']!r:.80} is not a mapping such as {{j: 7}}")
    return dict(template)


def _object(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise DeviceError(f"{value!r:.80} is not a mapping")
    return value


def _mapping(device: Object, member: str) -> Mapping[str, Any]:
    value = device.get(member) or {}
    if not isinstance(value, Mapping):
        raise DeviceError(f"{member}: {value!r:.80} is not a mapping")
    return value


def _attribute(value: Any, place: str) -> Object:
    if isinstance(value, Mapping):
        return dict(value)
    for kind, name in ((bool, "bool"), (int, "int"), (str, "string")):
        if isinstance(value, kind):
            return {name: value}
    raise DeviceError(f"{place}: {value!r:.80} is neither a text, a whole number, a boolean nor an attribute")


def _amount(value: Any, place: str) -> Object:
    if isinstance(value, Mapping):
        return {**value, "value": str(value["value"])} if "value" in value else dict(value)
    if isinstance(value, str | int) and not isinstance(value, bool):
        return {"value": str(value)}
    raise DeviceError(f"{place}: {value!r:.80} is not a quantity such as 80Gi")


def _counters(value: Any) -> Object:
    if not isinstance(value, Mapping):
        raise DeviceError(f"counters: {value!r:.80} is not a mapping of names to quantities")
    return {str(name): _amount(amount, f"counters: {name}") for name, amount in value.items()}
