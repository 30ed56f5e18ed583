"""Finds the API resources that have objects.

Controllers that handle all kinds, such as the garbage collector, can then ignore the other resources.
"""

from collections.abc import AsyncIterator

from fakeapi.registry.model.catalogue import Catalogue
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.stored.keys import ObjectKey, first_keys, parse_key
from fakeapi_storage import Storage, StorageError


class Inventory:
    """Determines which resources of a server have objects."""

    def __init__(self, storage: Storage, catalogue: Catalogue) -> None:
        self._storage = storage
        self._catalogue = catalogue

    def resources(self, namespace: str = "") -> list[Resource]:
        """Returns all resources that have objects in the cluster, or in `namespace` if it is not empty.

        Reads at most two storage entries per resource. Omits resources that are not served.
        """
        resources = (self.resource_of(key) for key in first_keys(self._storage))
        return [
            resource
            for resource in resources
            if resource is not None and (not namespace or self._is_in(namespace, resource))
        ]

    def _is_in(self, namespace: str, resource: Resource) -> bool:
        return resource.kind.namespaced and self.has_objects(resource, namespace)

    def has_objects(self, resource: Resource, namespace: str = "", more_than: int = 0) -> bool:
        """Whether a namespace has more than `more_than` objects of a resource.

        `namespace`: "" for the whole cluster.
        """
        prefix = f"{resource.prefix}{namespace}/" if namespace else resource.prefix
        return len(self._storage.list(prefix, limit=more_than + 1).entries) > more_than

    def follow(self) -> "ResourcesInUse":
        """Returns the resources that have objects now, and follows the resources that get objects later."""
        return ResourcesInUse(self, self._storage)

    def resource_of(self, key: ObjectKey) -> Resource | None:
        """Returns the resource of a stored object, in its preferred version; None if it is not served."""
        versions = self._catalogue.versions(key.group)
        candidates = (self._catalogue.find(key.group, version, key.resource) for version in versions)
        return next(
            (resource for resource in candidates if resource is not None and resource.prefix == key.prefix),
            None,
        )


class ResourcesInUse:
    """The resources that have objects.

    `present` has the resources with objects now. `added` yields the resources that get objects later.
    """

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
                    key = parse_key(change.entry.key)
                    if key.prefix in self._known:
                        continue
                    self._known.add(key.prefix)
                    resource = self._inventory.resource_of(key)
                    if resource is not None:
                        yield resource
        except StorageError:
            return
        finally:
            self._watcher.close()
