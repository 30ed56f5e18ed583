"""Finds the API resources that have objects.

Controllers that handle all kinds, such as the garbage collector, can then ignore the other resources.
"""

from collections.abc import AsyncIterator

from fakeapi.registry.model.catalogue import Catalogue
from fakeapi.registry.model.resource import Resource
from fakeapi_storage import Storage, StorageError

AFTER_SLASH = "0"
"""The character after "/" in ASCII.

So "/GROUP/RESOURCE0" sorts after all keys that begin with "/GROUP/RESOURCE/".
"""


class Inventory:
    """Answers which resources of a server have objects."""

    def __init__(self, storage: Storage, catalogue: Catalogue) -> None:
        self._storage = storage
        self._catalogue = catalogue

    def resources(self, namespace: str = "") -> list[Resource]:
        """Returns all resources that have objects in the cluster, or in `namespace` if it is not empty.

        Reads at most two storage entries a resource. Omits resources that are not served.
        """
        resources: list[Resource] = []
        start: str | None = None
        while page := self._storage.list("/", start_after=start, limit=1).entries:
            prefix = self.prefix_of(page[0].key)
            start = prefix[:-1] + AFTER_SLASH
            resource = self.resource_of(prefix)
            if resource is not None and (not namespace or self._is_in(namespace, resource)):
                resources.append(resource)
        return resources

    def _is_in(self, namespace: str, resource: Resource) -> bool:
        return resource.kind.namespaced and self.has_objects(resource, namespace)

    def has_objects(self, resource: Resource, namespace: str = "", more_than: int = 0) -> bool:
        """Whether a namespace has more than `more_than` objects of a resource.

        `namespace`: "" for the whole cluster.
        """
        prefix = f"{resource.prefix}{namespace}/" if namespace else resource.prefix
        return len(self._storage.list(prefix, limit=more_than + 1).entries) > more_than

    def follow(self) -> "ResourcesInUse":
        """Returns the resources that have objects now; its `added` yields those that get objects later."""
        return ResourcesInUse(self, self._storage)

    def prefix_of(self, key: str) -> str:
        """Returns the prefix of a storage key up to the name of the resource.

        The result is /GROUP/RESOURCE/ or /GROUP/HUB/RESOURCE/, such as /apps/deployments/. HUB is the API
        version in which the objects are stored.
        """
        _, group, first, *rest = key.split("/")
        if rest and not self._versions_of(group, first) and self._versions_of(group, rest[0]):
            return f"/{group}/{first}/{rest[0]}/"
        return f"/{group}/{first}/"

    def resource_of(self, prefix: str) -> Resource | None:
        """Returns the resource with this storage prefix, in its preferred version; None if not served."""
        _, group, *_, plural, _ = prefix.split("/")
        versions = self._versions_of(group, plural)
        return next((resource for resource in versions if resource.prefix == prefix), None)

    def _versions_of(self, group: str, plural: str) -> list[Resource]:
        name = "" if group == "core" else group
        candidates = (
            self._catalogue.find(name, version, plural) for version in self._catalogue.versions(name)
        )
        return [resource for resource in candidates if resource is not None]


class ResourcesInUse:
    """The resources that have objects, and those that get their first objects later."""

    def __init__(self, inventory: Inventory, storage: Storage) -> None:
        self._inventory = inventory
        self._watcher = storage.watch("/")
        self.present = inventory.resources()
        """The resources that have objects when this object is created."""
        self._known = {resource.prefix for resource in self.present}

    async def added(self) -> AsyncIterator[Resource]:
        """Yields each resource that is not in `present` once, after its first object is stored.

        Ends when the storage ends its watches, such as before a reset or a restore.
        """
        try:
            while True:
                for change in await self._watcher.next_batch():
                    prefix = self._inventory.prefix_of(change.entry.key)
                    if prefix in self._known:
                        continue
                    self._known.add(prefix)
                    resource = self._inventory.resource_of(prefix)
                    if resource is not None:
                        yield resource
        except StorageError:
            return
        finally:
            self._watcher.close()
