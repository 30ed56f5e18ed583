"""Watches that are opened again, and their events beside the recorded ones."""

import asyncio
import contextlib
from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from fakeapi.machinery.codec import JsonError, decode
from fakeapi.traces.client.http import HttpClient, Stream, TargetError
from fakeapi.traces.comparing.responses import DIFFERENCES_MAX, Comparison, Difference, compare_values
from fakeapi.traces.model import Exchange, Headers, Response, StreamEvent
from fakeapi.traces.replay.identity_map import Identities, metadata_of_items

PATIENCE_SECONDS = 2.0
"""For recorded events to come, when the watch is to be closed."""

LATER_PATIENCE_SECONDS = 0.2
"""The same, once events have been missing."""

QUIET_SECONDS = 0.05
"""In which an event too many must come to be counted; waited for by strict comparison only."""

Name = tuple[str, str]
_BOOKMARK = b'{"type":"BOOKMARK"'
_END_OF_LIST = b"k8s.io/initial-events-end"


class OpenWatch:
    """A watch on the server that is asked; its lines are kept from when it is opened until it is closed."""

    def __init__(self, exchange: Exchange, place: int, stream: Stream) -> None:
        self.exchange = exchange
        self.place = place
        self.lines: list[bytes] = []
        self.ended = False
        self.failure = ""
        self._stream = stream
        self._expected = sum(not _is_bookmark(event.line) for event in exchange.events or ())
        self._count = 0
        self._enough = asyncio.Event()
        self._task = asyncio.create_task(self._read())
        if not self._expected:
            self._enough.set()

    @classmethod
    async def open(
        cls, client: HttpClient, exchange: Exchange, place: int, target: str, headers: Headers
    ) -> "OpenWatch | Response":
        """The watch, or the answer where the server gives none. Raises TargetError."""
        stream = await client.watch(target, headers)
        if stream.status == 200:
            return cls(exchange, place, stream)
        try:
            return Response(stream.status, stream.headers, await stream.body())
        finally:
            stream.close()

    async def _read(self) -> None:
        try:
            async for line in self._stream.lines():
                self.lines.append(line)
                self._count += not _is_bookmark(line)
                if self._count >= self._expected:
                    self._enough.set()
        except TargetError as error:
            self.failure = str(error)
        self.ended = True
        self._enough.set()

    async def close(self, patience: float, *, quiet: float = 0.0) -> bool:
        """Waits for as many events as were recorded, then for `quiet` seconds; whether they came in time."""
        came = True
        try:
            async with asyncio.timeout(patience):
                await self._enough.wait()
        except TimeoutError:
            came = False
        if quiet and not self.ended:
            await asyncio.sleep(quiet)
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task
        self._stream.close()
        return came and self._count >= self._expected


@dataclass(slots=True)
class _Event:
    type: str
    name: Name
    value: Any
    line: bytes
    version: str = ""


@dataclass(frozen=True, slots=True)
class Missed:
    """What comparing two streams found. `versions`: the recorded ones of events that did not come."""

    differences: list[Difference]
    versions: tuple[int, ...]
    names: tuple[Name, ...]
    first: int = -1
    """The place of the first recorded event that differs; -1 where none does."""


def compare_events(
    recorded: Iterable[StreamEvent],
    now: Iterable[bytes],
    identities: Identities,
    how: Comparison,
    *,
    in_order: bool,
    whole: bool,
) -> Missed:
    """Object by object, event by event; bookmarks are left out, as they follow a clock.

    `in_order`: the order of different objects' events counts too. `whole`: events after the last recorded one
    are differences; else the recorded client may have left before they came.
    """
    waiting: dict[Name, deque[tuple[int, _Event]]] = defaultdict(deque)
    theirs = list(_events(now, identities))
    for place, event in enumerate(theirs):
        waiting[event.name].append((place, event))
    found: list[Difference] = []
    places: list[int] = []
    missing: list[int] = []
    names: list[Name] = []
    first = -1
    for number, ours in enumerate(_events((event.line for event in recorded), None)):
        label = f"event {number} {ours.type} {'/'.join(part for part in ours.name if part)}".rstrip()
        queue = waiting.get(ours.name)
        if not queue:
            found.append(Difference("event missing", label, ours.type))
            missing.append(int(ours.version) if ours.version.isdecimal() else 0)
            names.append(ours.name)
            first = number if first < 0 else first
            continue
        place, twin = queue.popleft()
        places.append(place)
        differences = _compare(ours, twin, identities, how)
        if differences:
            names.append(ours.name)
            first = number if first < 0 else first
        found += [
            Difference(each.kind, f"{label}: {each.path}", each.recorded, each.now) for each in differences
        ]
    last = max(places, default=-1)
    extra = sorted(pair for queue in waiting.values() for pair in queue)
    for place, event in extra:
        if whole or place < last:
            label = f"event {place} {event.type} {'/'.join(event.name)}"
            found.append(Difference("event added", label, "", event.type))
            names.append(event.name)
    if in_order and places != sorted(places):
        found.append(Difference("event order", "", "the order of writes", "another"))
    return Missed(found[:DIFFERENCES_MAX], tuple(missing), tuple(names), first)


def _compare(ours: _Event, theirs: _Event, identities: Identities, how: Comparison) -> list[Difference]:
    if ours.type != theirs.type:
        return [Difference("event type", "type", ours.type, theirs.type)]
    if ours.value is None or theirs.value is None:
        same = ours.line == theirs.line
        return [] if same else [Difference("event", "", "bytes", "other bytes")]
    return compare_values(
        ours.value, theirs.value, lambda: decode(identities.backward(theirs.line)), identities, how
    )


def _events(lines: Iterable[bytes], identities: Identities | None) -> Iterable[_Event]:
    """Decoded, named as the recorded server named them, without bookmarks but the one that ends a list."""
    for line in lines:
        if _is_bookmark(line) and _END_OF_LIST not in line:
            continue
        try:
            value = decode(line)
        except JsonError:
            yield _Event("", ("", ""), None, line)
            continue
        if not isinstance(value, dict) or not isinstance(value.get("object"), dict):
            yield _Event("", ("", ""), None, line)
            continue
        event = _Event(str(value.get("type", "")), ("", ""), value, line)
        if event.type == "BOOKMARK":
            value["object"].get("metadata", {}).pop("resourceVersion", None)
        _name(event, value["object"], identities)
        yield event


def _name(event: _Event, obj: dict[str, Any], identities: Identities | None) -> None:
    inside = metadata_of_items(obj)
    metadata = inside[0] if inside else obj.get("metadata")
    if isinstance(metadata, dict):
        name = str(metadata.get("name", ""))
        event.name = (
            str(metadata.get("namespace", "")),
            name if identities is None else identities.name_recorded(name),
        )
        event.version = str(metadata.get("resourceVersion", ""))


def _is_bookmark(line: bytes) -> bool:
    return line.startswith(_BOOKMARK)


def learn_events(recorded: Sequence[StreamEvent], now: Sequence[bytes], identities: Identities) -> None:
    """Takes what the events of objects tell that no answer told of, object by object."""
    waiting: dict[Name, deque[_Event]] = defaultdict(deque)
    for event in _events(now, identities):
        waiting[event.name].append(event)
    for ours in _events((event.line for event in recorded), None):
        queue = waiting.get(ours.name)
        if queue and ours.value is not None:
            twin = queue.popleft()
            if twin.value is not None and ours.type == twin.type != "BOOKMARK":
                identities.learn(ours.value["object"], twin.value["object"])
