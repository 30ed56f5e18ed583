"""Streams requests and changes of objects as server-sent events."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from functools import lru_cache
from typing import Any

import msgspec
from starlette.responses import StreamingResponse

from fakeapi.cluster import Cluster
from fakeapi.control.errors import refused
from fakeapi.control.handlers.requests import RequestFilter, view_of
from fakeapi.control.route import Call, Route
from fakeapi.journal.entry import Entry
from fakeapi.journal.journal import Listener
from fakeapi.registry.stored.keys import parse_key
from fakeapi_storage import Closed, Event, EventKind, StorageReset, WatcherOverflow

QUEUE_MAX = 2048
"""Maximum number of events that wait for one client.

A full queue drops new events and reports their number in a "lost" event.
"""

SAMPLE_SECONDS = 0.1
"""Seconds between two batches of events, if the query parameter `most` limits the events per second."""

MOST_MAX = 1_000
"""Maximum value of the query parameter `most`, in events per second. Omit `most` to receive all events."""

KEEP_ALIVE_SECONDS = 15.0
"""Seconds without an event after which the server sends a comment, to detect disconnected clients."""


class EventQuery(msgspec.Struct, forbid_unknown_fields=True):
    """The query of /events.

    - `requests`: whether to send an event for each request.
    - `objects`: whether to send an event for each change of an object.
    - `most`: the maximum number of events per second; 0 for no limit.

    The other parameters filter requests, as in RequestQuery.
    """

    requests: bool = True
    objects: bool = False
    most: int = 0
    verb: str = ""
    resource: str = ""
    namespace: str = ""
    name: str = ""
    user: str = ""
    agent: str = ""
    code: int = 0
    codes: str = ""
    text: str = ""
    heartbeats: bool = True


class EventQueue:
    """A bounded queue of events for one client. A full queue drops new events and counts them."""

    def __init__(self, most: int = QUEUE_MAX) -> None:
        self._most = most
        self._waiting: deque[Any] = deque()
        self._lost = {"requests": 0, "objects": 0}
        self._wake = asyncio.Event()
        self._ended = False

    def put(self, event: Any) -> None:
        """Adds an event to the queue, even if the queue is full. Use it for rare events, such as a reset."""
        self._waiting.append(event)
        self._wake.set()

    def put_request(self, entry: Entry) -> None:
        """Adds the event of a request. Counts the event as lost if the queue is full.

        Drops failed requests only if the queue has twice its maximum number of events.
        """
        if len(self._waiting) < (self._most if entry.code < 400 else 2 * self._most):
            self._waiting.append(_request_event(entry))
        else:
            self._lost["requests"] += 1
        self._wake.set()

    def put_change(self, event: Event) -> None:
        if len(self._waiting) < self._most:
            self._waiting.append(change_of(event))
        else:
            self._lost["objects"] += 1
        self._wake.set()

    def end(self) -> None:
        self._ended = True
        self._wake.set()

    async def take(self) -> list[Any] | None:
        """Waits for events, removes all events from the queue and returns them.

        If the queue dropped events, the last event is "lost" with their number. Returns [] after
        KEEP_ALIVE_SECONDS without events, and None after `end`.
        """
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
        if any(self._lost.values()):
            taken.append({"type": "lost", "count": sum(self._lost.values()), **self._lost})
            self._lost = dict.fromkeys(self._lost, 0)
        return taken


@lru_cache(maxsize=1)
def _request_event(entry: Entry) -> dict[str, Any]:
    """Returns the event of a request. Caches the newest event, so that all clients share one dict."""
    return {"type": "request", "request": view_of(entry)}


async def follow(call: Call) -> StreamingResponse:
    selected, most = RequestFilter(call.query), call.query.most
    if not 0 <= most <= MOST_MAX:
        raise refused(400, f"most: {most} is not from 0 to {MOST_MAX}")

    def note(entry: Entry) -> None:
        if selected.matches(entry):
            queue.put_request(entry)

    queue = EventQueue(max(1, int(most * SAMPLE_SECONDS)) if most else QUEUE_MAX)
    listener = note if call.query.requests else None
    pause = SAMPLE_SECONDS if most else 0.0
    stream = _stream(call.server.cluster, queue, listener, pause, objects=call.query.objects)
    return StreamingResponse(stream, media_type="text/event-stream", headers={"Cache-Control": "no-store"})


async def _stream(
    cluster: Cluster, queue: EventQueue, note: Listener | None, pause: float, *, objects: bool
) -> AsyncIterator[bytes]:
    """Yields server-sent events from the queue until the server stops.

    - `note`: receives each request of the journal; None to send no requests.
    - `pause`: the seconds to wait after each batch of events; 0 sends events at once.
    - `objects`: whether to add the changes of objects to the queue.
    """
    ends = [cluster.on_end(queue.end)]
    if note is not None:
        ends.append(cluster.journal.subscribe(note))
    changes = asyncio.create_task(_follow_objects(cluster, queue)) if objects else None
    try:
        yield b": fakeapi\n\n"
        while (events := await queue.take()) is not None:
            yield b"".join(b"data: %b\n\n" % msgspec.json.encode(event) for event in events) or b":\n\n"
            if pause:
                await asyncio.sleep(pause)
    finally:
        for end in ends:
            end()
        if changes is not None:
            changes.cancel()


async def _follow_objects(cluster: Cluster, queue: EventQueue) -> None:
    """Adds every change of an object and every storage reset to the queue, until the storage is closed.

    If the watcher overflows, adds an event "lost" and continues with newer changes.
    """
    while True:
        try:
            watcher = cluster.storage.watch("/")
        except Closed:
            return
        try:
            while True:
                for event in await watcher.next_batch():
                    queue.put_change(event)
        except WatcherOverflow as error:
            queue.put({"type": "lost", "count": 0, "requests": 0, "objects": 1, "message": str(error)})
        except StorageReset:
            queue.put({"type": "reset"})
        except Closed:
            return
        finally:
            watcher.close()


def change_of(event: Event) -> dict[str, Any]:
    """Returns the event for a change of an object.

    The event contains the type of change, and the object's name and resourceVersion.
    """
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
    """Returns the type of a change: ADDED, MODIFIED or DELETED, as in a watch without selectors."""
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
