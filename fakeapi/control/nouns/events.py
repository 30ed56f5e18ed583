"""Events: requests and changes of objects as they come, as server-sent events."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from typing import Any

import msgspec
from starlette.responses import StreamingResponse

from fakeapi.cluster import Cluster
from fakeapi.control.nouns.requests import pattern_of, view_of
from fakeapi.control.route import Call, Route
from fakeapi.journal.entry import Entry
from fakeapi.journal.journal import Listener
from fakeapi.registry.object_keys import parse_key
from fakeapi_storage import Closed, Event, EventKind, StorageReset, WatcherOverflow

QUEUE_MAX = 2048
"""Events that wait for a client. Beyond, further ones are lost to it, and it is told how many."""

KEEP_ALIVE_SECONDS = 15.0
"""After this time without an event a comment is sent, so that a client that has left is noticed."""


class EventQuery(msgspec.Struct, forbid_unknown_fields=True):
    """`requests` and `objects` say what is wanted; the other members choose requests."""

    requests: bool = True
    objects: bool = False
    verb: str = ""
    resource: str = ""
    namespace: str = ""
    name: str = ""
    user: str = ""
    agent: str = ""


class EventQueue:
    """Bounded queue of events for one client; a full queue drops events and never blocks the server."""

    def __init__(self) -> None:
        self._waiting: deque[Any] = deque()
        self._lost = 0
        self._wake = asyncio.Event()
        self._ended = False

    def put(self, event: Any) -> None:
        if len(self._waiting) < QUEUE_MAX:
            self._waiting.append(event)
        else:
            self._lost += 1
        self._wake.set()

    def end(self) -> None:
        self._ended = True
        self._wake.set()

    async def take(self) -> list[Any] | None:
        """Everything that waits, nothing after a while without an event; None at the end."""
        if not self._waiting and not self._ended:
            try:
                async with asyncio.timeout(KEEP_ALIVE_SECONDS):
                    await self._wake.wait()
            except TimeoutError:
                return []
        if self._ended:
            return None
        self._wake.clear()
        taken = [*self._waiting]
        self._waiting.clear()
        if self._lost:
            taken.append({"type": "lost", "count": self._lost})
            self._lost = 0
        return taken


async def follow(call: Call) -> StreamingResponse:
    pattern = pattern_of(call.query)

    def note(entry: Entry) -> None:
        if pattern.matches(entry):
            queue.put({"type": "request", "request": view_of(entry)})

    queue = EventQueue()
    listener = note if call.query.requests else None
    stream = _stream(call.server.cluster, queue, listener, objects=call.query.objects)
    return StreamingResponse(stream, media_type="text/event-stream", headers={"Cache-Control": "no-store"})


async def _stream(
    cluster: Cluster, queue: EventQueue, note: Listener | None, *, objects: bool
) -> AsyncIterator[bytes]:
    ends = [cluster.on_end(queue.end)]
    if note is not None:
        ends.append(cluster.journal.subscribe(note))
    changes = asyncio.create_task(_follow_objects(cluster, queue)) if objects else None
    try:
        yield b": fakeapi\n\n"
        while (events := await queue.take()) is not None:
            yield b"".join(b"data: %b\n\n" % msgspec.json.encode(each) for each in events) or b":\n\n"
    finally:
        for end in ends:
            end()
        if changes is not None:
            changes.cancel()


async def _follow_objects(cluster: Cluster, queue: EventQueue) -> None:
    """Puts every change into the queue; a watcher that fell behind begins anew, and a reset is told."""
    while True:
        try:
            watcher = cluster.storage.watch("/")
        except Closed:
            return
        try:
            while True:
                for event in await watcher.next_batch():
                    queue.put(change_of(event))
        except WatcherOverflow as error:
            queue.put({"type": "lost", "count": 0, "message": str(error)})
        except StorageReset:
            queue.put({"type": "reset"})
        except Closed:
            return
        finally:
            watcher.close()


def change_of(event: Event) -> dict[str, Any]:
    """A change of an object, without the object."""
    key = parse_key(event.entry.key)
    return {
        "type": "object",
        "change": type_of(event),
        "group": key.group,
        "resource": key.resource,
        "namespace": key.namespace,
        "name": key.name,
        "resourceVersion": str(event.entry.revision),
    }


def type_of(event: Event) -> str:
    """The type that a watch without a selector gives the event: ADDED, MODIFIED or DELETED."""
    if event.kind is EventKind.DELETE:
        return "DELETED"
    return "MODIFIED" if event.previous else "ADDED"


ROUTES = (
    Route(
        "GET",
        "/events",
        follow,
        "Requests and changes of objects as they come, as server-sent events.",
        query=EventQuery,
        media_type="text/event-stream",
    ),
)
