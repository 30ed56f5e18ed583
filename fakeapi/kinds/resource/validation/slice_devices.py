"""Validates the devices of a ResourceSlice.

Follows k8s.io/kubernetes `pkg/apis/resource/validation`.
"""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from fakeapi.kinds.common.invalid_texts import validate_dns_label
from fakeapi.kinds.resource.validation.attributes import number_of_values, validate_attribute
from fakeapi.kinds.resource.validation.binding_conditions import validate_binding_conditions
from fakeapi.kinds.resource.validation.collections import validate_items, validate_map
from fakeapi.kinds.resource.validation.counters import Counters, validate_consumption
from fakeapi.kinds.resource.validation.identifiers import validate_qualified_name
from fakeapi.kinds.resource.validation.node_allocatable import (
    validate_mappings,
    validate_resources,
)
from fakeapi.kinds.resource.validation.request_policy import validate_capacity
from fakeapi.kinds.resource.validation.slice_nodes import validate_device_nodes
from fakeapi.kinds.resource.validation.taints import validate_taint
from fakeapi.machinery.field_errors import FieldError, invalid, required
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.semantic_equality import semantically_equal
from fakeapi.releases.rules import ReleaseRules


class Surroundings(msgspec.Struct, frozen=True):
    """Properties of a ResourceSlice that the validation of its devices needs.

    - `counters`: the counters that the slice shares
    - `old_devices`: the devices of the stored slice by name; empty on create
    - `chooses_nodes`: whether devices select their nodes themselves (`perDeviceNodeSelection`)
    """

    counters: Counters
    old_devices: Mapping[str, Object]
    chooses_nodes: bool


def validate_basic_device(device: Object, path: str, rules: ReleaseRules) -> list[FieldError]:
    """Validates a device in releases in which devices have the field `basic`."""
    errors = validate_dns_label(device["name"], f"{path}.name")
    path = f"{path}.basic"
    if "basic" in device:  # see conversion.slices.NOT_BASIC
        return [*errors, required(path)]
    return [
        *errors,
        *_validate_qualities(device, path, rules),
        *_validate_number_of_qualities(device, path, rules),
    ]


def validate_device(
    device: Object, path: str, surroundings: Surroundings, rules: ReleaseRules
) -> list[FieldError]:
    """Validates a device in releases with partitionable devices. Field paths do not contain `basic`.

    `surroundings`: the properties of the ResourceSlice that the rules need
    """
    old = surroundings.old_devices.get(device["name"])
    return [
        *validate_dns_label(device["name"], f"{path}.name"),
        *_validate_number_of_qualities(device, path, rules),
        *_validate_number_of_values(device, path, rules),
        *_validate_qualities(device, path, rules, old),
        *validate_taints(device, path, old, rules),
        *validate_consumption(device.get("consumesCounters"), path, surroundings.counters, rules),
        *validate_device_nodes(device, path, rules, chooses=surroundings.chooses_nodes),
        *validate_binding_conditions(device, path, rules),
        *validate_mappings(device, path, rules),
        *validate_resources(device, path, rules),
    ]


def validate_taints(device: Object, path: str, old: Object | None, rules: ReleaseRules) -> list[FieldError]:
    """Validates the taints of a device. From 1.35 on, does not validate unchanged taints.

    `old`: the stored device; None for a new device.
    """
    taints = device.get("taints")
    trusts = rules.quirks.unchanged_taints_are_trusted
    if trusts and old is not None and semantically_equal(taints, old.get("taints")):
        return []

    def validate(taint: Object, place: str) -> list[FieldError]:
        return validate_taint(taint, place, rules)

    return validate_items(taints, f"{path}.taints", rules.limits.taints, validate, rules)


def _validate_number_of_qualities(parts: Object, path: str, rules: ReleaseRules) -> list[FieldError]:
    number = len(parts.get("attributes", ())) + len(parts.get("capacity", ()))
    most = rules.limits.device_attributes_and_capacities
    if number <= most:
        return []
    return [invalid(path, number, f"the total number of attributes and capacities must not exceed {most}")]


def _validate_number_of_values(device: Object, path: str, rules: ReleaseRules) -> list[FieldError]:
    """Validates the number of attribute values, in releases that count the values of lists.

    Devices without list attributes cannot exceed this limit, because the limit on attributes is lower.
    """
    number, most = number_of_values(device), rules.limits.attribute_values_of_a_device
    if number <= most or not rules.quirks.attribute_values_are_counted:
        return []
    return [invalid(path, number, f"the total number of attribute values must not exceed {most}")]


def _validate_qualities(
    parts: Object, path: str, rules: ReleaseRules, old: Object | None = None
) -> list[FieldError]:
    """Validates the attributes and capacities of a device.

    - `parts`: the object with the attributes and capacities: the device, or its field `basic`
    - `old`: the stored device on update; None on create
    """
    is_shared = parts.get("allowMultipleAllocations") is True

    def attribute(value: Object, place: str) -> list[FieldError]:
        return validate_attribute(value, place, rules)

    def capacity(value: Object, place: str) -> list[FieldError]:
        return validate_capacity(value, place, rules, is_shared=is_shared)

    return [
        *_validate_qualified(parts.get("attributes"), f"{path}.attributes", attribute, rules),
        *(
            ()
            if old is not None
            and rules.quirks.unchanged_capacities_are_trusted
            and semantically_equal(parts.get("capacity"), old.get("capacity"))
            else _validate_qualified(parts.get("capacity"), f"{path}.capacity", capacity, rules)
        ),
    ]


def _validate_qualified(
    qualities: Mapping[str, Any] | None,
    path: str,
    validate: Callable[[Any, str], list[FieldError]],
    rules: ReleaseRules,
) -> list[FieldError]:
    limits = rules.limits
    return validate_map(
        qualities,
        path,
        lambda name, place: validate_qualified_name(name, place, rules),
        validate,
        key_shown=limits.attribute_domain + 1 + limits.attribute_id,
        rules=rules,
    )
