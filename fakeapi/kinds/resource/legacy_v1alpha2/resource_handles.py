"""Validates allocations in v1alpha2: the resource handles for drivers, and the nodes that can use the claim.

Follows k8s.io/kubernetes `pkg/apis/resource/validation` and
`pkg/apis/resource/structured/namedresources/validation`.
"""

from fakeapi.kinds.common.invalid_texts import validate_dns_subdomain
from fakeapi.kinds.resource.validation.collections import validate_items
from fakeapi.kinds.resource.validation.identifiers import validate_driver_name
from fakeapi.machinery.field_errors import FieldError, invalid, required, too_long
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names
from fakeapi.machinery.meta.node_selector import validate_node_selector
from fakeapi.releases.rules import ReleaseRules


def validate_allocation(allocation: Object, path: str, rules: ReleaseRules) -> list[FieldError]:
    """Validates `status.allocation` of a v1alpha2 ResourceClaim. `path`: the field path in errors."""
    errors = validate_items(
        allocation.get("resourceHandles"),
        f"{path}.resourceHandles",
        rules.limits.resource_handles,
        lambda handle, place: _validate_handle(handle, place, rules),
        rules,
    )
    if "availableOnNodes" in allocation:
        errors += validate_node_selector(
            allocation["availableOnNodes"],
            f"{path}.availableOnNodes",
            checks_values=rules.quirks.node_selector_values_are_checked,
        )
    return errors


def _validate_handle(handle: Object, path: str, rules: ReleaseRules) -> list[FieldError]:
    errors = validate_driver_name(handle.get("driverName", ""), f"{path}.driverName", rules)
    if names.byte_length(handle.get("data", "")) > rules.limits.resource_handle_data:
        errors.append(too_long(f"{path}.data", rules.limits.resource_handle_data, rules.quirks.too_long_name))
    if "structuredData" in handle:
        errors += _validate_structured(handle["structuredData"], f"{path}.structuredData")
        if handle.get("data"):
            errors.append(invalid(path, "null", "data and structuredData are mutually exclusive"))
    return errors


def _validate_structured(handle: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    if "nodeName" in handle:
        errors += validate_dns_subdomain(handle["nodeName"], f"{path}.nodeName")
    for index, result in enumerate(handle["results"] or ()):
        place = f"{path}.results[{index}]"
        if "namedResources" in result:
            instance = result["namedResources"]["name"]
            errors += validate_dns_subdomain(instance, f"{place}.namedResources.name")
        else:
            errors.append(required(place, "exactly one structured model field must be set"))
    return errors
