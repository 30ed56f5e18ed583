"""The verb watch: streams the events of a resource until a timeout, or until the client or the server stops.

Follows k8s.io/apiserver `pkg/endpoints/handlers/watch.go`: sends the headers at once, then a line or a frame
for each event. If the resourceVersion is too old, sends an ERROR event. This module decides when to send a
BOOKMARK; `fakeapi.registry.verbs.watching` decides its resourceVersion.
"""

import logging
from collections.abc import AsyncGenerator
from functools import partial
from typing import Protocol

import msgspec

from fakeapi.asgi import DropConnection, WriteNow
from fakeapi.clock.clocks import ClockAndNames
from fakeapi.http import query as queries
from fakeapi.http.context import RequestContext
from fakeapi.http.negotiation import CBOR_SEQUENCE, JSON, Representation, check_streamable, offer_of
from fakeapi.http.protobuf import watch_frame
from fakeapi.http.rendering import negotiate_for
from fakeapi.http.response import SEND_BYTES_MAX, StreamingResponse
from fakeapi.http.status import status_of
from fakeapi.http.transform import Transform, transform_for
from fakeapi.journal.progress import WatchProgress
from fakeapi.machinery import codec
from fakeapi.machinery.errors import ApiError
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.offloading.rerun import completed
from fakeapi.registry.requests.decoding import CBOR, PROTOBUF
from fakeapi.registry.requests.options import WatchOptions
from fakeapi.registry.store import Store
from fakeapi.registry.verbs.listing import read_fields
from fakeapi.registry.verbs.watching import (
    INITIAL_EVENTS_LIST,
    EncodedEventCache,
    FrameEncoder,
    TooOld,
    Watch,
    WatchEvent,
    blueprint_text,
    bookmark,
    event_line,
    open_watch,
)
from fakeapi_storage import Compacted, StorageError

log = logging.getLogger("fakeapi")

NANOSECONDS = 10**9
TIMEOUT_SECONDS_MIN = 1800
"""Minimum duration, in seconds, of a watch without a timeout.

The duration is random, up to twice this minimum.
"""
BOOKMARK_SECONDS = 60
BOOKMARK_BEFORE_END_SECONDS = 2
BOOKMARK_AFTER_INITIAL_EVENTS_SECONDS = 1
"""Seconds between the initial events of a watch and its first regular bookmark.

In Kubernetes, this time is random: all watches of a resource share a timer that ticks every 0.75 to 1.25
seconds (k8s.io/apiserver 0.32 `pkg/storage/cacher`).
"""


