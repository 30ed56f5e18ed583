"""Watch: sends existing objects or the changes since a resourceVersion, then each new change at its commit.

Follows k8s.io/apiserver `pkg/storage/cacher`:

- Without a resourceVersion, or with "0", a watch begins with the existing objects, unless the client sets
  sendInitialEvents=false. With sendInitialEvents=true, every watch begins with the existing objects.
- With a selector, an event is ADDED if the object begins to match, and DELETED if the object no longer
  matches.
- A DELETED event has the last state that the client could see, with the resourceVersion of the change.
- A BOOKMARK has the newest resourceVersion whose changes the client has received. `fakeapi.http.watch` sends
  bookmarks.
"""

import base64
from collections.abc import Callable, Sequence
from functools import partial

import msgspec

from fakeapi.machinery import codec, errors
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.attached import Attached
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.offloading.rerun import completed
from fakeapi.registry.requests.options import ObjectReference, WatchOptions
from fakeapi.registry.requests.predicate import SelectionPredicate
from fakeapi.registry.requests.resource_version import parse_version
from fakeapi.registry.verbs.listing import predicate_for, prefix_of
from fakeapi_storage import Compacted, Entry, Event, EventKind, Storage, Watcher

INITIAL_EVENTS_END = "k8s.io/initial-events-end"
INITIAL_EVENTS_LIST = "kubernetes.io/initial-events-list-blueprint"
FRAMES_KEPT = 2048
"""Maximum number of events in an EncodedEventCache. A full cache is cleared."""


class TooOld(Exception):
    """Raised if the storage no longer has the resourceVersion at which a watch should begin.

    `error` is the ApiError 410 for the client.
    """

    def __init__(self, requested: int, oldest: int) -> None:
        self.error = errors.expired(f"too old resource version: {requested} ({oldest})")
        super().__init__(str(self.error))


class WatchEvent(msgspec.Struct, frozen=True):
    """A watch event for a stored object at `revision`; `type` is ADDED, MODIFIED or DELETED."""

    type: str
    entry: Entry
    revision: int
    resource: Resource

    @property
    def body(self) -> bytes:
        """The JSON of the object in the API version of the watch."""
        return self.resource.json_of(self.entry.value, self.revision)

    @property
    def exact_body(self) -> bytes:
        """The JSON of the object in the watch's API version. RawExtension values keep their exact bytes."""
        return self.resource.json_of(self.entry.value, self.revision, exact=True)


class _LastDelivered(msgspec.Struct):
    """The last batch of storage events, with the watch events that unfiltered watches of a resource share."""

    batch: Sequence[Event] = ()
    events: list[WatchEvent] = msgspec.field(default_factory=list)


_LAST_DELIVERED = Attached(_LastDelivered)


