"""Applies DeviceTaintRules: adds their taints to devices in ResourceSlices.

Follows k8s.io/dynamic-resource-allocation `resourceslice/tracker`.
"""

from collections.abc import Iterable, Mapping
from functools import partial

from fakeapi.controllers.allocation.effort import Effort
from fakeapi.controllers.allocation.model import Slice
from fakeapi.controllers.allocation.selectors import DeviceMatcher, SelectorError
from fakeapi.machinery.json_types import Object

NO_EFFECT = "None"


async def with_taints(
    slices: Iterable[Slice],
    rules: Iterable[Object],
    classes: Mapping[str, Object],
    matcher: DeviceMatcher,
    effort: Effort,
) -> list[Slice]:
    """Returns the ResourceSlices, with the taints of DeviceTaintRules added to the selected devices.

    - `classes`: the DeviceClasses by name.
    - `effort`: limits the evaluation of CEL selectors.
    """
    active = [rule for rule in rules if rule["spec"]["taint"].get("effect") != NO_EFFECT]
    if not active:
        return list(slices)
    return [await _tainted(resource_slice, active, classes, matcher, effort) for resource_slice in slices]


async def _tainted(
    each: Slice, rules: list[Object], classes: Mapping[str, Object], matcher: DeviceMatcher, effort: Effort
) -> Slice:
    devices, changed = [], False
    for device in each.spec.get("devices") or ():
        taints = []
        for rule in rules:
            step = partial(applies_to, rule["spec"], each, device, classes, matcher)
            if (await effort.run(step))[0]:
                taints.append(rule["spec"]["taint"])
        changed = changed or bool(taints)
        devices.append({**device, "taints": [*(device.get("taints") or ()), *taints]} if taints else device)
    return Slice(each.name, {**each.spec, "devices": devices}) if changed else each


def applies_to_names(spec: Object, driver: str, pool: str, device: str) -> bool:
    """Whether the deviceSelector of a DeviceTaintRule matches a device's driver, pool and name.

    `spec`: the spec of the DeviceTaintRule.
    """
    selector = spec.get("deviceSelector")
    if selector is None:
        return False
    pairs = (
        (selector.get("driver"), driver),
        (selector.get("pool"), pool),
        (selector.get("device"), device),
    )
    return not any(name and name != own for name, own in pairs)


def applies_to(
    spec: Object, each: Slice, device: Object, classes: Mapping[str, Object], matcher: DeviceMatcher
) -> bool:
    """Whether a DeviceTaintRule selects a device.

    Compares driver, pool and device name. Up to 1.34, rules can also have a DeviceClass and CEL selectors. A
    selector that fails does not match.

    - `spec`: the spec of the DeviceTaintRule.
    - `each`: the ResourceSlice that contains the device.
    """
    if not applies_to_names(spec, *each.pool_id, device["name"]):
        return False
    selector = spec["deviceSelector"]
    expressions = [one["cel"]["expression"] for one in selector.get("selectors") or ()]
    class_name = selector.get("deviceClassName")
    if class_name:
        if class_name not in classes:
            return False
        of_class = classes[class_name]["spec"].get("selectors") or ()
        expressions = [*(one["cel"]["expression"] for one in of_class), *expressions]
    try:
        return all(matcher(expression, each.spec["driver"], device) for expression in expressions)
    except SelectorError:
        return False
