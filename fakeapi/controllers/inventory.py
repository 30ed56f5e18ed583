"""Finds the resources that have objects.

Controllers that handle all kinds, such as the garbage collector, can then ignore the other resources.
"""

from collections.abc import Iterator

from fakeapi.cluster import Cluster
from fakeapi.registry.model.resource import Resource

AFTER_SLASH = "0"
"""The character after "/" in ASCII.

So "/GROUP/RESOURCE0" sorts after all keys that begin with "/GROUP/RESOURCE/".
"""


def stored_prefixes(cluster: Cluster) -> Iterator[str]:
    """Yields the prefixes of all storage keys: /GROUP/RESOURCE/ or /GROUP/HUB/RESOURCE/.

    HUB is the API version in which the objects are stored. Reads only one storage entry per prefix, even if
    there are many objects.
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
    """Returns the prefix of a storage key up to the name of the resource, such as /apps/deployments/."""
    _, group, first, *rest = key.split("/")
    if rest and not _versions_of(cluster, group, first) and _versions_of(cluster, group, rest[0]):
        return f"/{group}/{first}/{rest[0]}/"
    return f"/{group}/{first}/"


def resource_of(cluster: Cluster, prefix: str) -> Resource | None:
    """Returns the resource with this storage prefix, in the preferred version; None if it is not served."""
    _, group, *_, plural, _ = prefix.split("/")
    return next(
        (resource for resource in _versions_of(cluster, group, plural) if resource.prefix == prefix), None
    )


def resources_with_objects(cluster: Cluster, namespace: str = "") -> list[Resource]:
    """Returns all resources that have objects in the cluster, or in `namespace` if it is not empty."""
    resources: list[Resource] = []
    for prefix in stored_prefixes(cluster):
        resource = resource_of(cluster, prefix)
        if resource is None:
            continue
        if namespace and not resource.kind.namespaced:
            continue
        if not namespace or has_objects(cluster, resource, namespace):
            resources.append(resource)
    return resources


def has_objects(cluster: Cluster, resource: Resource, namespace: str = "", more_than: int = 0) -> bool:
    """Whether a namespace has more than `more_than` objects of a resource.

    `namespace`: "" for the whole cluster.
    """
    prefix = f"{resource.prefix}{namespace}/" if namespace else resource.prefix
    return len(cluster.storage.list(prefix, limit=more_than + 1).entries) > more_than


def _versions_of(cluster: Cluster, group: str, plural: str) -> list[Resource]:
    catalogue = cluster.catalogue
    name = "" if group == "core" else group
    candidates = (catalogue.find(name, version, plural) for version in catalogue.versions(name))
    return [resource for resource in candidates if resource is not None]
