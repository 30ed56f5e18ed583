"""Watch streams: what goes down the wire, when, and how it ends.

Follows k8s.io/apiserver `pkg/endpoints/handlers/watch.go`: headers at once, an event a line, no end of
its own before the timeout, an ERROR event where a version is not kept any more.
"""

import asyncio
import logging
import random
from collections.abc import Callable
from typing import Protocol

from starlette.types import Receive, Send

from fakeapi.http.messages import head
from fakeapi.http.negotiation import JSON
from fakeapi.http.status import status_of
from fakeapi.http.transform import Conversion
from fakeapi.machinery import codec
from fakeapi.machinery.errors import ApiError
from fakeapi.registry.options import ObjectReference, WatchOptions
from fakeapi.registry.resource import Resource
from fakeapi.registry.store import Store
from fakeapi.registry.verbs.watching import (
    INITIAL_EVENTS_LIST,
    EncodedEventCache,
    TooOld,
    Watch,
    WatchEvent,
    blueprint_text,
    bookmark,
    open_watch,
)
from fakeapi_storage import StorageError

log = logging.getLogger("fakeapi")

NANOSECONDS = 10**9
TIMEOUT_SECONDS_MIN = 1800
"""A watch that names no timeout ends after this time or up to twice as long, by chance."""
BOOKMARK_SECONDS = 60
BOOKMARK_BEFORE_END_SECONDS = 2
BOOKMARK_AFTER_INITIAL_EVENTS_SECONDS = 1
"""Until the first bookmark of a watch that asked for its initial events.

Kubernetes sends it at the next tick of a timer that all watches of a resource share and that ticks every
0.75 to 1.25 seconds (k8s.io/apiserver 0.32 `pkg/storage/cacher`): where a tick falls is chance.
"""
SEND_BYTES_MAX = 256 * 1024
"""Events that are waiting go out together up to this size."""


