"""Drops fields of slices whose feature gate is off, unless the stored slice uses them.

Follows k8s.io/kubernetes `pkg/registry/resource/resourceslice` of each release.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from fakeapi.kinds.resource import gates
from fakeapi.kinds.resource.claim_status_gates import without
from fakeapi.machinery.json_types import Object
from fakeapi.releases.rules import ReleaseRules

_LISTS = ("ints", "bools", "strings", "versions")
"""Fields that hold the values of a list attribute."""


def _unchanged(device: Object) -> Object:
    return device


@dataclass(frozen=True, slots=True)
class GatedFields:
    """The fields of one feature gate. A slice uses the gate if its spec or a device has any of them.

    - `spec`: fields of the slice's spec
    - `device`: fields of a device
    - `change`: removes nested fields of the gate from a device
    - `uses`: whether a device has such nested fields
    """

    spec: tuple[str, ...] = ()
    device: tuple[str, ...] = ()
    change: Callable[[Object], Object] = _unchanged
    uses: Callable[[Object], bool] = lambda device: False

    def are_used(self, spec: Object) -> bool:
        return any(spec.get(name) is not None for name in self.spec) or any(
            self.uses(device) or any(device.get(name) is not None for name in self.device)
            for device in spec.get("devices") or ()
        )

    def without(self, spec: Object) -> Object:
        spec = without(spec, *self.spec)
        if not spec.get("devices"):
            return spec
        return {
            **spec,
            "devices": [self.change(without(device, *self.device)) for device in spec["devices"]],
        }


def _change_each(name: str, change: Callable[[Object], Object]) -> Callable[[Object], Object]:
    """Returns a function that applies `change` to each value of a device's map `name`."""

    def changed(device: Object) -> Object:
        if not device.get(name):
            return device
        return {**device, name: {key: change(value) for key, value in device[name].items()}}

    return changed


def _with_consumption(device: Object, dropped: str) -> Object:
    """Returns the device with the field `dropped` removed from each entry of `consumesCounters`."""
    if not device.get("consumesCounters"):
        return device
    return {
        **device,
        "consumesCounters": [without(consumption, dropped) for consumption in device["consumesCounters"]],
    }


def _has_policy(device: Object) -> bool:
    return any("requestPolicy" in capacity for capacity in (device.get("capacity") or {}).values())


def has_list_attribute(device: Object) -> bool:
    """Whether an attribute of the device is a list."""
    attributes = (device.get("attributes") or {}).values()
    return any(name in attribute for attribute in attributes for name in _LISTS)


_GATED = {
    gates.DEVICE_TAINTS: GatedFields(device=("taints",)),
    gates.PARTITIONABLE_DEVICES: GatedFields(
        spec=("sharedCounters", "perDeviceNodeSelection"),
        device=("consumesCounters", "nodeName", "nodeSelector", "allNodes"),
    ),
    gates.BINDING_CONDITIONS: GatedFields(
        device=("bindingConditions", "bindingFailureConditions", "bindsToNode")
    ),
    gates.CONSUMABLE_CAPACITY: GatedFields(
        device=("allowMultipleAllocations",),
        change=_change_each("capacity", lambda capacity: without(capacity, "requestPolicy")),
        uses=_has_policy,
    ),
    gates.NODE_ALLOCATABLE_RESOURCES: GatedFields(
        device=("nodeAllocatableResourceMappings", "nodeAllocatableResources")
    ),
    gates.COMPATIBILITY_GROUPS: GatedFields(
        change=lambda device: _with_consumption(device, "compatibilityGroups"),
        uses=lambda device: any(
            "compatibilityGroups" in consumption for consumption in device.get("consumesCounters") or ()
        ),
    ),
    gates.PARTITION_TYPES: GatedFields(spec=("partitionTypeAttribute",)),
    gates.OPTIONAL_NODE_OPERATIONS: GatedFields(spec=("skipNodeOperations",)),
    gates.LIST_TYPE_ATTRIBUTES: GatedFields(
        change=_change_each("attributes", lambda attribute: without(attribute, *_LISTS)),
        uses=has_list_attribute,
    ),
}


def dropped_fields(rules: ReleaseRules) -> tuple[GatedFields, ...]:
    """Returns the fields that the release drops with its current feature gates."""
    return tuple(_dropped(rules))


def _dropped(rules: ReleaseRules) -> Iterator[GatedFields]:
    for gate, fields in _GATED.items():
        binds = gate == gates.BINDING_CONDITIONS
        if rules.drops(gate) or (binds and rules.drops(gates.DEVICE_STATUS)):
            yield fields


def enabled_spec(spec: Object, old: Object | None, dropped: tuple[GatedFields, ...]) -> Object:
    """Returns the spec without the `dropped` fields, except those of a gate that `old` uses."""
    for fields in dropped:
        if old is None or not fields.are_used(old):
            spec = fields.without(spec)
    return spec
