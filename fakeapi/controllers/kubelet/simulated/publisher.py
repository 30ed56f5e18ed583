"""SlicePublisher: publishes the devices of simulated drivers as ResourceSlices.

Follows k8s.io/dynamic-resource-allocation `resourceslice`: publishes a changed pool with a new generation,
and creates deleted slices again.
"""

from collections.abc import Callable
from typing import TypeAlias

from fakeapi.clients.errors import StatusError
from fakeapi.clients.in_process import InProcessClient
from fakeapi.clients.served_resource import ServedResource
from fakeapi.controllers.controller import ControllerContext
from fakeapi.controllers.informer import Informer, key_of
from fakeapi.controllers.kubelet.simulated.slices import in_version, parts_of
from fakeapi.devices.model import PoolSpec
from fakeapi.machinery.json_types import Object

Place: TypeAlias = tuple[str, str]
"""The names of a node and of a driver."""


class SlicePublisher:
    """Publishes the pools of simulated drivers.

    - `slices`: the resource ResourceSlices in the version to write.
    - `changed`: called with the node and the driver of a slice after another client changed or deleted the
      slice.
    """

    def __init__(
        self,
        context: ControllerContext,
        slices: ServedResource,
        nodes: Informer,
        changed: Callable[[str, str], None],
    ) -> None:
        self._rules = context.rules
        self._slices = slices
        self._nodes = nodes
        self._changed = changed
        self._known: dict[Place, dict[str, Object]] = {}
        self._written: dict[str, str] = {}
        self._published: dict[Place, list[Object]] = {}
        context.informer(slices).on_change(self._slice_changed)

    def _slice_changed(self, old: Object | None, new: Object | None) -> None:
        obj = new or old
        assert obj is not None, "a change has an object"
        place, name = (obj["spec"].get("nodeName", ""), obj["spec"]["driver"]), key_of(obj)
        slices = self._known.setdefault(place, {})
        if new is None:
            slices.pop(name, None)
            is_own = self._written.pop(name, None) is None
            if not slices:
                del self._known[place]
        else:
            slices[name] = new
            is_own = self._written.get(name) == new["metadata"]["resourceVersion"]
        if not is_own and place in self._published:
            self._changed(*place)

    def forget(self, node: str, driver: str) -> None:
        """Stops publishing the pool of a driver. The slices of the driver stay until the kubelet deletes
        them.
        """
        self._published.pop((node, driver), None)

    async def publish(self, api: InProcessClient, node: str, driver: str, pool: PoolSpec) -> None:
        """Creates, updates and deletes ResourceSlices, so that the slices match a pool.

        `api`: the client of the driver. Raises StatusError if a request fails.
        """
        place, parts = (node, driver), parts_of(pool, self._rules)
        known = sorted(self._known.get(place, {}).values(), key=key_of)
        if self._published.get(place) == parts and self._are_as_written(known, len(parts)):
            return
        self._published[place] = parts
        generation = max((each["spec"]["pool"]["generation"] for each in known), default=0) + 1
        for number, part in enumerate(parts):
            spec = {
                "driver": driver,
                "nodeName": node,
                "pool": {"name": pool.name, "generation": generation, "resourceSliceCount": len(parts)},
                **part,
            }
            if number < len(known):
                await self._replace(api, known[number], spec)
            else:
                self._note(await api.create(self._slices.path(), self._body(node, driver, spec)))
        for old in known[len(parts) :]:
            await self._delete(api, old)

    def _are_as_written(self, known: list[Object], count: int) -> bool:
        return len(known) == count and all(
            self._written.get(key_of(each)) == each["metadata"]["resourceVersion"] for each in known
        )

    async def _replace(self, api: InProcessClient, old: Object, spec: Object) -> None:
        body = self._in_version({"metadata": old["metadata"], "spec": spec})
        self._note(await api.update(self._slices.path_of(old), body))

    async def _delete(self, api: InProcessClient, old: Object) -> None:
        self._written.pop(key_of(old), None)
        try:
            await api.delete(self._slices.path_of(old))
        except StatusError as problem:
            if not problem.is_not_found:
                raise

    def _note(self, stored: Object) -> None:
        self._written[key_of(stored)] = stored["metadata"]["resourceVersion"]

    async def check(self, api: InProcessClient, node: str, driver: str, pool: PoolSpec) -> None:
        """Sends the slices of a pool as a dry run. Raises StatusError if the server rejects a slice."""
        parts = parts_of(pool, self._rules)
        for part in parts:
            numbers = {"name": pool.name, "generation": 1, "resourceSliceCount": len(parts)}
            body = self._body(node, driver, {"driver": driver, "nodeName": node, "pool": numbers, **part})
            await api.create(self._slices.path(), body, dryRun="All")

    def _body(self, node: str, driver: str, spec: Object) -> Object:
        metadata: Object = {"generateName": f"{node}-{driver}-"[:63]}
        owner = self._nodes.get("", node)
        if owner is not None:
            reference = {
                "apiVersion": "v1",
                "kind": "Node",
                "name": node,
                "uid": owner["metadata"]["uid"],
                "controller": True,
            }
            metadata["ownerReferences"] = [reference]
        return self._in_version({"metadata": metadata, "spec": spec})

    def _in_version(self, obj: Object) -> Object:
        types = {"apiVersion": self._slices.api_version, "kind": self._slices.kind}
        return {**types, **in_version(obj, self._slices.version)}
