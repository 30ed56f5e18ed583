"""Compares the events of a recorded watch with the events of the watch in a replay."""

from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from fakeapi.machinery.codec import JsonError, decode
from fakeapi.traces.analysis.identity_map import IdentityMap, metadata_of_items
from fakeapi.traces.analysis.request_facts import version_number
from fakeapi.traces.comparing.differences import DIFFERENCES_MAX, Difference, DifferenceKind
from fakeapi.traces.comparing.values import CompareOptions, compare_values
from fakeapi.traces.model import StreamEvent

Name = tuple[str, str]
"""The namespace and name of an object."""

_BOOKMARK = b'{"type":"BOOKMARK"'
_END_OF_LIST = b"k8s.io/initial-events-end"


@dataclass(slots=True)
class _Event:
    type: str
    name: Name
    value: Any
    line: bytes
    version: str = ""


@dataclass(frozen=True, slots=True)
class EventComparison:
    """The differences between the events of a recorded watch and the events in a replay.

    - `missing_versions`: the recorded resourceVersions of events that the replay target did not send.
    - `names`: the namespaces and names of the objects with differences.
    - `first`: the index of the first recorded event that differs; -1 for none.
    """

    differences: list[Difference]
    missing_versions: tuple[int, ...]
    names: tuple[Name, ...]
    first: int = -1


def compare_events(
    recorded: Iterable[StreamEvent],
    now: Iterable[bytes],
    identities: IdentityMap,
    how: CompareOptions,
    *,
    in_order: bool,
    whole: bool,
) -> EventComparison:
    """Compares the events of a recorded watch with the events in a replay, object by object.

    - `recorded` and `now`: the recorded events, and the lines that the replay target has sent.
    - `identities`: translates `now` to recorded uids, resourceVersions and names.
    - `how`: the options of the comparison.
    - `in_order`: whether to compare the order of events of different objects too.
    - `whole`: whether additional events at the end are differences. False if the recorded client may have
      disconnected before these events.

    Of the bookmarks, compares only the bookmark that ends the initial events. The times of other bookmarks
    depend on a clock.
    """
    waiting: dict[Name, deque[tuple[int, _Event]]] = defaultdict(deque)
    theirs = list(_events(now, identities))
    for place, event in enumerate(theirs):
        waiting[event.name].append((place, event))
    differences_found: list[Difference] = []
    places: list[int] = []
    missing: list[int] = []
    names: list[Name] = []
    first = -1
    for number, ours in enumerate(_events((event.line for event in recorded), None)):
        label = f"event {number} {ours.type} {'/'.join(part for part in ours.name if part)}".rstrip()
        queue = waiting.get(ours.name)
        if not queue:
            differences_found.append(Difference(DifferenceKind.EVENT_MISSING, label, ours.type))
            missing.append(version_number(ours.version))
            names.append(ours.name)
            first = number if first < 0 else first
            continue
        place, twin = queue.popleft()
        places.append(place)
        differences = _compare(ours, twin, identities, how)
        if differences:
            names.append(ours.name)
            first = number if first < 0 else first
        differences_found += [
            Difference(inner.kind, f"{label}: {inner.path}", inner.recorded, inner.now)
            for inner in differences
        ]
    last = max(places, default=-1)
    extra = sorted(pair for queue in waiting.values() for pair in queue)
    for place, event in extra:
        if whole or place < last:
            label = f"event {place} {event.type} {'/'.join(event.name)}"
            differences_found.append(Difference(DifferenceKind.EVENT_ADDED, label, "", event.type))
            names.append(event.name)
    if in_order and places != sorted(places):
        differences_found.append(Difference(DifferenceKind.EVENT_ORDER, "", "the order of writes", "another"))
    return EventComparison(differences_found[:DIFFERENCES_MAX], tuple(missing), tuple(names), first)


def _compare(
    ours: _Event, theirs: _Event, identities: IdentityMap, options: CompareOptions
) -> list[Difference]:
    if ours.type != theirs.type:
        return [Difference(DifferenceKind.EVENT_TYPE, "type", ours.type, theirs.type)]
    if ours.value is None or theirs.value is None:
        same = ours.line == theirs.line
        return [] if same else [Difference(DifferenceKind.EVENT, "", "bytes", "other bytes")]
    return compare_values(
        ours.value, theirs.value, lambda: decode(identities.backward(theirs.line)), identities, options
    )


def _events(lines: Iterable[bytes], identities: IdentityMap | None) -> Iterable[_Event]:
    """Yields the decoded events. Skips bookmarks, except the bookmark that ends the initial events.

    `identities`: translates names of the replay target to recorded names; None for recorded events.
    """
    for line in lines:
        if is_bookmark(line) and _END_OF_LIST not in line:
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


def _name(event: _Event, obj: dict[str, Any], identities: IdentityMap | None) -> None:
    inside = metadata_of_items(obj)
    metadata = inside[0] if inside else obj.get("metadata")
    if isinstance(metadata, dict):
        name = str(metadata.get("name", ""))
        event.name = (
            str(metadata.get("namespace", "")),
            name if identities is None else identities.name_recorded(name),
        )
        event.version = str(metadata.get("resourceVersion", ""))


def is_bookmark(line: bytes) -> bool:
    """Whether a line of a watch is a bookmark."""
    return line.startswith(_BOOKMARK)


def learn_events(recorded: Sequence[StreamEvent], now: Sequence[bytes], identities: IdentityMap) -> None:
    """Learns pairs of uids, resourceVersions and names from a recorded watch and the watch in a replay.

    `recorded` and `now`: the recorded events, and the lines that the replay target has sent.
    """
    waiting: dict[Name, deque[_Event]] = defaultdict(deque)
    for event in _events(now, identities):
        waiting[event.name].append(event)
    for ours in _events((event.line for event in recorded), None):
        queue = waiting.get(ours.name)
        if queue and ours.value is not None:
            twin = queue.popleft()
            if twin.value is not None and ours.type == twin.type != "BOOKMARK":
                identities.learn(ours.value["object"], twin.value["object"])
