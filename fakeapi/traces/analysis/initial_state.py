"""Infers the objects that existed before a trace: objects that the trace uses but does not create.

The first exchange with such an object reveals its content. If the exchange is a read, the content is exact.
If the exchange is a change, the content is inferred, because the trace has only the request or the result.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from fakeapi.machinery.codec import JsonError, decode
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.request_info import first_values
from fakeapi.traces.analysis.causal_order import Key
from fakeapi.traces.analysis.request_facts import Metadata, RequestFacts, head_of, version_number
from fakeapi.traces.analysis.resource_path import NAMESPACES, NO_RESOURCE, ResourcePath
from fakeapi.traces.model import Exchange

INITIAL_SECONDS = 1.0
"""Maximum seconds after the start of a watch in which its first ADDED events are existing objects.

Applies to watches without a resourceVersion, and at resourceVersion 0. Later ADDED events are new objects.
"""

_PARTIAL_KIND = "PartialObjectMetadata"
_SUBRESOURCES = frozenset({"", "status"})
_FROM_THE_START = frozenset({"", "0"})
_PARTIAL = frozenset({"labelSelector", "fieldSelector", "continue"})
"""The query parameters with which a list returns only part of a collection."""


@dataclass(frozen=True, slots=True)
class InitialObject:
    """An object that a replay must create, because it existed before its first use in the trace.

    - `version`: the recorded resourceVersion of `body`; "" if it is unknown.
    - `exact`: whether `body` was recorded; false if it is inferred.
    - `before`: the index of the exchange before which to create the object; -1 for the start of the replay.
    - `how`: the evidence as text, for the report.
    """

    path: ResourcePath
    body: Object = field(repr=False)
    version: str
    exact: bool
    before: int
    how: str


class _Watched(msgspec.Struct):
    type: str = ""
    object: msgspec.Raw = msgspec.Raw(b"null")


class _Row(msgspec.Struct):
    object: msgspec.Raw = msgspec.Raw(b"null")


class _Table(msgspec.Struct):
    """A Table. Its `rows` contain complete objects, or by default only PartialObjectMetadata."""

    kind: str = ""
    rows: list[_Row] = []


class _Items(msgspec.Struct):
    kind: str = ""
    version: str = msgspec.field(default="", name="apiVersion")
    metadata: dict[str, Any] = {}
    items: list[msgspec.Raw] = []


_decode_event = msgspec.json.Decoder(_Watched).decode
_decode_items = msgspec.json.Decoder(_Items).decode
_decode_table = msgspec.json.Decoder(_Table).decode
_MALFORMED = (msgspec.DecodeError, RecursionError, UnicodeDecodeError)


class InitialStateScan:
    """Collects evidence of initial objects from the exchanges of a trace.

    Call `take` for each exchange in order, and then `objects` for the result.
    """

    def __init__(self) -> None:
        self.namespaces: dict[str, str] = {}
        """The namespaces in use, each with the "file:line" of its first use in the trace.

        Requests that got 404 do not count as a use.
        """
        self._made: dict[Key, int] = {}
        self._seen: dict[Key, InitialObject] = {}
        self._glimpsed: dict[Key, InitialObject] = {}
        self._listed: set[tuple[str, str, str]] = set()
        self._absent: set[Key] = set()
        self._born: set[Key] = set()
        self._partial: dict[Key, str] = {}

    def take(self, place: int, exchange: Exchange, facts: RequestFacts) -> None:
        """Collects evidence from one exchange. `place`: its index in the trace, from 0."""
        path = facts.path
        if not path.resource or not facts.status:
            return
        if path.namespace and facts.status != 404:
            self.namespaces.setdefault(path.namespace, exchange.place)
        if facts.verb == "watch":
            self._take_watch(place, exchange, path)
        elif facts.verb == "list" and facts.status < 300:
            self._take_list(place, exchange, path)
        elif path.name and path.subresource in _SUBRESOURCES:
            self._take_object(place, exchange, facts)

    def _take_object(self, place: int, exchange: Exchange, facts: RequestFacts) -> None:
        path = facts.path
        key = path.key
        if facts.creates:
            self._made.setdefault(key, facts.answered_version)
        elif key in self._made or key in self._seen:
            return
        elif (
            facts.verb == "get"
            and exchange.response is not None
            and b'"kind":"Table"' in exchange.response.body
        ):
            self._take_rows(place, exchange, path, exchange.response.body)
        elif facts.status == 404 or (facts.is_dry_run and facts.status == 201):
            self._absent.add(key)
        elif (evidence := _evidence(exchange, facts)) is not None:
            body, exact, source = evidence
            version = "" if facts.verb in {"patch", "delete"} else _version(body)
            self._see(place, exchange, path, body, version, exact=exact, how=source)

    def _take_list(self, place: int, exchange: Exchange, path: ResourcePath) -> None:
        assert exchange.response is not None
        body = exchange.response.body
        self._take_rows(place, exchange, path, body)
        for item, head in _items(body):
            item_path = _of(path, head)
            if item_path.name and item_path.key not in self._seen and item_path.key not in self._made:
                obj = _object(item)
                if obj is not None:
                    self._see(place, exchange, item_path, obj, head.version, exact=True, how="listed")
        if _PARTIAL.isdisjoint(first_values(exchange.request.target.partition("?")[2])):
            self._listed.add((*path.group_resource, path.namespace))

    def _take_rows(self, place: int, exchange: Exchange, path: ResourcePath, body: bytes) -> None:
        """Collects evidence from the rows of a Table, which kubectl requests. Ignores other bodies.

        `place`: the index of the exchange in the trace, from 0. `path`: the path of the list or watch.
        """
        for row in _rows(body):
            head = head_of(bytes(row))
            row_path = _of(path, head.metadata)
            if not row_path.name or row_path.key in self._seen or row_path.key in self._made:
                continue
            obj = None if head.kind == _PARTIAL_KIND else _object(bytes(row))
            if obj is not None:
                self._see(place, exchange, row_path, obj, head.metadata.version, exact=True, how="listed")
            elif not self._is_late(row_path.key):
                self._partial.setdefault(row_path.key, f"first listed in a Table at {exchange.place}")
                if path.resource == NAMESPACES:  # a namespace can be created from its name
                    self.namespaces.setdefault(row_path.name, exchange.place)

    def _take_watch(self, place: int, exchange: Exchange, path: ResourcePath) -> None:
        version = first_values(exchange.request.target.partition("?")[2]).get("resourceVersion", "")
        initial = version in _FROM_THE_START
        begin = exchange.offset
        for event in exchange.events or ():
            try:
                watched = _decode_event(event.line)
            except _MALFORMED:
                continue
            if watched.type not in {"ADDED", "MODIFIED", "DELETED"}:
                continue
            initial = initial and watched.type == "ADDED" and event.offset <= begin + INITIAL_SECONDS
            head = head_of(bytes(watched.object)).metadata
            item_path = _of(path, head)
            if not item_path.name or item_path.key in self._made or item_path.key in self._seen:
                continue
            body = _object(bytes(watched.object))
            if body is None:
                continue
            if initial:
                self._see(place, exchange, item_path, body, head.version, exact=True, how="watched")
            elif watched.type == "ADDED":
                self._born.add(item_path.key)
            elif item_path.key not in self._glimpsed and item_path.key not in self._born:
                self._glimpsed[item_path.key] = InitialObject(
                    item_path,
                    body,
                    "",
                    exact=False,
                    before=-1,
                    how=f"changed in the watch at {exchange.place}",
                )

    def _see(
        self,
        place: int,
        exchange: Exchange,
        path: ResourcePath,
        body: Object,
        version: str,
        *,
        exact: bool,
        how: str,
    ) -> None:
        """Records an object that the replay must create, because this exchange shows that it existed.

        The replay creates the object at the start. If an earlier response proves that the object did not
        exist then, the replay creates it just before this exchange.

        - `place`: the index of the exchange in the trace, from 0.
        - `version`: the recorded resourceVersion of `body`; "" if it is unknown.
        - `exact`: whether `body` was recorded; false if it is inferred.
        - `how`: the evidence as text, for the report.
        """
        late = self._is_late(path.key)
        self._seen[path.key] = InitialObject(
            path._replace(subresource=""),
            body,
            version,
            exact,
            place if late else -1,
            f"first {how} at {exchange.place}",
        )

    def _is_late(self, key: Key) -> bool:
        """Whether an earlier response proves that the object `key` did not exist when the trace started."""
        group, resource, namespace, _ = key
        listed = {(group, resource, namespace), (group, resource, "")}
        return key in self._absent or (key not in self._partial and not listed.isdisjoint(self._listed))

    def partial_objects(self) -> dict[Key, str]:
        """Returns initial objects that the replay cannot create, because the trace has only their metadata.

        The values are the evidence as text.
        """
        return {
            key: how
            for key, how in self._partial.items()
            if key not in self._seen and key not in self._glimpsed and key[1] != NAMESPACES
        }

    def objects(self) -> list[InitialObject]:
        """Returns the initial objects in the order in which to create them, sorted by resourceVersion."""
        initial = [each for key, each in self._seen.items() if not self._was_made(key, each)]
        initial += [
            each
            for key, each in self._glimpsed.items()
            if key not in self._seen and key not in self._made and key not in self._absent
        ]
        return sorted(initial, key=lambda each: version_number(each.version))

    def _was_made(self, key: Key, initial: InitialObject) -> bool:
        """Whether a request of the trace created the object `key`, perhaps in an exchange that overlaps.


        `initial`: the evidence that the object existed before.
        """
        return key in self._made and (
            not initial.version or self._made[key] <= version_number(initial.version)
        )

    def created_namespaces(self) -> set[str]:
        """Returns the names of the namespaces that requests of the trace create."""
        return {name for _, resource, _, name in self._made if resource == NAMESPACES}


def _of(path: ResourcePath, head: Metadata) -> ResourcePath:
    """Returns the path of an object in a list or watch; NO_RESOURCE for an object without a name.

    `path`: the path of the list or watch. `head`: the metadata of the object.
    """
    if not head.name:
        return NO_RESOURCE
    return path._replace(namespace=head.namespace, name=head.name)


def _evidence(exchange: Exchange, facts: RequestFacts) -> tuple[Object, bool, str] | None:
    """Returns the object before an exchange, whether it is exact, and the evidence as a word.

    Returns None if the exchange does not reveal the object.
    """
    assert exchange.response is not None
    answer, request = exchange.response.body, exchange.request.body
    obj: Object | None = None
    if facts.verb == "update" and facts.status in {200, 409, 422}:
        obj = _object(request)
        if obj is not None and facts.path.subresource:
            obj.pop("status", None)
        elif obj is not None and facts.answered_version != facts.requested_version:
            # The recorded update changed the object, so the object before it must differ from the request.
            metadata = obj.setdefault("metadata", {})
            metadata["annotations"] = {**(metadata.get("annotations") or {}), SEEDED: ""}
        return None if obj is None else (obj, False, "updated")
    if facts.verb == "create" and facts.status == 409:
        obj = _object(request)
        return None if obj is None or b"AlreadyExists" not in answer else (obj, False, "in the way")
    if facts.status < 300:
        obj = _object(answer)
    return None if obj is None else (obj, facts.verb == "get", _PAST.get(facts.verb, facts.verb))


SEEDED = "fakeapi.example/inferred"
"""The annotation that a replay sets on inferred objects.

