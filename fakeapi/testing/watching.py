"""Watch: the changes of a kind as an iterator. Lists, watches and resumes like an informer."""

import http.client
import json
import time
from collections import deque
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Literal, Self

import msgspec

from fakeapi.clients.connections import TIMEOUT_SECONDS, Stream
from fakeapi.clients.errors import StatusError
from fakeapi.clients.served_resource import ServedResource
from fakeapi.machinery.base_error import FakeAPIError
from fakeapi.machinery.json_types import Object
from fakeapi.testing.hidden_frames import hides_expected_errors
from fakeapi.testing.served_kinds import items_of
from fakeapi.testing.wire import Wire, subject_of, target_of

__tracebackhide__ = hides_expected_errors

WITHIN_SECONDS = 5.0
"""Default time-out of the waiting methods, in seconds of the machine's clock."""

RETRY_SECONDS_MAX = 0.5
"""Maximum pause in seconds before a refused watch is opened again."""


class WaitTimeout(FakeAPIError, AssertionError):
    """Raised if a change does not happen in time. The message shows what happened instead."""


class WatchEvent(msgspec.Struct, frozen=True):
    """A change of an object.

    - `type`: ADDED, MODIFIED or DELETED.
    - `object`: the object after the change; for DELETED, its last state.
    """

    type: Literal["ADDED", "MODIFIED", "DELETED"]
    object: Object

    @property
    def name(self) -> str:
        """The name of the object."""
        return str(self.object["metadata"]["name"])

    def __str__(self) -> str:
        metadata = self.object["metadata"]
        place = "/".join(part for part in (metadata.get("namespace", ""), metadata["name"]) if part)
        return f"{self.type} {place} ({metadata.get('resourceVersion', '?')})"


class WatchSource(msgspec.Struct, frozen=True):
    """The collection that a watch follows. `observes`: whether the journal and faults ignore its requests."""

    wire: Wire
    resource: ServedResource
    namespace: str
    selectors: dict[str, str]
    observes: bool = False

    @property
    def path(self) -> str:
        return self.resource.path(self.namespace)

    def items(self) -> tuple[list[Object], str]:
        """Lists the collection. Returns the objects with apiVersion and kind, and the resourceVersion of the
        list.
        """
        listed = self.wire.request("GET", self.path, query=self.selectors, observes=self.observes)
        return items_of(listed, self.resource), listed["metadata"]["resourceVersion"]

    def open(self, version: str) -> Stream:
        """Opens a watch after a resourceVersion. Raises StatusError if the server refuses it."""
        query = {**self.selectors, "watch": "true", "resourceVersion": version}
        headers = self.wire.headers(observes=self.observes)
        stream = self.wire.connections.open_stream(target_of(self.path, query), headers)
        if stream.status == 200:
            return stream
        text = stream.rest(TIMEOUT_SECONDS)
        stream.close()
        raise StatusError(stream.status, _status(text), text, request=subject_of("GET", self.path, query))


