"""PublishedResources: writes the ResourceSlices that DRA drivers of 1.30 publish through the kubelet.

Follows k8s.io/kubernetes `pkg/kubelet/cm/dra/plugin/noderesources.go` of 1.30. A driver streams the resources
of its node (NodeListAndWatchResources), and the kubelet writes them to ResourceSlices.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from fakeapi.clients.in_process import InProcessClient
from fakeapi.controllers.controller import ControllerContext
from fakeapi.controllers.informer import Informer
from fakeapi.controllers.kubelet.driver import Driver, Stop
from fakeapi.controllers.served import find_resource, served_as
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema import protobuf
from fakeapi.machinery.schema.protobuf_wire import encode_varint

_IN_SLICE = b"\x22"
"""The protobuf tag of a ResourceSlice's resource model, field 4 of the message."""


class PublishedResources:
    """The resources that the DRA drivers of one node publish.

    `changed`: called with the name of a driver whose resources changed.
    """

    def __init__(
        self, context: ControllerContext, api: InProcessClient, node: str, changed: Callable[[str], None]
    ) -> None:
        resource = find_resource(context.cluster.catalogue, "resource.k8s.io", "resourceslices")
        assert resource is not None, "the release has slices"
        self._resource = resource
        self._place = served_as(resource)
        self._slices: Informer = context.informer(self._place)
        self._api = api
        self._nodes = context.served("", "nodes")
        self._node = node
        self._changed = changed
        self._models: dict[str, list[Object]] = {}
        self._watched: dict[str, Stop] = {}

    def driver_came(self, driver: Driver) -> None:
        """Starts to read the resources that a driver streams; replaces an earlier driver with this name."""
        self.driver_went(driver.name)
        self._watched[driver.name] = driver.watch_resources(partial(self._reported, driver.name))

    def driver_went(self, name: str) -> None:
        """Stops reading the resources of the driver `name`. The next `sync` deletes its ResourceSlices."""
        stop = self._watched.pop(name, None)
        if stop is not None:
            stop()
        self._models.pop(name, None)
        self._changed(name)

    def stop(self) -> None:
        """Closes the resource streams of all drivers."""
        for stop in self._watched.values():
            stop()

    def _reported(self, driver: str, encoded: Sequence[bytes]) -> None:
        self._models[driver] = [self._model(model) for model in encoded]
        self._changed(driver)

    def _model(self, encoded: bytes) -> Object:
        """Decodes the protobuf bytes of a resource model, a part of a ResourceSlice."""
        length = encode_varint(len(encoded))
        decoded = protobuf.decode(_IN_SLICE + length + encoded, self._resource.schema)
        return {key: value for key, value in decoded.items() if key not in _OWN}

    async def sync(self, driver: str) -> None:
        """Creates, updates and deletes ResourceSlices, so that the slices match the resources of a driver.

        Raises StatusError if a request fails.
        """
        missing = list(self._models.get(driver, ()))
        obsolete = []
        for known in self._slices.objects.values():
            if known.get("nodeName") != self._node or known["driverName"] != driver:
                continue
            model = {key: value for key, value in known.items() if key not in _OWN}
            if model in missing:
                missing.remove(model)
            else:
                obsolete.append(known)
        for model in missing:
            if obsolete:
                old = obsolete.pop()
                kept = {key: value for key, value in old.items() if key in _OWN}
                await self._api.update(self._place.path_of(old), {**kept, **model})
            else:
                await self._api.create(self._place.path(), await self._new(driver, model))
        for old in obsolete:
            await self._api.delete(self._place.path_of(old))

    async def _new(self, driver: str, model: Object) -> Object:
        node = await self._api.get(self._nodes.path(name=self._node))
        owner: dict[str, Any] = {
            "apiVersion": "v1",
            "kind": "Node",
            "name": self._node,
            "uid": node["metadata"]["uid"],
            "controller": True,
        }
        metadata = {"generateName": f"{self._node}-{driver}-", "ownerReferences": [owner]}
        kind = {"kind": self._place.kind, "apiVersion": self._place.api_version}
        return {**kind, "metadata": metadata, "nodeName": self._node, "driverName": driver, **model}


_OWN = frozenset(("kind", "apiVersion", "metadata", "nodeName", "driverName"))
"""Fields of a ResourceSlice that are not part of its resource model."""
