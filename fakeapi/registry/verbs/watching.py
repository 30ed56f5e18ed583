"""Watch: the existing objects or the changes since a version, then every change as it is committed.

Follows k8s.io/apiserver `pkg/storage/cacher`: without a version or with "0" a watch begins with the
existing objects; a selector turns a change into ADDED or DELETED where an object begins or ceases to match; a
DELETED event has the last state that the watcher could see, at the version of the change.
"""

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from fakeapi.machinery import codec
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.attached import Attached
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.offloading.conversion import converted
from fakeapi.registry.requests.options import ObjectReference, WatchOptions
from fakeapi.registry.requests.predicate import SelectionPredicate, predicate_of
from fakeapi.registry.requests.resource_version import parse_version
from fakeapi.registry.verbs.listing import prefix_of
from fakeapi_storage import Compacted, Entry, Event, EventKind, Storage, Watcher

INITIAL_EVENTS_END = "k8s.io/initial-events-end"
INITIAL_EVENTS_LIST = "kubernetes.io/initial-events-list-blueprint"
FRAMES_KEPT = 2048
"""As many encoded events are kept for all watchers; when there are more, all are encoded again when
needed."""


class TooOld(Exception):
    """The version that a watch should begin at is no longer kept."""

    def __init__(self, wanted: int, oldest: int) -> None:
        super().__init__(f"too old resource version: {wanted} ({oldest})")


@dataclass(frozen=True, slots=True)
class WatchEvent:
    """ADDED, MODIFIED or DELETED with a stored object, at `revision`."""

    type: str
    entry: Entry
    revision: int
    resource: Resource

    @property
    def body(self) -> bytes:
        """JSON of the object in the version of the watch."""
        return self.resource.json_of(self.entry.value, self.revision)

    @property
    def exact_body(self) -> bytes:
        """`body` with drivers' own values to the byte."""
        return self.resource.json_of(self.entry.value, self.revision, exact=True)


@dataclass(slots=True)
class _LastDelivered:
    """The last batch of events of a resource that was delivered to watches of all objects."""

    batch: Sequence[Event] = ()
    events: list[WatchEvent] = field(default_factory=list)


_LAST_DELIVERED = Attached(_LastDelivered)


class Watch:
    """One open watch: send `initial`, then what `next` returns, and `close` it at the end.

    `start` is the version that `initial` shows; `next` has all that comes after it.
    """

    def __init__(
        self,
        resource: Resource,
        watcher: Watcher,
        chosen: SelectionPredicate,
        initial: list[Entry],
        after: int,
    ) -> None:
        self._resource = resource
        self._watcher = watcher
        self._chosen = chosen
        self.start = after
        self.initial = [self._event("ADDED", entry, entry.revision) for entry in initial]

    async def next(self) -> list[WatchEvent]:
        """The next events, as soon as there are any for this watch.

        Raises what the storage's watcher raises: closed, or fallen behind.
        """
        while True:
            batch = await self._watcher.next_batch()
            events = await converted(partial(self._translated, batch))
            if events:
                return events

    def deliver(self, take: Callable[[list[WatchEvent]], bool]) -> None:
        """Offers events to `take` as they are committed, while `next` waits, which then does not give them.

        Not for objects that need a webhook's conversion. `take` must neither raise nor wait. It is given the
        same list as the other watches of all objects.
        """
        self._watcher.deliver(partial(self._delivered, take))

    def _delivered(self, take: Callable[[list[WatchEvent]], bool], batch: Sequence[Event]) -> bool:
        try:
            events = self._of_all(batch) if self._chosen.everything else self._translated(batch)
        except Exception:  # noqa: BLE001 - `next` finds it too, and says it to the watcher
            return False
        return not events or take(events)

    def _of_all(self, batch: Sequence[Event]) -> list[WatchEvent]:
        """`_translated` for a watch of all objects, which many watches of a resource have in common."""
        if batch[0].entry.revision <= self.start:
            return self._translated(batch)
        last = _LAST_DELIVERED.of(self._resource.attachments)
        if last.batch is not batch:
            last.batch, last.events = batch, self._translated(batch)
        return last.events

    def _translated(self, batch: Sequence[Event]) -> list[WatchEvent]:
        return [
            event
            for change in batch
            if change.entry.revision > self.start and (event := self._translate(change)) is not None
        ]

    def bookmark_version(self, newest: int) -> int | None:
        """The version for a bookmark, `newest` being the last change to the resource; None where nothing has
        changed.

        """
        version = min(newest, self._watcher.progress)
        return version if version > self.start else None

    @property
    def waiting(self) -> int:
        """Changes that `next` has not looked at yet; not all of them need be events of this watch."""
        return self._watcher.waiting

    def close(self) -> None:
        """Stop listening; harmless when repeated."""
        self._watcher.close()

    def _translate(self, change: Event) -> WatchEvent | None:
        entry, previous = change.entry, change.previous
        is_deletion = change.kind is EventKind.DELETE
        if self._chosen.everything:
            if is_deletion:
                return self._event("DELETED", entry, entry.revision)
            return self._event("MODIFIED" if previous is not None else "ADDED", entry, entry.revision)
        matched = previous is not None and self._chosen.matches(previous)
        if not is_deletion and self._chosen.matches(entry):
            return self._event("MODIFIED" if matched else "ADDED", entry, entry.revision)
        if matched and previous is not None:
            return self._event("DELETED", entry if is_deletion else previous, entry.revision)
        return None

    def _event(self, kind: str, entry: Entry, revision: int) -> WatchEvent:
        return WatchEvent(kind, entry, revision, self._resource)