class Watches:
    """Handles the verb watch, and keeps all open watches of the server."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._encoded = EncodedEventCache()
        self._encoded_as_protobuf = EncodedEventCache(exact=True)
        self._encoded_as_cbor = EncodedEventCache()
        self._open: dict[StreamingResponse, OpenWatch] = {}

    def __len__(self) -> int:
        return len(self._open)

    def end_all(self) -> None:
        """Ends every open watch as if its timeout had passed."""
        for stream in list(self._open):
            stream.end()

    def end(self, resource: Resource) -> None:
        """Ends every open watch of this resource."""
        for watch in [watch for watch in self._open.values() if watch.resource is resource]:
            watch.stream.end()

    def of(self, stream: StreamingResponse) -> "OpenWatch | None":
        """Returns the open watch that sends this stream; None if no open watch sends this stream."""
        return self._open.get(stream)

    def all_open(self) -> "list[OpenWatch]":
        """Returns the open watches, in the order in which they were opened."""
        return [*self._open.values()]

    async def watch(self, ctx: RequestContext, resource: Resource) -> StreamingResponse:
        """Opens a watch and returns its stream.

        If the resourceVersion is too old, the stream contains only an ERROR event. Raises ApiError if the
        request is invalid or a conversion webhook fails, and ClientGone if the client disconnects.
        """
        negotiate_for(ctx, resource)
        options = queries.watch_options(ctx.request.query, resource, ctx.object.name)
        lists_first = options.send_initial_events and options.bookmarks
        if lists_first and resource.release.quirks.initial_events_blueprint:
            negotiate_for(ctx, resource, tables=False)
        await ctx.request.drain()
        if options.fields is not None and (
            options.send_initial_events or options.resource_version in ("", "0")
        ):
            await read_fields(self._store.storage, resource, ctx.object, options.fields)
        try:
            watch = await completed(
                partial(open_watch, self._store.storage, resource, ctx.object, options, at=ctx.stale_at)
            )
        except TooOld as problem:
            self._encoder(ctx, resource)
            return _expired(ctx, problem)
        try:
            encoder = self._encoder(ctx, resource)
        except ApiError:
            watch.close()
            raise
        events = Events(watch, resource, options, encoder, self._store)
        if not resource.kind.unstructured:
            events.write_through(ctx.request.write_now)
        ctx.watch = events.progress
        stream = StreamingResponse(
            events.frames(), watch.close, media_type=_media_type(ctx), warnings=ctx.warnings.texts
        )
        self._track(OpenWatch(ctx, resource, stream, events), watch)
        return stream

    def _track(self, opened: "OpenWatch", watch: Watch) -> None:
        def forget() -> None:
            watch.close()
            opened.events.progress.end(self._store.clock.now())
            self._open.pop(opened.stream, None)

        opened.stream.on_close = forget
        self._open[opened.stream] = opened

    def _encoder(self, ctx: RequestContext, resource: Resource) -> "EventEncoder":
        """Returns the encoder for the negotiated representation.

        Raises ApiError 400 for an invalid Table parameter, and 406 if a watch cannot be sent in this
        representation.
        """
        transform = transform_for(
            resource, ctx.representation, ctx.request.query.first, self._store.clock.now
        )
        check_streamable(ctx.representation, offer_of(resource.release).streamed)
        caches = {PROTOBUF: self._encoded_as_protobuf, CBOR: self._encoded_as_cbor}
        cache = caches.get(ctx.representation.media_type, self._encoded)
        encode = _frame_encoder(ctx.representation, resource)
        return PlainEvents(cache, encode) if transform is None else TransformedEvents(transform, encode)


class EventEncoder(Protocol):
    """Encodes each event of a watch as one line (JSON) or one frame (protobuf, CBOR)."""

    def encode(self, event: WatchEvent) -> bytes: ...

    def encode_bookmark(self, body: bytes) -> bytes: ...

    def encode_error(self, body: bytes) -> bytes: ...


class PlainEvents:
    """Encodes events with unconverted objects. All watches share a cache of encoded events."""

    def __init__(self, cache: EncodedEventCache, encode: FrameEncoder) -> None:
        self._cache = cache
        self._encode = encode

    def encode(self, event: WatchEvent) -> bytes:
        return self._cache.frame(event, self._encode)

    def encode_all(self, events: list[WatchEvent]) -> bytes:
        return self._cache.frames(events, self._encode)

    def encode_bookmark(self, body: bytes) -> bytes:
        return self._encode("BOOKMARK", body)

    def encode_error(self, body: bytes) -> bytes:
        return self._encode("ERROR", body)


class TransformedEvents:
    """Encodes events with objects converted to Tables or PartialObjectMetadata.

    Only the first Table of a watch contains the column definitions. The methods raise ApiError 406 for an
    object that cannot be converted; this error ends the watch.
    """

    def __init__(self, transform: Transform, encode: FrameEncoder) -> None:
        self._transform = transform
        self._encode = encode
        self._headers = True

    def encode(self, event: WatchEvent) -> bytes:
        return self._line(event.type, event.body)

    def encode_bookmark(self, body: bytes) -> bytes:
        annotations = (bookmark := codec.decode(body))["metadata"].get("annotations", {})
        if INITIAL_EVENTS_LIST in annotations:
            annotations[INITIAL_EVENTS_LIST] = blueprint_text(self._transform.empty_list())
        return self._line("BOOKMARK", codec.encode(bookmark))

    def encode_error(self, body: bytes) -> bytes:
        return self._encode("ERROR", body)

    def _line(self, kind: str, body: bytes) -> bytes:
        transformed = self._transform.of_object(body, headers=self._headers)
        self._headers = False
        return self._encode(kind, transformed)


class EventFilter(Protocol):
    """A filter that applies a fault to a watch: delays events, drops events, or ends the stream."""

    async def pass_on(self, frames: list[bytes]) -> list[bytes]:
        """Returns the frames to send instead of `frames`. Each frame is one encoded event."""
        ...

    @property
    def passes_bookmarks(self) -> bool: ...

    @property
    def ends(self) -> bool:
        """Whether the stream ends now, after the frames that `pass_on` has returned.

        Raises DropConnection if the fault closes the connection in the middle of the response.
        """
        ...


class Events:
    """The events and bookmarks of one watch, in order. The watch's timeout starts with the constructor."""

    def __init__(
        self, watch: Watch, resource: Resource, options: WatchOptions, encoder: EventEncoder, store: Store
    ) -> None:
        self._watch = watch
        self._resource = resource
        self._options = options
        self._encoder = encoder
        self._store = store
        self._clock: ClockAndNames = store.clock
        now = self._clock.monotonic()
        self._end = now + timeout_seconds(options, self._clock)
        self._next_bookmark = self._bookmark_time(now)
        self.progress = WatchProgress(lambda: watch.waiting)
        self._taken_version = 0
        self.filters: list[EventFilter] = []

    async def frames(self) -> AsyncGenerator[list[bytes], None]:
        """Yields the encoded events in batches, until the watch ends. An error ends the watch too.

        Raises DropConnection if a fault closes the connection.
        """
        progress = self.progress
        try:
            yield await self._encoded(self._watch.initial)
            progress.send_taken(self._taken_version)
            if self._ended_by_filter():
                return
            if self._options.send_initial_events and self._options.bookmarks:
                soon = self._clock.monotonic() + BOOKMARK_AFTER_INITIAL_EVENTS_SECONDS
                self._next_bookmark = min(self._end, soon)
                yield self._bookmarks(self._watch.start, ends_initial_events=True)
            while (now := self._clock.monotonic()) < self._end:
                events = await self._next_events(min(self._end, self._next_bookmark) - now)
                if events is not None:
                    yield await self._encoded(events)
                    progress.send_taken(self._taken_version)
                    if self._ended_by_filter():
                        return
                elif (now := self._clock.monotonic()) < self._end:
                    self._next_bookmark = self._bookmark_time(now)
                    version = self._watch.bookmark_version(self._store.newest(self._resource))
                    if version is not None:
                        yield self._bookmarks(version, ends_initial_events=False)
        except DropConnection:
            raise
        except Compacted as error:  # this server had no connection to shared storage for a long time
            yield [self.encode_error(TooOld(error.revision, error.oldest).error)]
        except (StorageError, ApiError):
            return
        except Exception:
            log.exception("unexpected error in a watch of %s", self._resource.qualified)

    def write_through(self, write_now: WriteNow | None) -> None:
        """Sends each event to the client directly at its commit, unless the client has unread data.

        `frames` sends events over SEND_BYTES_MAX, and all events of a watch with a fault. Has no effect on
        events that are converted to Tables or PartialObjectMetadata. `write_now`: the function of the ASGI
        server (see WRITE_NOW in `fakeapi.asgi`); None does not send events directly.
        """
        if write_now is not None and isinstance(self._encoder, PlainEvents):
            self._watch.deliver(partial(self._written, write_now, self._encoder))

    def _written(self, write_now: WriteNow, encoder: PlainEvents, events: list[WatchEvent]) -> bool:
        frames = encoder.encode_all(events)
        if self.filters or len(frames) > SEND_BYTES_MAX or not write_now(frames):
            return False
        progress = self.progress
        progress.taken += len(events)
        progress.send_taken(events[-1].revision)
        return True

    async def _encoded(self, events: list[WatchEvent]) -> list[bytes]:
        if self._resource.kind.unstructured:
            await self._resource.prepare([event.entry for event in events])
        if events:
            self.progress.taken += len(events)
            self._taken_version = max(self._taken_version, events[-1].revision)
        frames = [self._encoder.encode(event) for event in events]
        for event_filter in self.filters:
            frames = await event_filter.pass_on(frames)
        return frames

    def _ended_by_filter(self) -> bool:
        """Whether a fault ends the stream now. Raises DropConnection if the fault closes the connection."""
        return any(event_filter.ends for event_filter in self.filters)

    def encode_error(self, error: ApiError) -> bytes:
        """Returns the ERROR event for an error, in the representation of this stream."""
        return self._encoder.encode_error(codec.encode(status_of(error)))

    async def _next_events(self, seconds: float) -> list[WatchEvent] | None:
        """Returns the next batch of events; None if no event arrives within `seconds` of the clock."""
        try:
            async with self._clock.timeout(seconds):
                return await self._watch.next()
        except TimeoutError:
            return None

    def _bookmark_time(self, now: float) -> float:
        """Returns the monotonic time of the next bookmark: in a minute, or earlier, shortly before the watch
        ends.

        Returns the end of the watch if no bookmark is due. `now`: the current monotonic time.
        """
        if not self._options.bookmarks:
            return self._end
        before_end = self._end - BOOKMARK_BEFORE_END_SECONDS
        return min(now + BOOKMARK_SECONDS, before_end) if now < before_end else self._end

    def _bookmarks(self, version: int, *, ends_initial_events: bool) -> list[bytes]:
        """Returns a list with one encoded bookmark; an empty list if a fault suppresses bookmarks.

        - `version`: the resourceVersion of the bookmark.
        - `ends_initial_events`: whether the bookmark marks the end of the initial events.
        """
        if not all(event_filter.passes_bookmarks for event_filter in self.filters):
            return []
        self.progress.bookmarks += 1
        self.progress.bookmark_version = version
        body = bookmark(self._resource, version, ends_initial_events=ends_initial_events)
        return [self._encoder.encode_bookmark(body)]


