"""Finds the resources that controllers use in the server's own catalogue, without discovery."""

from fakeapi.clients.served_resource import ServedResource
from fakeapi.registry.model.catalogue import Catalogue
from fakeapi.registry.model.resource import Resource


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
