"""What a device stands for among the resources that a node can allocate, such as CPUs and memory.

Follows `validateNodeAllocatableResourceMappings` of k8s.io/kubernetes `pkg/apis/resource/validation` of 1.36.
"""

from fakeapi.machinery.field_errors import FieldError, invalid, not_found
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import quantity
from fakeapi.registry.groups.resource_k8s_io.validation import bad_values
from fakeapi.registry.groups.resource_k8s_io.validation.resource_names import is_native
from fakeapi.releases.rules import ReleaseRules


def default_mappings(device: Object) -> None:
    """Sets the multiplier of each of the device's mappings that has none."""
    mappings = device.get("nodeAllocatableResourceMappings") or {}
    for name, mapping in mappings.items():
        if mapping.get("allocationMultiplier") is None:
            mappings[name] = {**mapping, "allocationMultiplier": "1"}


def validate_mappings(device: Object, path: str, rules: ReleaseRules) -> list[FieldError]:
    """Errors of the mappings of the device at `path`, by the order of their names; upstream has no order."""
    errors: list[FieldError] = []
    for name, mapping in sorted((device.get("nodeAllocatableResourceMappings") or {}).items()):
        place = f"{path}.nodeAllocatableResourceMappings[{name}]"
        if not is_native(name):
            shown = bad_values.plain(name, rules)
            errors.append(invalid(place, shown, "must be a node allocatable resource name"))
        errors += _validate_mapping(mapping, place, device.get("capacity") or {}, rules)
    return errors


def _validate_mapping(
    mapping: Object, path: str, capacities: Object, rules: ReleaseRules
) -> list[FieldError]:
    multiplier, key = mapping.get("allocationMultiplier"), mapping.get("capacityKey")
    if multiplier is None and key is None:
        return [invalid(path, "", "at least one of allocationMultiplier or capacityKey must be set")]
    errors: list[FieldError] = []
    if multiplier is not None and quantity.compare(multiplier, "0") <= 0:
        errors.append(invalid(f"{path}.allocationMultiplier", multiplier, "must be positive"))
    if key == "":
        errors.append(invalid(f"{path}.capacityKey", "", "capacityKey must not be an empty string"))
    elif key is not None and key not in capacities:
        errors.append(not_found(f"{path}.capacityKey", bad_values.plain(key, rules)))
    return errors
