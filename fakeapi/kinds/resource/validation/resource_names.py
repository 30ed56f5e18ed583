"""Names of resources that a node has: extended ones, and those that Kubernetes itself knows.

Follows `IsExtendedResourceName` and `IsNativeResource` of k8s.io/kubernetes `pkg/apis/core/v1/helper`.
"""

from fakeapi.machinery.field_errors import FieldError, invalid
from fakeapi.machinery.meta import names

_NATIVE_DOMAIN = "kubernetes.io/"
_QUOTA_PREFIX = "requests."


def is_native(name: str) -> bool:
    """Whether a resource has no domain, or one of Kubernetes' own."""
    return "/" not in name or _NATIVE_DOMAIN in name


def validate_extended_resource_name(name: str, path: str) -> list[FieldError]:
    """Errors of the name under which pods ask for devices of a class without a claim."""
    if is_native(name) or name.startswith(_QUOTA_PREFIX) or names.is_qualified_name(_QUOTA_PREFIX + name):
        return [invalid(path, name, "must be a valid extended resource name")]
    return []
