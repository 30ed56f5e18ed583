"""Informer: a cache of one resource's objects. A list fills the cache, and a watch updates it.

Follows the reflector of k8s.io/client-go `tools/cache`: lists, then watches from the resourceVersion of the
list. If that resourceVersion has expired, lists again.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import TypeAlias

from fakeapi.clients.errors import StatusError
from fakeapi.clients.in_process import InProcessClient
from fakeapi.clients.served_resource import ServedResource
from fakeapi.clock.clocks import Clock
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.printable import printable_line

log = logging.getLogger("fakeapi.controllers")

PAGE = "500"
"""Maximum number of objects that the server returns per page of a list."""
RETRY_SECONDS = 1.0
"""Seconds before an informer retries a failed list or watch.

This is real time, because caches must also be updated while the server's clock is frozen.
"""

Handler: TypeAlias = Callable[[Object | None, Object | None], None]
"""A function that receives the old and the new object of a change.

The old object is None if the object was created, and the new object is None if the object was deleted.
"""


def key_of(obj: Object) -> str:
    """Returns the key of an object: NAMESPACE/NAME, or NAME for an object without a namespace."""
    metadata = obj["metadata"]
    namespace = metadata.get("namespace", "")
    return f"{namespace}/{metadata['name']}" if namespace else str(metadata["name"])


class Informer:
    """A cache of objects by NAMESPACE/NAME. All readers share the cached objects and must not change them.

    Drops the managedFields of the objects, like the informers of Kubernetes' controllers. No controller reads
    managedFields, and the server keeps the stored managedFields if an update contains none.
    """

    def __init__(self, api: InProcessClient, resource: ServedResource) -> None:
        self.resource = resource
        self.objects: dict[str, Object] = {}
        self.position = 0
        """The resourceVersion of the last change that the handlers have received."""
        self._api = api
        self._handlers: list[Handler] = []
        self._wakers: set[asyncio.Event] = set()
        self._expired = False

    def on_change(self, handler: Handler) -> None:
        """Registers `handler` for changes.

        Calls the handler at once for every cached object, and then for every later change, in order.
        """
        self._handlers.append(handler)
        for obj in self.objects.values():
            handler(None, obj)

    def get(self, namespace: str, name: str) -> Object | None:
        return self.objects.get(f"{namespace}/{name}" if namespace else name)

    def notify(self, waker: asyncio.Event) -> None:
        """Registers an event to set whenever `position` advances."""
        self._wakers.add(waker)

    async def list(self) -> None:
        """Lists all objects into the cache, and calls the handlers for each object that changed.

        Raises StatusError if the list fails.
        """
        query = {"limit": PAGE}
        objects: dict[str, Object] = {}
        while True:
            page = await self._api.request("GET", self.resource.path(), query=query)
            for item in page.get("items") or ():
                item.setdefault("apiVersion", self.resource.api_version)
                item.setdefault("kind", self.resource.kind)
                item["metadata"].pop("managedFields", None)
                objects[key_of(item)] = item
            token = page["metadata"].get("continue")
            if not token:
                break
            query["continue"] = token
        self._replace(objects, int(page["metadata"]["resourceVersion"]))

    async def run(self) -> None:
        """Keeps the cache up to date until the task is cancelled. Call `list` first."""
        while True:
            try:
                if self._expired:
                    await self.list()
                    self._expired = False
                query = {"resourceVersion": str(self.position), "allowWatchBookmarks": "true"}
                await self._api.watch(self.resource.path(), query, self._handle)
            except StatusError as problem:
                if problem.code != 410:
                    log.debug("informer of %s: %s", self.resource.plural, printable_line(problem))
                    await asyncio.sleep(RETRY_SECONDS)
                self._expired = True
            await asyncio.sleep(0)

    def _handle(self, event: Object) -> None:
        kind, obj = event["type"], event["object"]
        if kind == "ERROR":
            self._expired = True
            return
        if kind != "BOOKMARK":
            key = key_of(obj)
            obj["metadata"].pop("managedFields", None)
            old = self.objects.pop(key, None) if kind == "DELETED" else self.objects.get(key)
            if kind != "DELETED":
                self.objects[key] = obj
            self._tell(old or obj if kind == "DELETED" else old, None if kind == "DELETED" else obj)
        self._move(int(obj["metadata"]["resourceVersion"]))

    def _replace(self, objects: dict[str, Object], version: int) -> None:
        before, self.objects = self.objects, objects
        for key, old in before.items():
            if key not in objects:
                self._tell(old, None)
        for key, new in objects.items():
            known = before.get(key)
            if known is None or known["metadata"]["resourceVersion"] != new["metadata"]["resourceVersion"]:
                self._tell(known, new)
        self._move(version)

    def _tell(self, old: Object | None, new: Object | None) -> None:
        """Calls all handlers with a change. Logs the exception of a handler, and still calls the other
        handlers.
        """
        for handler in self._handlers:
            try:
                handler(old, new)
            except Exception:
                log.exception("unexpected error in a handler of %s", self.resource.plural)

    def _move(self, version: int) -> None:
        self.position = max(self.position, version)
        for waker in self._wakers:
            waker.set()


async def pause(clock: Clock, seconds: float) -> None:
    """Waits until `seconds` have passed on the server's clock."""
    try:
        async with clock.timeout(seconds):
            await asyncio.get_running_loop().create_future()
    except TimeoutError:
        return
