"""Validates device attributes. An attribute has one value, or from 1.36 on a list of values.

Follows `validateDeviceAttribute` of k8s.io/kubernetes `pkg/apis/resource/validation`.
"""

from fakeapi.kinds.common.printing.values import printed_plain, printed_struct
from fakeapi.kinds.resource.validation.semver import validate_version
from fakeapi.machinery.field_errors import FieldError, invalid, required, too_long
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names
from fakeapi.releases.rules import ReleaseRules

LISTS = ("bools", "ints", "strings", "versions")


def validate_attribute(attribute: Object, path: str, rules: ReleaseRules) -> list[FieldError]:
    errors: list[FieldError] = []
    if "string" in attribute:
        errors += _validate_text(attribute["string"], f"{path}.string", rules)
    if "version" in attribute:
        errors += _validate_version(attribute["version"], f"{path}.version", rules)
    for name in LISTS:
        if name in attribute:
            errors += _validate_list(attribute[name], name, f"{path}.{name}", rules)
    member = rules.quirks.attribute_member
    if not attribute:
        problem = "exactly one value must be specified"
        by_requirement = rules.quirks.empty_attribute_is_required
        errors.append(required(path, problem) if by_requirement else invalid(path, "", problem))
    elif len(attribute) > 1:
        bad_value = printed_struct(attribute, rules.schemas.newest_type("resource", "DeviceAttribute"), rules)
        errors.append(invalid(path, bad_value, f"exactly one {member} must be specified"))
    return errors


def number_of_values(device: Object) -> int:
    """Returns the number of values in all attributes of a device.

    An attribute without a list has one value.
    """
    attributes = (device.get("attributes") or {}).values()
    return sum(sum(len(attribute.get(name, ())) for name in LISTS) or 1 for attribute in attributes)


def _validate_list(values: list[str], name: str, path: str, rules: ReleaseRules) -> list[FieldError]:
    if not values:
        return [invalid(path, printed_plain(values, rules.quirks.wording), "must not be empty if specified")]
    validate = {"strings": _validate_text, "versions": _validate_version}.get(name)
    if validate is None:
        return []
    return [
        error for index, value in enumerate(values) for error in validate(value, f"{path}[{index}]", rules)
    ]


def _validate_text(text: str, path: str, rules: ReleaseRules) -> list[FieldError]:
    most = rules.limits.attribute_value
    return [too_long(path, most, rules.quirks.too_long_name)] if names.byte_length(text) > most else []


def _validate_version(text: str, path: str, rules: ReleaseRules) -> list[FieldError]:
    return validate_version(text, path) + _validate_text(text, path, rules)


def has_list_attribute(device: Object) -> bool:
    """Whether any attribute of the device is a list."""
    attributes = (device.get("attributes") or {}).values()
    return any(name in attribute for attribute in attributes for name in LISTS)