class Watch:
    """An open watch. First send `initial`, then the events that `next` returns, and finally call `close`.

    `initial`: ADDED events for the existing objects. `start`: the revision of the state in `initial`. `next`
    returns the events after this revision.
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
        """Waits for events of this watch and returns them.

        Raises the errors of the storage's watcher, for example after the watcher was closed or has fallen
        behind. Raises ApiError 500 if a conversion webhook fails.
        """
        while True:
            batch = await self._watcher.next_batch()
            events = await completed(partial(self._translated, batch))
            if events:
                return events

    def deliver(self, take: Callable[[list[WatchEvent]], bool]) -> None:
        """Calls `take` with each batch of events at its commit, while `next` waits.

        `take` returns whether it has handled the events; `next` does not return handled events. `take` must
        neither raise nor block. All unfiltered watches of a resource receive the same list. If a webhook must
        convert an object first, `next` returns the events instead.
        """
        self._watcher.deliver(partial(self._delivered, take))

    def _delivered(self, take: Callable[[list[WatchEvent]], bool], batch: Sequence[Event]) -> bool:
        try:
            events = self._of_all(batch) if self._chosen.everything else self._translated(batch)
        except Exception:  # noqa: BLE001 - `next` runs into the same error and raises it
            return False
        return not events or take(events)

    def _of_all(self, batch: Sequence[Event]) -> list[WatchEvent]:
        """Returns the events of a batch for an unfiltered watch.

        Other unfiltered watches reuse the same list.
        """
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
        """Returns the revision for a bookmark; None if the watch has not received a change after `start`.

        `newest`: the revision of the last change to the resource.
        """
        version = min(newest, self._watcher.progress)
        return version if version > self.start else None

    @property
    def waiting(self) -> int:
        """The number of storage changes that `next` has not read yet.

        The watch's selector may drop some of these changes.
        """
        return self._watcher.waiting

    def close(self) -> None:
        """Closes the watch; further calls do nothing."""
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
    """Opens a watch of the objects that `target` and the selectors of `options` select.

    `at`: the revision of the state that the initial events show; None for the newest revision.

    Raises ApiError 500 if the resourceVersion or the shard selector is malformed. Raises TooOld if the
    storage no longer has this resourceVersion.
    """
    chosen = predicate_for(resource, options)
    prefix = prefix_of(resource, target)
    since = parse_version(options.resource_version) if options.resource_version else 0
    wants_initial = options.send_initial_events
    if wants_initial is None:
        wants_initial = since == 0
    if wants_initial or (since == 0 and options.send_initial_events is False):
        page = storage.list(prefix, start_after=None, limit=None, at=at)
        entries = page.entries if wants_initial else []
        initial = chosen.select(entries)
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
    """Returns the JSON of the object in a bookmark: an empty object of the kind, with a resourceVersion.

    `ends_initial_events`: whether the bookmark marks the end of the initial events. If so, the object gets
    the annotation `k8s.io/initial-events-end`, and in some releases also the annotation of `_blueprint`.
    """
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
    """Returns the annotation `kubernetes.io/initial-events-list-blueprint` for an empty list of the kind.

    Clients of Kubernetes 1.32 use the annotation to check the initial events against a list.
    """
    listed: Object = {
        "kind": resource.kind.list_kind,
        "apiVersion": resource.api_version,
        "metadata": {},
        "items": None,
    }
    return {INITIAL_EVENTS_LIST: blueprint_text(listed)}


def blueprint_text(listed: Object) -> str:
    """Returns the value of the annotation `kubernetes.io/initial-events-list-blueprint`.

    The value is the JSON of the list in base64.
    """
    return base64.b64encode(codec.encode(listed) + b"\n").decode()


FrameEncoder = Callable[[str, bytes], bytes]
"""A function that encodes a watch event: `(event type, JSON of the object) -> bytes for the stream`."""


def event_line(kind: str, body: bytes) -> bytes:
    """Returns a watch event as one line of a JSON watch stream.

    `kind`: the type of the event, such as ADDED. `body`: the JSON of the object.
    """
    return b'{"type":"%b","object":%b}\n' % (kind.encode(), body)


class EncodedEventCache:
    """Caches encoded watch events for all watches with the same encoding.

    A cached event is valid only for the stored bytes that it was encoded from. Revisions do not identify
    events, because revisions start again after a reset of the storage.
    """

    def __init__(self, *, exact: bool = False) -> None:
        """Creates an empty cache. `exact`: whether RawExtension values keep their original bytes."""
        self._exact = exact
        self._kept: dict[tuple[str, str, int, str], tuple[bytes, bytes]] = {}
        self._last: tuple[list[WatchEvent], bytes] = [], b""

    def frames(self, events: list[WatchEvent], encode: FrameEncoder = event_line) -> bytes:
        """Returns the joined bytes of a list of events.

        A following call with the same list object reuses the bytes.
        """
        last, lines = self._last
        if last is not events:
            lines = b"".join([self.frame(event, encode) for event in events])
            self._last = events, lines
        return lines

    def frame(self, event: WatchEvent, encode: FrameEncoder = event_line) -> bytes:
        """Returns the encoded bytes of one event; encodes the event if the cache does not contain its bytes.

        Each cache must use only one `encode`, because the cached bytes depend on `encode`.
        """
        key = (event.resource.identity, event.type, event.revision, event.entry.key)
        value = event.entry.value
        kept, line = self._kept.get(key, (None, b""))
        if kept != value:
            line = encode(event.type, event.exact_body if self._exact else event.body)
            if len(self._kept) >= FRAMES_KEPT:
                self._kept.clear()
            self._kept[key] = value, line
        return line
