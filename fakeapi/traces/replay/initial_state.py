"""What was there before the trace began: objects that are touched in it before it creates them.

The first answer, or request, that shows such an object tells what it was like. Some tell exactly (it was
read, or listed), others nearly (it was updated, and the request shows what it became).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from fakeapi.machinery.codec import JsonError, decode
from fakeapi.machinery.json_types import Object
from fakeapi.traces.model import Exchange
from fakeapi.traces.replay.addresses import NAMESPACES, NOWHERE, Address, query_of
from fakeapi.traces.replay.causal_order import Key
from fakeapi.traces.replay.request_facts import Facts, Metadata, head_of

INITIAL_SECONDS = 1.0
"""In which a watch without a version shows what is there; objects added later are new."""

_SUBRESOURCES = frozenset({"", "status"})
_FROM_THE_START = frozenset({"", "0"})
_PARTIAL = frozenset({"labelSelector", "fieldSelector", "continue"})
"""Parameters of lists that do not show everything."""


@dataclass(frozen=True, slots=True)
class Seed:
    """An object to be created before the replay, or, with `before` ≥ 0, before the exchange at that place.

    `version`: the recorded resourceVersion of this state, "" where it is not known. `how`: what told of it.
    """

    address: Address
    body: Object = field(repr=False)
    version: str
    exact: bool
    before: int
    how: str


class _Watched(msgspec.Struct):
    type: str = ""
    object: msgspec.Raw = msgspec.Raw(b"null")


class _Items(msgspec.Struct):
    kind: str = ""
    version: str = msgspec.field(default="", name="apiVersion")
    metadata: dict[str, Any] = {}
    items: list[msgspec.Raw] = []


_decode_event = msgspec.json.Decoder(_Watched).decode
_decode_items = msgspec.json.Decoder(_Items).decode
_MALFORMED = (msgspec.DecodeError, RecursionError, UnicodeDecodeError)


class Sights:
    """Takes the exchanges of a trace one after the other; then `seeds` tells what they take for granted."""

    def __init__(self) -> None:
        self.namespaces: dict[str, str] = {}
        """Those that something is in, with the place in the trace where that is first seen."""
        self._made: dict[Key, int] = {}
        self._seen: dict[Key, Seed] = {}
        self._glimpsed: dict[Key, Seed] = {}
        self._listed: set[tuple[str, str, str]] = set()
        self._absent: set[Key] = set()
        self._born: set[Key] = set()

    def take(self, place: int, exchange: Exchange, facts: Facts) -> None:
        """`place` counts the exchanges from 0."""
        address = facts.address
        if not address.resource or not facts.status:
            return
        if address.namespace and facts.status != 404:
            self.namespaces.setdefault(address.namespace, exchange.place)
        if facts.verb == "watch":
            self._take_watch(place, exchange, address)
        elif facts.verb == "list" and facts.status < 300:
            self._take_list(place, exchange, address)
        elif address.name and address.subresource in _SUBRESOURCES:
            self._take_object(place, exchange, facts)

    def _take_object(self, place: int, exchange: Exchange, facts: Facts) -> None:
        address = facts.address
        key = address.key
        if facts.verb == "create" and facts.status < 300:
            self._made.setdefault(key, facts.saw)
        elif key in self._made or key in self._seen:
            return
        elif facts.status == 404:
            self._absent.add(key)
        elif (found := _evidence(exchange, facts)) is not None:
            body, exact, how = found
            version = "" if facts.verb in {"patch", "delete"} else _version(body)
            self._see(place, exchange, address, body, version, exact=exact, how=how)

    def _take_list(self, place: int, exchange: Exchange, address: Address) -> None:
        assert exchange.response is not None
        for item, head in _items(exchange.response.body):
            found = _of(address, head)
            if found.name and found.key not in self._seen and found.key not in self._made:
                body = _object(item)
                if body is not None:
                    self._see(place, exchange, found, body, head.version, exact=True, how="listed")
        if _PARTIAL.isdisjoint(query_of(exchange.request.target)):
            self._listed.add((*address.kind, address.namespace))

    def _take_watch(self, place: int, exchange: Exchange, address: Address) -> None:
        version = query_of(exchange.request.target).get("resourceVersion", "")
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
            found = _of(address, head)
            if not found.name or found.key in self._made or found.key in self._seen:
                continue
            body = _object(bytes(watched.object))
            if body is None:
                continue
            if initial:
                self._see(place, exchange, found, body, head.version, exact=True, how="watched")
            elif watched.type == "ADDED":
                self._born.add(found.key)
            elif found.key not in self._glimpsed and found.key not in self._born:
                self._glimpsed[found.key] = Seed(
                    found, body, "", exact=False, before=-1, how=f"changed in the watch at {exchange.place}"
                )

    def _see(
        self,
        place: int,
        exchange: Exchange,
        address: Address,
        body: Object,
        version: str,
        *,
        exact: bool,
        how: str,
    ) -> None:
        """Late, where an earlier answer tells that it was not there at the beginning."""
        group, resource, namespace, _ = address.key
        known = {(group, resource, namespace), (group, resource, "")}
        late = address.key in self._absent or not known.isdisjoint(self._listed)
        self._seen[address.key] = Seed(
            address._replace(subresource=""),
            body,
            version,
            exact,
            place if late else -1,
            f"first {how} at {exchange.place}",
        )

    def seeds(self) -> list[Seed]:
        """In the order of their versions, so that they keep it."""
        found = [seed for key, seed in self._seen.items() if not self._was_made(key, seed)]
        found += [
            seed
            for key, seed in self._glimpsed.items()
            if key not in self._seen and key not in self._made and key not in self._absent
        ]
        return sorted(found, key=lambda seed: int(seed.version) if seed.version.isdecimal() else 0)

    def _was_made(self, key: Key, seed: Seed) -> bool:
        """Whether the trace created it after all: what overlaps is not in the order of its effects."""
        return key in self._made and (not seed.version or self._made[key] <= int(seed.version or 0))

    def made_namespaces(self) -> set[str]:
        return {name for _, resource, _, name in self._made if resource == NAMESPACES}


def _of(address: Address, head: Metadata) -> Address:
    """The object in a list or a watch."""
    if not head.name:
        return NOWHERE
    return address._replace(namespace=head.namespace, name=head.name)


def _evidence(exchange: Exchange, facts: Facts) -> tuple[Object, bool, str] | None:
    """What an exchange tells of the state before it: object, whether exactly, and how."""
    assert exchange.response is not None
    answer, request = exchange.response.body, exchange.request.body
    found: Object | None = None
    if facts.verb == "update" and facts.status in {200, 409, 422}:
        found = _object(request)
        if found is not None and facts.address.subresource:
            found.pop("status", None)
        elif found is not None and facts.saw != facts.asked:
            # Else the update would change nothing here, though it did there.
            metadata = found.setdefault("metadata", {})
            metadata["annotations"] = {**(metadata.get("annotations") or {}), SEEDED: ""}
        return None if found is None else (found, False, "updated")
    if facts.verb == "create" and facts.status == 409:
        found = _object(request)
        return None if found is None or b"AlreadyExists" not in answer else (found, False, "in the way")
    if facts.status < 300:
        found = _object(answer)
    return None if found is None else (found, facts.verb == "get", _PAST.get(facts.verb, facts.verb))


SEEDED = "fakeapi.example/inferred"
"""Annotation that an inferred object has until its first recorded update takes it away."""

_PAST = {"get": "read", "patch": "patched", "delete": "deleted"}


def _items(body: bytes) -> Iterator[tuple[bytes, Metadata]]:
    """The objects in a list, with their types, which lists leave out."""
    try:
        found = _decode_items(body)
    except _MALFORMED:
        return
    kind = found.kind.removesuffix("List")
    start = b'{"kind":%s,"apiVersion":%s,' % (msgspec.json.encode(kind), msgspec.json.encode(found.version))
    for item in found.items:
        raw = bytes(item).lstrip()
        head = head_of(raw)
        yield (raw if head.kind else start + raw[1:]), head.metadata


def _object(body: bytes) -> Object | None:
    """A decoded object with its types; None for what is none."""
    try:
        found = decode(body)
    except JsonError:
        return None
    if not isinstance(found, dict) or found.get("kind") in {None, "Status", "Table"}:
        return None
    return found if isinstance(found.get("metadata"), dict) else None


def _version(body: Object) -> str:
    version = body["metadata"].get("resourceVersion", "")
    return version if isinstance(version, str) else ""


def of_kinds(seeds: Iterable[Seed], served: Iterable[str]) -> list[Seed]:
    """The seeds of what is served: paths such as "/apis/resource.k8s.io/v1alpha3/resourceclaims"."""
    known = set(served)
    return [seed for seed in seeds if f"{seed.address.root}/{seed.address.resource}" in known]
