"""Finds the resources that have objects, so that controllers of every kind leave the others alone."""

from collections.abc import Iterator

from fakeapi.cluster import Cluster
from fakeapi.registry.model.resource import Resource

AFTER_SLASH = "0"
"""The character after "/": what sorts before it shares the prefix."""


def stored_prefixes(cluster: Cluster) -> Iterator[str]:
    """The prefixes of storage keys that have objects: /GROUP/RESOURCE/ or /GROUP/HUB/RESOURCE/.

    One look at the storage for each of them, however many objects there are.
    """
    start: str | None = None
    while True:
        page = cluster.storage.list("/", start_after=start, limit=1)
        if not page.entries:
            return
        prefix = prefix_of(page.entries[0].key, cluster)
        yield prefix
        start = prefix[:-1] + AFTER_SLASH


def prefix_of(key: str, cluster: Cluster) -> str:
    """The prefix of a storage key: /GROUP/RESOURCE/, or /GROUP/HUB/RESOURCE/ where the hub is in the key."""
    _, group, first, *rest = key.split("/")
    if rest and not _versions_of(cluster, group, first) and _versions_of(cluster, group, rest[0]):
        return f"/{group}/{first}/{rest[0]}/"
    return f"/{group}/{first}/"


def resource_of(cluster: Cluster, prefix: str) -> Resource | None:
    """The served resource whose objects have a prefix, in the version that discovery prefers."""
    _, group, *_, plural, _ = prefix.split("/")
    return next((each for each in _versions_of(cluster, group, plural) if each.prefix == prefix), None)


def resources_with_objects(cluster: Cluster, namespace: str = "") -> list[Resource]:
    """The resources that have objects, of a namespace where one is named, each once."""
    found: list[Resource] = []
    for prefix in stored_prefixes(cluster):
        resource = resource_of(cluster, prefix)
        if resource is None:
            continue
        if namespace and not resource.kind.namespaced:
            continue
        if not namespace or has_objects(cluster, resource, namespace):
            found.append(resource)
    return found


def has_objects(cluster: Cluster, resource: Resource, namespace: str) -> bool:
    """Whether a namespace has objects of a resource."""
    return bool(cluster.storage.list(f"{resource.prefix}{namespace}/", limit=1).entries)


def _versions_of(cluster: Cluster, group: str, plural: str) -> list[Resource]:
    catalogue = cluster.catalogue
    name = "" if group == "core" else group
    found = (catalogue.find(name, version, plural) for version in catalogue.versions(name))
    return [each for each in found if each is not None]