def open_watch(
    storage: Storage,
    resource: Resource,
    target: ObjectReference,
    options: WatchOptions,
    *,
    at: int | None = None,
) -> Watch:
    """Opens a watch by its options. Initial events are of the revision `at`, by default the newest.

    Raises ApiError for a malformed version, and TooOld for one that is no longer kept.
    """
    fields_of = resource.field_labels.fields_of
    chosen = predicate_of(options.labels, options.fields, fields_of, options.shards)
    prefix = prefix_of(resource, target)
    since = parse_version(options.resource_version) if options.resource_version else 0
    wants_initial = options.send_initial_events
    if wants_initial is None:
        wants_initial = since == 0
    if wants_initial or (since == 0 and options.send_initial_events is False):
        page = storage.list(prefix, start_after=None, limit=None, at=at)
        entries = page.entries if wants_initial else []
        initial = [entry for entry in entries if chosen.matches(entry)]
        watcher = storage.watch(prefix, page.revision)
        return Watch(resource, watcher, chosen, initial, page.revision)
    oldest = resource.release.quirks.watch_cache_start
    if since < oldest:
        raise TooOld(since, oldest)
    try:
        watcher = storage.watch(prefix, min(since, storage.revision))
    except Compacted as error:
        raise TooOld(since, error.oldest - 1) from None
    return Watch(resource, watcher, chosen, [], since)


def bookmark(resource: Resource, revision: int, *, ends_initial_events: bool) -> bytes:
    """JSON of the object of a bookmark: an empty object of the kind with a resourceVersion."""
    meta: Object = {"resourceVersion": str(revision)}
    if resource.release.quirks.zero_creation_timestamp_is_null:
        meta["creationTimestamp"] = None
    if ends_initial_events:
        meta["annotations"] = {INITIAL_EVENTS_END: "true"}
        blueprint = resource.release.quirks.initial_events_blueprint
        if blueprint:
            meta["annotations"] |= _blueprint(resource)
    empty = resource.empty_object()
    return codec.encode({**empty, "metadata": meta})


def _blueprint(resource: Resource) -> dict[str, str]:
    """The annotation by which 1.32 gives clients an empty list of the kind, for consistency checks."""
    listed: Object = {
        "kind": resource.kind.list_kind,
        "apiVersion": resource.api_version,
        "metadata": {},
        "items": None,
    }
    return {INITIAL_EVENTS_LIST: blueprint_text(listed)}


def blueprint_text(listed: Object) -> str:
    """A list in base64, as the annotation holds it."""
    return base64.b64encode(codec.encode(listed) + b"\n").decode()


FrameEncoder = Callable[[str, bytes], bytes]
"""Encodes an event for a stream: (its type, the JSON of its object) -> a line or frame."""


def event_line(kind: str, body: bytes) -> bytes:
    """One line of a watch stream in JSON."""
    return b'{"type":"%b","object":%b}\n' % (kind.encode(), body)


class EncodedEventCache:
    """Encoded watch events, shared by all watchers that send them in one form.

    Each is kept with the value that it was encoded from: after a reset of the storage, revisions begin again.
    """

    def __init__(self, *, exact: bool = False) -> None:
        """`exact` as in `Resource.json_of`."""
        self._exact = exact
        self._kept: dict[tuple[str, str, int, str], tuple[bytes, bytes]] = {}
        self._last: tuple[list[WatchEvent], bytes] = [], b""

    def frames(self, events: list[WatchEvent], encode: FrameEncoder = event_line) -> bytes:
        """The frames of a list of events together, made once for all that ask for the same list in a row."""
        last, lines = self._last
        if last is not events:
            lines = b"".join([self.frame(event, encode) for event in events])
            self._last = events, lines
        return lines

    def frame(self, event: WatchEvent, encode: FrameEncoder = event_line) -> bytes:
        """One line or frame of a watch stream; `encode` is the same for all of a cache."""
        key = (event.resource.identity, event.type, event.revision, event.entry.key)
        value = event.entry.value
        kept, line = self._kept.get(key, (None, b""))
        if kept != value:
            line = encode(event.type, event.exact_body if self._exact else event.body)
            if len(self._kept) >= FRAMES_KEPT:
                self._kept.clear()
            self._kept[key] = value, line
        return line
