"""Bootstrap: creates the initial objects of a resource when the resource is first used.

Objects that are already stored do not change. As in kube-apiserver, a restart creates deleted initial objects
again.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from importlib import import_module
from typing import cast

import msgspec

from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.printable import printable_line
from fakeapi.machinery.schema.decoding import decode
from fakeapi.registry.model.catalogue import Catalogue
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.server import Server
from fakeapi_storage import Entry, KeyExists

log = logging.getLogger("fakeapi")

_FLOW_CONTROL = "flowcontrol.apiserver.k8s.io"
AFTER = {
    ("networking.k8s.io", "ipaddresses"): ("", "services"),
    (_FLOW_CONTROL, "flowschemas"): (_FLOW_CONTROL, "prioritylevelconfigurations"),
}
"""By (group, resource): the resource whose initial objects must be created first, because the others refer
to them.
"""


class BootstrapObject(msgspec.Struct, frozen=True):
    """An initial object of a cluster, in the internal version."""

    name: str

    body: Object
    """The object as JSON without kind, apiVersion, name, namespace, uid and creationTimestamp."""

    namespace: str = ""

    status: Object | None = None
    """The status to store; None to store the same status as a create request."""

    manager: str = "kube-apiserver"
    """The name of the field manager in managedFields."""

    status_managed: Object | None = None
    """The entry of managedFields for the status, without apiVersion, time and fieldsType; None for no
    entry.
    """


Maker = Callable[[Resource, Catalogue, str], Iterable[BootstrapObject]]
"""A function that returns the initial objects of a resource.

The arguments of the function are the resource, the catalogue of served resources, and the current time in RFC
3339.
"""


class Bootstrap:
    """Creates the bootstrap objects of a cluster that are not stored yet."""

    def __init__(self, server: Server, catalogue: Catalogue, makers: Mapping[tuple[str, str], str]) -> None:
        """Registers the modules that build the bootstrap objects.

        `makers`: the name of a module by (group, resource). The function `objects` of the module is the
        `Maker` of the resource.
        """
        self._server = server
        self._catalogue = catalogue
        self._makers = makers
        self.pending: set[tuple[str, str]] = set(makers)
        self.followers: dict[tuple[str, str], Callable[[], Awaitable[None]]] = {}
        """Functions to call after the bootstrap objects of a resource were created, by (group, resource)."""
        self.additional: dict[tuple[str, str], Maker] = {}
        """Functions that return more bootstrap objects, which depend on options, by (group, resource)."""
        self._running: dict[tuple[str, str], asyncio.Task[None]] = {}

    def start_over(self, pending: Iterable[tuple[str, str]] | None = None) -> None:
        """Makes `ensure` create missing bootstrap objects again, after the stored objects were replaced.

        `pending`: the resources whose bootstrap objects may be missing; None for all resources.
        """
        self.pending = set(self._makers if pending is None else pending)
        self._running.clear()

    async def ensure(self, resource: Resource) -> None:
        """Creates the missing bootstrap objects of a resource.

        After a success, later calls do nothing until `start_over`. Concurrent calls wait for the same
        creation. Raises ApiError if the storage fails.
        """
        name, pending = (resource.kind.group, resource.kind.resource), self.pending
        if name not in pending:
            return
        if name in AFTER:
            await self._ensure_first(*AFTER[name])
        task = self._running.get(name)
        if task is None:
            task = self._running[name] = asyncio.create_task(self._make(resource))
        try:
            await asyncio.shield(task)
        finally:
            if task.done() and self._running.get(name) is task:
                del self._running[name]
        pending.discard(name)  # `start_over` may have replaced self.pending meanwhile

    async def _ensure_first(self, group: str, plural: str) -> None:
        versions = (self._server.find(group, version, plural) for version in self._catalogue.versions(group))
        first = next(filter(None, versions), None)
        if first is not None:
            await self.ensure(first)

    async def _make(self, resource: Resource) -> None:
        writes = [self.write(resource, initial) for initial in self._objects(resource)]
        for write in filter(None, writes):
            with suppress(KeyExists):  # another server created the object first
                await self._server.store.commit(resource, write)
        follower = self.followers.get((resource.kind.group, resource.kind.resource))
        if follower is not None:
            await follower()

    def _objects(self, resource: Resource) -> Iterable[BootstrapObject]:
        name = resource.kind.group, resource.kind.resource
        makers = [cast(Maker, import_module(self._makers[name]).objects)]
        if name in self.additional:
            makers.append(self.additional[name])
        now = self._server.store.now()
        return [initial for make in makers for initial in make(resource, self._catalogue, now)]

    def write(self, resource: Resource, initial: BootstrapObject) -> asyncio.Future[Entry] | None:
        """Starts to store a bootstrap object; returns the pending write.

        Returns None if the object exists or cannot be created, for example if a Service of a client already
        uses the cluster IP. kube-apiserver retries in the background; this server only logs the error.
        """
        storage, key = self._server.store.storage, resource.key(initial.namespace, initial.name)
        if storage.newest(key) is not None:
            return None
        try:
            obj = self._created(resource, initial)
        except ApiError as error:
            log.warning(
                "%s %s was not made: %s", resource.kind.kind, initial.name, printable_line(error.message)
            )
            return None
        return storage.create(key, resource.encode(obj))

    def _created(self, resource: Resource, initial: BootstrapObject) -> Object:
        """Returns the bootstrap object in the internal version, as a create request would store it."""
        namespace = {"namespace": initial.namespace} if initial.namespace else {}
        metadata = {**initial.body.get("metadata", {}), "name": initial.name, **namespace}
        sent = resource.from_hub({"kind": resource.kind.kind, **initial.body, "metadata": metadata})
        obj, _ = decode(sent, resource.schema)
        obj = resource.body_type.default(obj)
        obj["metadata"]["creationTimestamp"] = self._server.store.now()
        obj["metadata"]["uid"] = self._server.store.clock.uid()
        obj = resource.manager("").update(None, obj, initial.manager, self._server.store.now())
        hub = resource.to_hub(obj)
        if resource.hooks is not None:
            hub = resource.hooks.begin_create(hub, dry_run=False)
        hub = resource.strategy_for("").prepare_create(hub)
        return hub if initial.status is None else self._with_status(resource, hub, initial)

    def _with_status(self, resource: Resource, hub: Object, initial: BootstrapObject) -> Object:
        if initial.status_managed is not None:
            entry = {
                **initial.status_managed,
                "apiVersion": resource.api_version,
                "time": self._server.store.now(),
                "fieldsType": "FieldsV1",
            }
            order = ("manager", "operation", "apiVersion", "time", "fieldsType", "fieldsV1", "subresource")
            managed = [{name: entry[name] for name in order}, *hub["metadata"].get("managedFields", ())]
            hub["metadata"]["managedFields"] = managed
        return {**hub, "status": initial.status}
