"""ResourcePath: the object or collection in the path of a recorded request."""

from typing import NamedTuple

from fakeapi.clients.served_resource import api_version_of, object_path, version_path
from fakeapi.machinery.meta import request_info

NAMESPACES = request_info.NAMESPACES


class ResourcePath(NamedTuple):
    """The parts of a request path below /api or /apis. `resource` is "" for discovery and other paths."""

    group: str = ""
    version: str = ""
    resource: str = ""
    namespace: str = ""
    name: str = ""
    subresource: str = ""

    @property
    def group_resource(self) -> tuple[str, str]:
        """The group and the resource, which are equal for all versions of a resource."""
        return self.group, self.resource

    @property
    def key(self) -> tuple[str, str, str, str]:
        """Group, resource, namespace and name, which are equal for all versions and subresources."""
        return self.group, self.resource, self.namespace, self.name

    @property
    def collection(self) -> str:
        """The path of the collection for list and create, such as "/api/v1/namespaces/default/pods"."""
        return object_path(api_version_of(self.group, self.version), self.resource, self.namespace)

    @property
    def group_version(self) -> str:
        """The path of the API version, such as "/apis/resource.k8s.io/v1" or "/api/v1"."""
        return version_path(api_version_of(self.group, self.version))

    @property
    def full_resource(self) -> str:
        """The resource with its subresource as in discovery, such as "resourceclaims/status"."""
        return f"{self.resource}/{self.subresource}" if self.subresource else self.resource

    @property
    def discovery_path(self) -> str:
        """The API version with the resource and subresource, such as "/api/v1/pods/status"."""
        return f"{self.group_version}/{self.full_resource}"

    def __str__(self) -> str:
        """Returns a short text for messages, such as "resourceclaims ns/name"."""
        inside = f"{self.namespace}/{self.name}" if self.namespace else self.name
        return f"{self.resource} {inside}".strip()


NO_RESOURCE = ResourcePath()


def resource_path(info: request_info.RequestInfo | None) -> ResourcePath:
    """Converts a parsed path to a ResourcePath. Returns NO_RESOURCE for a path without a resource."""
    if info is None or not info.resource:
        return NO_RESOURCE
    subresource = "/".join((info.subresource, *info.tail)) if info.tail else info.subresource
    return ResourcePath(info.group, info.version, info.resource, info.namespace, info.name, subresource)