In the replay, the first update of an object removes the annotation. The update therefore always changes the
object.
"""

_PAST = {"get": "read", "patch": "patched", "delete": "deleted"}


def _rows(body: bytes) -> list[msgspec.Raw]:
    """Returns the objects in the rows of a Table as JSON; an empty list for any other body."""
    if b'"kind":"Table"' not in body:
        return []
    try:
        table = _decode_table(body)
    except _MALFORMED:
        return []
    return [row.object for row in table.rows] if table.kind == "Table" else []


def _items(body: bytes) -> Iterator[tuple[bytes, Metadata]]:
    """Yields the JSON and the metadata of each object in a list.

    Adds `kind` and `apiVersion`, which items of a list do not have.
    """
    try:
        listing = _decode_items(body)
    except _MALFORMED:
        return
    kind = listing.kind.removesuffix("List")
    start = b'{"kind":%s,"apiVersion":%s,' % (msgspec.json.encode(kind), msgspec.json.encode(listing.version))
    for item in listing.items:
        raw = bytes(item).lstrip()
        head = head_of(raw)
        yield (raw if head.kind else start + raw[1:]), head.metadata


def _object(body: bytes) -> Object | None:
    """Decodes a Kubernetes object. Returns None for other bodies, such as a Status or a Table."""
    try:
        value = decode(body)
    except JsonError:
        return None
    if not isinstance(value, dict) or value.get("kind") in (None, "Status", "Table"):
        return None
    return value if isinstance(value.get("metadata"), dict) else None


def _version(body: Object) -> str:
    version = body["metadata"].get("resourceVersion", "")
    return version if isinstance(version, str) else ""


def of_served(objects: Iterable[InitialObject], served: Iterable[str]) -> list[InitialObject]:
    """Returns only those objects whose resource the replay target serves.

    `served`: the paths of resources, such as "/apis/resource.k8s.io/v1alpha3/resourceclaims".
    """
    known = set(served)
    return [obj for obj in objects if f"{obj.path.group_version}/{obj.path.resource}" in known]