class Streams:
    """All open watch streams of a server, so that they can be ended."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._frames = EncodedEventCache()
        self._open: set[asyncio.Task[None]] = set()

    def end_all(self) -> None:
        """End every open watch as if its time had come."""
        for task in list(self._open):
            task.cancel()

    async def serve(
        self,
        resource: Resource,
        target: ObjectReference,
        options: WatchOptions,
        warnings: list[str],
        receive: Receive,
        send: Send,
        show: Callable[[], Conversion | None],
    ) -> None:
        """Stream a watch until its timeout, the client's leave, or the server's end.

        `show` says, once it is clear that there is something to watch, what objects are shown as; None for
        themselves. Raises ApiError, as `show` does, before anything is sent.
        """
        error: bytes | None = None
        watch: Watch | None = None
        try:
            watch = open_watch(self._store.storage, resource, target, options)
        except TooOld as problem:
            error = error_frame(ApiError(410, "Expired", str(problem)))
        try:
            shown = show()
        except ApiError:
            if watch is not None:
                watch.close()
            raise
        await send({"type": "http.response.start", "status": 200, "headers": head(JSON, warnings)})
        if watch is None:
            await send({"type": "http.response.body", "body": error or b""})
            return
        lines: Lines = Shared(self._frames) if shown is None else Converted(shown)
        stream = _Stream(watch, resource, options, lines, send, self._store)
        pump = asyncio.ensure_future(stream.run())
        leave = asyncio.ensure_future(_until_gone(receive))
        self._open.add(pump)
        try:
            await asyncio.wait((pump, leave), return_when=asyncio.FIRST_COMPLETED)
            gone = leave.done() and not pump.done()
        finally:
            self._open.discard(pump)
            watch.close()
            pump.cancel()
            leave.cancel()
            await asyncio.gather(pump, leave, return_exceptions=True)
        if not gone:
            await send({"type": "http.response.body", "body": b""})


class Lines(Protocol):
    """The lines of one watch stream."""

    def of_event(self, event: WatchEvent) -> bytes: ...

    def of_bookmark(self, body: bytes) -> bytes: ...


class Shared:
    """Objects as they are: encoded once for all watchers."""

    def __init__(self, frames: EncodedEventCache) -> None:
        self.of_event = frames.frame

    def of_bookmark(self, body: bytes) -> bytes:
        return event_line("BOOKMARK", body)


class Converted:
    """Objects shown as something else. A table says once what its columns are: in the first line.

    Both raise ApiError 406, which ends the watch, where an object cannot be shown so.
    """

    def __init__(self, shown: Conversion) -> None:
        self._shown = shown
        self._headers = True

    def of_event(self, event: WatchEvent) -> bytes:
        return self._line(event.type, event.body)

    def of_bookmark(self, body: bytes) -> bytes:
        annotations = (bookmark := codec.decode(body))["metadata"].get("annotations", {})
        if INITIAL_EVENTS_LIST in annotations:
            annotations[INITIAL_EVENTS_LIST] = blueprint_text(self._shown.empty_list())
        return self._line("BOOKMARK", codec.encode(bookmark))

    def _line(self, kind: str, body: bytes) -> bytes:
        shown = self._shown.of_object(body, headers=self._headers)
        self._headers = False
        return event_line(kind, shown)


class _Stream:
    """One watch on its way out."""

    def __init__(
        self,
        watch: Watch,
        resource: Resource,
        options: WatchOptions,
        lines: Lines,
        send: Send,
        store: Store,
    ) -> None:
        self._watch = watch
        self._resource = resource
        self._options = options
        self._lines = lines
        self._send = send
        self._store = store

    async def run(self) -> None:
        """Send what there is and what comes, to the end of the watch or of what can be shown."""
        try:
            await self._run()
        except (StorageError, ApiError):
            return
        except Exception:
            log.exception("unexpected error in a watch of %s", self._resource.qualified)

    async def _run(self) -> None:
        await self._write([self._lines.of_event(event) for event in self._watch.initial])
        loop = asyncio.get_running_loop()
        end = loop.time() + timeout_seconds(self._options)
        next_bookmark = self._bookmark_time(loop.time(), end)
        if self._options.send_initial_events and self._options.bookmarks:
            await self._write([self._bookmark(self._watch.start, ends_initial_events=True)])
            next_bookmark = min(end, loop.time() + BOOKMARK_AFTER_INITIAL_EVENTS_SECONDS)
        while (now := loop.time()) < end:
            until = min(end, next_bookmark)
            try:
                async with asyncio.timeout(max(0.0, until - now)):
                    events = await self._watch.next()
            except TimeoutError:
                if loop.time() >= end:
                    return
                version = self._watch.bookmark_version(self._store.newest(self._resource))
                if version is not None:
                    await self._write([self._bookmark(version, ends_initial_events=False)])
                next_bookmark = self._bookmark_time(loop.time(), end)
                continue
            await self._write([self._lines.of_event(event) for event in events])

    def _bookmark_time(self, now: float, end: float) -> float:
        """Every minute, and once more shortly before the end."""
        if not self._options.bookmarks:
            return end
        before_end = end - BOOKMARK_BEFORE_END_SECONDS
        wanted = now + BOOKMARK_SECONDS
        return min(wanted, before_end) if now < before_end else end

    def _bookmark(self, version: int, *, ends_initial_events: bool) -> bytes:
        body = bookmark(self._resource, version, ends_initial_events=ends_initial_events)
        return self._lines.of_bookmark(body)

    async def _write(self, frames: list[bytes]) -> None:
        """Send frames, few messages for many frames, giving the loop a turn between them."""
        waiting: list[bytes] = []
        size = 0
        for line in frames:
            waiting.append(line)
            size += len(line)
            if size >= SEND_BYTES_MAX:
                await self._flush(waiting)
                await asyncio.sleep(0)
                size = 0
        await self._flush(waiting)

    async def _flush(self, waiting: list[bytes]) -> None:
        if waiting:
            await self._send({"type": "http.response.body", "body": b"".join(waiting), "more_body": True})
            waiting.clear()


def timeout_seconds(options: WatchOptions) -> float:
    """How long a watch stays open; one whose time is negative ends once it has shown what there is.

    Go counts nanoseconds in 64 bits, where three hundred years are negative.
    """
    wanted = (options.timeout_seconds or 0) * NANOSECONDS
    nanoseconds = (wanted + (1 << 63)) % (1 << 64) - (1 << 63)
    if nanoseconds:
        return nanoseconds / NANOSECONDS
    return TIMEOUT_SECONDS_MIN * (1 + random.random())  # noqa: S311 - spreads reconnects, guards nothing


def event_line(kind: str, body: bytes) -> bytes:
    """One line of a watch stream."""
    return b'{"type":"%b","object":%b}\n' % (kind.encode(), body)


def error_frame(error: ApiError) -> bytes:
    """An ERROR event: the stream's last line."""
    return codec.encode({"type": "ERROR", "object": status_of(error)}) + b"\n"


async def _until_gone(receive: Receive) -> None:
    """Return when the client has left; what it still sends is dropped."""
    while (await receive())["type"] != "http.disconnect":
        pass
