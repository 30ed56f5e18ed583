"""Validates `partitionTypeAttribute`, the attribute that names the partition type of a device.

Follows `validatePartitionTypeAttribute` of k8s.io/kubernetes `pkg/apis/resource/validation` from 1.37.
"""

from fakeapi.kinds.common.printing.values import printed_struct
from fakeapi.kinds.resource.validation.identifiers import validate_fully_qualified_name
from fakeapi.machinery.field_errors import FieldError, invalid, required
from fakeapi.machinery.json_types import Object
from fakeapi.releases.rules import ReleaseRules

_NAMED = "`partitionTypeAttribute` names this attribute"


def validate_partition_type(spec: Object, path: str, rules: ReleaseRules) -> list[FieldError]:
    """Validates `partitionTypeAttribute`: all devices that consume counters must have this attribute.

    A device may omit the domain from the attribute's name if the domain is the name of the driver.
    """
    name = spec.get("partitionTypeAttribute")
    if name is None:
        return []
    devices = [
        (index, device)
        for index, device in enumerate(spec.get("devices") or ())
        if device.get("consumesCounters")
    ]
    if not devices:
        problem = "may only be set on a slice which declares devices that consume counters"
        return [invalid(f"{path}.partitionTypeAttribute", name, problem)]
    if validate_fully_qualified_name(name, path, rules):
        return []
    bare = name.removeprefix(f"{spec['driver']}/")
    errors: list[FieldError] = []
    for index, device in devices:
        place = f"{path}.devices[{index}].attributes[{name}]"
        attributes = device.get("attributes") or {}
        attribute = attributes.get(name, attributes.get(bare))
        if attribute is None:
            errors.append(required(place, f"device consumes counters and {_NAMED}, so it must be set"))
        elif "string" not in attribute:
            bad_value = printed_struct(
                attribute, rules.schemas.newest_type("resource", "DeviceAttribute"), rules
            )
            errors.append(invalid(place, bad_value, f"must be a string value because {_NAMED}"))
    return errors
