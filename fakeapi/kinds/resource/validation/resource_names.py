"""Validates the names of extended resources in device classes."""

from fakeapi.kinds.common.resource_names import is_extended
from fakeapi.machinery.field_errors import FieldError, invalid


def validate_extended_resource_name(name: str, path: str) -> list[FieldError]:
    """Validates the `extendedResourceName` of a DeviceClass, such as `example.com/gpu`."""
    return [] if is_extended(name) else [invalid(path, name, "must be a valid extended resource name")]
