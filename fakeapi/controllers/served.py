"""Finds API resources for controllers in the server's catalogue, without discovery requests."""

from fakeapi.clients.served_resource import ServedResource
from fakeapi.registry.model.catalogue import Catalogue
from fakeapi.registry.model.resource import Resource


def find_resource(catalogue: Catalogue, group: str, plural: str, *versions: str) -> Resource | None:
    """Returns the resource from the first of `versions` that contains it; None if no version contains it.

    Without `versions`, tries all versions of the API group, the preferred version first.
    """
    for version in versions or catalogue.versions(group):
        resource = catalogue.find(group, version, plural)
        if resource is not None:
            return resource
    return None


def served_as(resource: Resource) -> ServedResource:
    """Converts a Resource of the catalogue to a ServedResource. Controllers build URL paths with the
    result.
    """
    kind = resource.kind
    return ServedResource(kind.group, kind.version, kind.resource, kind.kind, kind.namespaced)
