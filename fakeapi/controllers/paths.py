"""ServedResource: builds the API paths of a resource's objects."""

from dataclasses import dataclass
from urllib.parse import quote

from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.catalogue import Catalogue
from fakeapi.registry.model.resource import Resource


@dataclass(frozen=True, slots=True)
class ServedResource:
    """A resource in the API version that a controller uses."""

    group: str
    version: str
    plural: str
    kind: str
    namespaced: bool

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    def path(self, namespace: str = "", name: str = "", subresource: str = "") -> str:
        """Returns the path of a collection, of an object or of a subresource."""
        root = f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"
        scope = f"/namespaces/{quote(namespace, safe='')}" if namespace and self.namespaced else ""
        rest = [quote(part, safe="") for part in (name, subresource) if part]
        return "/".join((f"{root}{scope}/{self.plural}", *rest))

    def path_of(self, obj: Object, subresource: str = "") -> str:
        """Returns the path of an object, from the name and namespace in its metadata."""
        metadata = obj["metadata"]
        return self.path(metadata.get("namespace", ""), metadata["name"], subresource)


def find_resource(catalogue: Catalogue, group: str, plural: str, *versions: str) -> Resource | None:
    """Returns a resource in the first served version of `versions`; None if no version has the resource.

    Without `versions`, tries the versions of the group in the order of discovery.
    """
    for version in versions or catalogue.versions(group):
        resource = catalogue.find(group, version, plural)
        if resource is not None:
            return resource
    return None


def served_as(resource: Resource) -> ServedResource:
    """Returns the ServedResource for a Resource of the catalogue."""
    kind = resource.kind
    return ServedResource(kind.group, kind.version, kind.resource, kind.kind, kind.namespaced)
