"""Validates how devices map to node-allocatable resources such as CPUs and memory.

Follows k8s.io/kubernetes `pkg/apis/resource/validation`: `validateNodeAllocatableResourceMappings` of 1.36,
`validateNodeAllocatableResources` of 1.37.
"""

from fakeapi.kinds.common.printing.values import printed_plain
from fakeapi.kinds.common.resource_names import HUGE_PAGES, is_native
from fakeapi.machinery.field_errors import FieldError, invalid, not_found, required
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import quantity
from fakeapi.releases.rules import ReleaseRules


def default_mappings(device: Object) -> None:
    """Sets a missing `allocationMultiplier` to 1, in each resource mapping of the device."""
    mappings = device.get("nodeAllocatableResourceMappings") or {}
    for name, mapping in mappings.items():
        if mapping.get("allocationMultiplier") is None:
            mappings[name] = {**mapping, "allocationMultiplier": "1"}


def validate_mappings(device: Object, path: str, rules: ReleaseRules) -> list[FieldError]:
    """Validates `nodeAllocatableResourceMappings` of a device. `path`: the path of the device.

    Errors are sorted by resource name. Upstream's order is random.
    """
    errors: list[FieldError] = []
    for name, mapping in sorted((device.get("nodeAllocatableResourceMappings") or {}).items()):
        place = f"{path}.nodeAllocatableResourceMappings[{name}]"
        if not is_native(name):
            bad_value = printed_plain(name, rules.quirks.wording)
            errors.append(invalid(place, bad_value, "must be a node allocatable resource name"))
        errors += _validate_mapping(mapping, place, device.get("capacity") or {}, rules)
    return errors


def validate_resources(device: Object, path: str, rules: ReleaseRules) -> list[FieldError]:
    """Validates `nodeAllocatableResources` of a device, from 1.37.

    Each resource needs a mapping, an overhead or both.

    Errors are sorted by resource name. Upstream's order is random. `path`: the path of the device.
    """
    errors: list[FieldError] = []
    for name, resource in sorted((device.get("nodeAllocatableResources") or {}).items()):
        place = f"{path}.nodeAllocatableResources[{name}]"
        if name not in ("cpu", "memory") and not name.startswith(HUGE_PAGES):
            bad_value = printed_plain(name, rules.quirks.wording)
            errors.append(invalid(place, bad_value, "must be a node allocatable resource name"))
        if "mapping" not in resource and "overhead" not in resource:
            errors.append(required(place, "at least one of mapping or overhead must be set"))
        if "mapping" in resource:
            capacities = device.get("capacity") or {}
            errors += _validate_newer_mapping(resource["mapping"], f"{place}.mapping", capacities, rules)
        if "overhead" in resource:
            errors += _validate_overhead(resource["overhead"], f"{place}.overhead")
    return errors


def _validate_newer_mapping(
    mapping: Object, path: str, capacities: Object, rules: ReleaseRules
) -> list[FieldError]:
    errors: list[FieldError] = []
    key, multiplier = mapping.get("capacityKey"), mapping.get("capacityMultiplier")
    if key is not None:
        errors += _validate_key(key, f"{path}.capacityKey", capacities, rules)
        if multiplier is None:
            problem = "capacityMultiplier is required when capacityKey is set"
            errors.append(required(f"{path}.capacityMultiplier", problem))
        else:
            errors += _validate_positive(multiplier, f"{path}.capacityMultiplier")
    if "deviceMultiplier" in mapping:
        errors += _validate_positive(mapping["deviceMultiplier"], f"{path}.deviceMultiplier")
    if key is None and multiplier is not None:
        problem = "capacityKey is required when capacityMultiplier is set"
        errors.append(required(f"{path}.capacityKey", problem))
    return errors


def _validate_overhead(overhead: Object, path: str) -> list[FieldError]:
    if not overhead:
        return [invalid(path, "", "at least one of perPod or perContainer must be set")]
    return [
        invalid(f"{path}.{name}", overhead[name], "must be non-negative")
        for name in ("perPod", "perContainer")
        if name in overhead and quantity.compare(overhead[name], "0") < 0
    ]


def _validate_positive(multiplier: str, path: str) -> list[FieldError]:
    return [] if quantity.compare(multiplier, "0") > 0 else [invalid(path, multiplier, "must be positive")]


def _validate_key(key: str, path: str, capacities: Object, rules: ReleaseRules) -> list[FieldError]:
    if not key:
        return [invalid(path, "", "capacityKey must not be an empty string")]
    return [] if key in capacities else [not_found(path, printed_plain(key, rules.quirks.wording))]


def _validate_mapping(
    mapping: Object, path: str, capacities: Object, rules: ReleaseRules
) -> list[FieldError]:
    multiplier, key = mapping.get("allocationMultiplier"), mapping.get("capacityKey")
    if multiplier is None and key is None:
        return [invalid(path, "", "at least one of allocationMultiplier or capacityKey must be set")]
    errors: list[FieldError] = []
    if multiplier is not None:
        errors += _validate_positive(multiplier, f"{path}.allocationMultiplier")
    if key is not None:
        errors += _validate_key(key, f"{path}.capacityKey", capacities, rules)
    return errors