class OpenWatch(msgspec.Struct, frozen=True, eq=False):
    """An open watch: its request, the watched resource, its stream, and its events."""

    ctx: RequestContext
    resource: Resource
    stream: StreamingResponse
    events: Events


def timeout_seconds(options: WatchOptions, clock: ClockAndNames) -> float:
    """Returns the seconds that a watch stays open. A negative number ends the watch after its initial events.

    Go counts nanoseconds in 64 bits, so a timeout of 300 years overflows to a negative number.
    """
    requested = (options.timeout_seconds or 0) * NANOSECONDS
    nanoseconds = (requested + (1 << 63)) % (1 << 64) - (1 << 63)
    if nanoseconds:
        return nanoseconds / NANOSECONDS
    return TIMEOUT_SECONDS_MIN * (1 + clock.fraction())


def _expired(ctx: RequestContext, problem: TooOld) -> StreamingResponse:
    """Returns a stream that sends only the ERROR event 410 Expired.

    `problem`: describes the resourceVersion that is too old.
    """
    status = status_of(problem.error)
    assert ctx.resource is not None, "routed to a resource"
    body, frame = codec.encode(status), _frame_encoder(ctx.representation, ctx.resource)

    async def frames() -> AsyncGenerator[list[bytes], None]:
        yield [frame("ERROR", body)]

    return StreamingResponse(frames(), lambda: None, media_type=_media_type(ctx), warnings=ctx.warnings.texts)


def _frame_encoder(shape: Representation, resource: Resource) -> FrameEncoder:
    """Returns the function that encodes one event of a watch of this resource in this representation."""
    kinds = resource.release.all_kinds if shape.media_type in (PROTOBUF, CBOR) else None
    if kinds is None:
        return event_line
    if shape.media_type == PROTOBUF:
        return partial(watch_frame, kinds=kinds)
    from fakeapi.http import cbor  # noqa: PLC0415 - loaded only for CBOR

    return partial(cbor.watch_frame, kinds=kinds)


def _media_type(ctx: RequestContext) -> str:
    """Returns the Content-Type of a watch in the negotiated representation."""
    media_type = ctx.representation.media_type
    if media_type == CBOR:
        return CBOR_SEQUENCE
    return media_type if media_type == JSON else f"{media_type};stream=watch"
