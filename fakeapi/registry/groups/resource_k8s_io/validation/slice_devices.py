"""The devices of a slice: what they are like, and where they can be used.

Follows k8s.io/kubernetes `pkg/apis/resource/validation` of 1.31 to 1.33.
"""

from collections.abc import Callable, Mapping
from typing import Any

from fakeapi.machinery.field_errors import FieldError, invalid, required, too_long
from fakeapi.machinery.golang import go_syntax
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names
from fakeapi.registry.groups.resource_k8s_io.validation.collections import validate_items, validate_map
from fakeapi.registry.groups.resource_k8s_io.validation.counters import Counters, validate_consumption
from fakeapi.registry.groups.resource_k8s_io.validation.identifiers import (
    validate_dns_label,
    validate_qualified_name,
)
from fakeapi.registry.groups.resource_k8s_io.validation.nodes import validate_node_name, validate_nodes
from fakeapi.registry.groups.resource_k8s_io.validation.semver import validate_version
from fakeapi.registry.groups.resource_k8s_io.validation.taints import validate_taint
from fakeapi.releases.rules import ReleaseRules

_CHOICE = (
    "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is "
    "set to true in the ResourceSlice spec"
)
_NO_CHOICE = (
    "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in "
    "the ResourceSlice spec"
)


def validate_basic_device(device: Object, path: str, rules: ReleaseRules) -> list[FieldError]:
    """Errors of a device in releases where it has to be a basic one."""
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
    device: Object, path: str, counters: Counters, rules: ReleaseRules, *, chooses_nodes: bool
) -> list[FieldError]:
    """Errors of a device in releases with partitionable devices, whose paths know no `basic`.

    `counters` are those that the slice shares; `chooses_nodes`: each device says where it can be used.
    """
    errors = [
        *validate_dns_label(device["name"], f"{path}.name"),
        *_validate_number_of_qualities(device, path, rules),
        *_validate_qualities(device, path, rules),
        *validate_items(device.get("taints"), f"{path}.taints", rules.limits.taints, validate_taint, rules),
        *validate_consumption(device.get("consumesCounters"), path, counters, rules),
    ]
    if chooses_nodes:
        return errors + _validate_choice(device, path, rules)
    if any(name in device for name in ("nodeName", "nodeSelector", "allNodes")):
        errors.append(invalid(path, None, _NO_CHOICE))
    return errors


def _validate_number_of_qualities(parts: Object, path: str, rules: ReleaseRules) -> list[FieldError]:
    number = len(parts.get("attributes", ())) + len(parts.get("capacity", ()))
    most = rules.limits.device_attributes_and_capacities
    if number <= most:
        return []
    return [invalid(path, number, f"the total number of attributes and capacities must not exceed {most}")]


def _validate_qualities(parts: Object, path: str, rules: ReleaseRules) -> list[FieldError]:
    def attribute(value: Object, place: str) -> list[FieldError]:
        return _validate_attribute(value, place, rules)

    return [
        *_validate_qualified(parts.get("attributes"), f"{path}.attributes", attribute, rules),
        *_validate_qualified(parts.get("capacity"), f"{path}.capacity", lambda value, place: [], rules),
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


def _validate_attribute(attribute: Object, path: str, rules: ReleaseRules) -> list[FieldError]:
    errors: list[FieldError] = []
    most = rules.limits.attribute_value
    for name in ("string", "version"):
        if name not in attribute:
            continue
        place = f"{path}.{name}"
        if name == "version":
            errors += validate_version(attribute[name], place)
        if names.byte_length(attribute[name]) > most:
            errors.append(too_long(place, most, rules.quirks.too_long_name))
    if not attribute:
        errors.append(required(path, "exactly one value must be specified"))
    elif len(attribute) > 1:
        problem = f"exactly one {rules.quirks.attribute_member} must be specified"
        errors.append(invalid(path, go_syntax.device_attribute(attribute), problem))
    return errors


def _validate_choice(parts: Object, path: str, rules: ReleaseRules) -> list[FieldError]:
    chosen: list[str] = []
    errors: list[FieldError] = []
    if parts.get("nodeName"):
        chosen.append("`nodeName`")
        errors += validate_node_name(parts["nodeName"], f"{path}.nodeName")
    elif "nodeName" in parts:
        errors.append(invalid(f"{path}.nodeName", "", "must not be empty"))
    if "nodeSelector" in parts:
        chosen.append("`nodeSelector`")
        errors += validate_nodes(parts, "nodeSelector", f"{path}.nodeSelector", rules)
    if parts.get("allNodes"):
        chosen.append("`allNodes`")
    elif "allNodes" in parts:
        errors.append(invalid(f"{path}.allNodes", value=False, detail="must be either unset or set to true"))
    if not chosen:
        errors.append(required(path, _CHOICE))
    elif len(chosen) > 1:
        errors.append(invalid(path, f"{{{', '.join(chosen)}}}", _CHOICE))
    return errors
