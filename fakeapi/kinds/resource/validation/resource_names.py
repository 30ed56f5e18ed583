"""Validates resource names of nodes: extended resources, and resources of Kubernetes itself.

Follows `IsExtendedResourceName` and `IsNativeResource` of k8s.io/kubernetes `pkg/apis/core/v1/helper`.
"""

from fakeapi.machinery.field_errors import FieldError, invalid
from fakeapi.machinery.meta import names

_NATIVE_DOMAIN = "kubernetes.io/"
_QUOTA_PREFIX = "requests."


def is_native(name: str) -> bool:
    """Whether a resource name has no domain, or contains `kubernetes.io/`."""
    return "/" not in name or _NATIVE_DOMAIN in name


def validate_extended_resource_name(name: str, path: str) -> list[FieldError]:
    """Validates the `extendedResourceName` of a DeviceClass, such as `example.com/gpu`."""
    if is_native(name) or name.startswith(_QUOTA_PREFIX) or names.is_qualified_name(_QUOTA_PREFIX + name):
        return [invalid(path, name, "must be a valid extended resource name")]
    return []