class Watch(Iterator[WatchEvent]):
    """The changes of a kind: first each existing object as ADDED, then every change.

    After a broken connection, the watch resumes after its last event. After 410 Expired, the watch lists
    again and yields only the differences, so that you see no change twice. Use the watch in a `for` statement
    or with `next`. `close` or the end of a `with` block ends the watch.
    """

    _stream: Stream | None = None

    def __init__(
        self, source: WatchSource, *, count: int | None = None, within: float = WITHIN_SECONDS
    ) -> None:
        """Lists the objects and opens the watch.

        - `count`: the number of events after which the iteration ends; None for no end.
        - `within`: the seconds in which all events must come.

        Raises StatusError if the server refuses the list or the watch. Tries again after 410, 429 and 5xx.
        """
        self._source = source
        self._count = count
        self._within = within
        self._deadline = time.monotonic() + within
        self._version = ""
        self._known: dict[tuple[str, str], Object] = {}
        self._pending: deque[WatchEvent] = deque()
        self._seen: deque[WatchEvent] = deque(maxlen=20)
        self._refusals = 0
        self._connect()

    def __next__(self) -> WatchEvent:
        """Returns the next event. Raises WaitTimeout if no event comes in time.

        Raises StopIteration after `count` events.
        """
        if self._count is not None and self._count <= 0:
            self.close()
            raise StopIteration
        event = self.next_event()
        if event is None:
            self.close()
            raise WaitTimeout(self._overdue())
        if self._count is not None:
            self._count -= 1
        return event

    def next_event(self) -> WatchEvent | None:
        """Returns the next event; None if no event comes in time."""
        while not self._pending:
            if time.monotonic() >= self._deadline:
                return None
            if self._stream is None:
                self._connect()
            else:
                self._read(self._stream)
        event = self._pending.popleft()
        self._seen.append(event)
        return event

    @property
    def has_pending(self) -> bool:
        """Whether `next_event` can return an event without waiting."""
        return bool(self._pending)

    def close(self) -> None:
        """Ends the watch. A second call does nothing."""
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def __repr__(self) -> str:
        return (
            f"<Watch of {self._source.resource.qualified}: {', '.join(map(str, self._seen)) or 'no events'}>"
        )

    def _connect(self) -> None:
        """Opens the watch after the last known resourceVersion. Lists the objects first if none is known.

        Pauses after a failed connection, and after the responses 410, 429 and 5xx. Raises StatusError for any
        other error response.
        """
        try:
            if not self._version:
                items, self._version = self._source.items()
                self._compare(items)
            self._stream = self._source.open(self._version)
            self._refusals = 0
        except (OSError, http.client.HTTPException):
            self._pause()
        except StatusError as error:
            if error.code == 410:
                self._version = ""
            elif error.code not in (0, 429) and error.code < 500:
                raise
            self._pause()

    def _pause(self) -> None:
        self._refusals += 1
        pause = min(0.01 * 2**self._refusals, RETRY_SECONDS_MAX, max(0.0, self._deadline - time.monotonic()))
        time.sleep(pause)  # nothing announces that the server accepts requests again

    def _compare(self, items: list[Object]) -> None:
        """Adds events for the differences between the known objects and a new list."""
        listed = {_key(item): item for item in items}
        for key, item in listed.items():
            old = self._known.get(key)
            if old is None:
                self._pending.append(WatchEvent("ADDED", item))
            elif _version(old) != _version(item):
                self._pending.append(WatchEvent("MODIFIED", item))
        self._pending.extend(WatchEvent("DELETED", self._known[key]) for key in self._known.keys() - listed)
        self._known = listed

    def _read(self, stream: Stream) -> None:
        """Reads one line of the stream. After the end of the stream, `next_event` connects again."""
        try:
            line = stream.line(self._deadline - time.monotonic())
            event = json.loads(line) if line.strip() else None
        except TimeoutError:
            self.close()
            return
        except (OSError, http.client.HTTPException, ValueError):
            event = None
        if event is None or event["type"] == "ERROR":
            self.close()
            if event is not None and event["object"].get("code") == 410:
                self._version = ""
            return
        obj = event["object"]
        self._version = _version(obj)
        if event["type"] == "DELETED":
            self._known.pop(_key(obj), None)
        elif event["type"] in ("ADDED", "MODIFIED"):
            self._known[_key(obj)] = obj
        else:
            return
        self._pending.append(WatchEvent(event["type"], obj))

    def _overdue(self) -> str:
        missing = "another event" if self._count is None else f"{self._count} more of the events"
        words = f"watch of {self._source.resource.qualified}: waited {self._within:g} s for {missing}"
        events = [f"    {event}" for event in self._seen]
        return "\n".join([f"{words}; it had these:", *events]) if events else words


def selectors(label_selector: str, field_selector: str) -> dict[str, str]:
    """Returns the query parameters of two selectors. Omits empty selectors."""
    query = {"labelSelector": label_selector, "fieldSelector": field_selector}
    return {key: value for key, value in query.items() if value}


def _key(obj: Object) -> tuple[str, str]:
    metadata = obj["metadata"]
    return metadata.get("namespace", ""), metadata["name"]


def _version(obj: Object) -> str:
    return str(obj["metadata"]["resourceVersion"])


def _status(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
