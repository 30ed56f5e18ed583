"""Translates object identities between the recorded server and the target of a replay.

Identities are uids, resourceVersions, generated names, continue tokens, and times of creation and deletion.
The map learns identities by comparing recorded responses with the target's responses. A replay translates
requests to identities of the target, and responses back to recorded identities. Then the replay compares and
prints responses with the identities of the trace.
"""

import re
from bisect import bisect_right, insort
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote, unquote_plus

from fakeapi.machinery.codec import JsonError, decode, encode
from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.traces.analysis.request_facts import version_number

Names = dict[str, str]

UNKNOWN_VERSION = "<resourceVersion>"
"""The text for a resourceVersion of the replay target that has no recorded resourceVersion."""

STALE_VERSION = "1"
"""A resourceVersion that no object has.

A replay sends this version instead of an unknown version if the recorded request got 409.
"""

_UID = lazy_pattern(rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_UID_TAIL = lazy_pattern(rb"-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
"""Matches the end of a uid.

A search for this pattern is 40 times as fast as for a whole uid, because the first byte is fixed.
"""

_VERSION = lazy_pattern(rb'(resourceVersion\\?"?\s*:\s*\\?"?)(\d+)')
_TIMES = lazy_pattern(rb'"(creation|deletion)Timestamp"(\s*:\s*)"[^"]*"')
_WORD = lazy_pattern(rb"[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?")
_VERSION_PATH = "/metadata/resourceVersion"
_VERSIONED = frozenset({"resourceVersion", "continue", "fieldSelector", "labelSelector"})


class VersionMap:
    """Maps the resourceVersions of the recorded server to the resourceVersions of the replay target."""

    def __init__(self) -> None:
        self._now: dict[int, int] = {}
        self._recorded: dict[int, int] = {}
        self._of_lists: dict[int, int] = {}
        self._of_collections: dict[tuple[str, int], int] = {}
        self._known: list[int] = []
        self.base = 0
        """The resourceVersion of the replay target before the first request.

        In queries, this version replaces recorded versions that are older than all known versions.
        """
        self.newest = 0
        """The newest resourceVersion that the replay target has returned."""

    def learn(self, recorded: str, now: str) -> None:
        """Pairs the recorded resourceVersion of an object with its version on the replay target.

        `now`: the version on the replay target, from the same write. Does nothing if either version is
        already part of another pair.
        """
        old, new = version_number(recorded), version_number(now)
        self.newest = max(self.newest, new)
        if not (old and new) or old in self._now or new in self._recorded:
            return
        self._now[old] = new
        self._recorded[new] = old
        self._note(old)

    def learn_list(self, recorded: str, now: str) -> None:
        """Pairs the recorded resourceVersion of a list or bookmark with its version on the replay target.

        `now`: the version on the replay target. Only `nearest` uses these pairs.
        """
        old, new = version_number(recorded), version_number(now)
        self.newest = max(self.newest, new)
        if old and new:
            if old not in self._now and old not in self._of_lists:
                self._note(old)
            self._of_lists[old] = new

    def learn_collection(self, collection: str, recorded: int, now: int) -> None:
        """Pairs the recorded resourceVersion of a list with its version on the replay target.

        - `collection`: the path of the list, such as "/api/v1/pods". A watch of this collection from the
          recorded version starts at the version of the replay target.
        - `now`: the version of the list on the replay target. Does nothing if either version is 0.
        """
        if recorded and now:
            self._of_collections[collection, recorded] = now

    def _note(self, old: int) -> None:
        if self._known and self._known[-1] > old:
            insort(self._known, old)
        else:
            self._known.append(old)

    def exact(self, recorded: str) -> str:
        """Returns the replay target's resourceVersion for a recorded version of an object; "" if unknown."""
        new = self._now.get(version_number(recorded))
        return "" if new is None else str(new)

    def nearest(self, recorded: str, collection: str = "") -> str:
        """Returns the replay target's resourceVersion for a recorded version in a query.

        `collection`: the path of the collection in the query. If a list of this collection had the recorded
        version, returns the version of this list. Objects of other resources can have the same version, and
        another order on the replay target.

        For an unknown version, uses the closest older recorded version. If there is none, returns `base`, or
        `recorded` if `base` is 0. Also returns `recorded` if the text is not a resourceVersion.
        """
        old = version_number(recorded)
        if not old:
            return recorded
        if new := self._of_collections.get((collection, old)):
            return str(new)
        place = bisect_right(self._known, old)
        if not place:
            return str(self.base) if self.base else recorded
        known = self._known[place - 1]
        return str(self._now.get(known) or self._of_lists[known])

    def recorded(self, now: str) -> str:
        """Returns the recorded resourceVersion for `now`, a version on the replay target.

        Returns UNKNOWN_VERSION if the version has no recorded resourceVersion. Returns `now` if the text is
        not a resourceVersion.
        """
        new = version_number(now)
        if not new:
            return now
        old = self._recorded.get(new)
        return UNKNOWN_VERSION if old is None else str(old)


class IdentityMap:
    """Translates uids, resourceVersions and generated names between a trace and a replay target.

    The class is not thread-safe.
    """

    def __init__(self) -> None:
        self.versions = VersionMap()
        self._uids: Names = {}
        self._uids_back: Names = {}
        self._names: Names = {}
        self._names_back: Names = {}
        self._tokens: Names = {}
        self._times: dict[str, tuple[str, str]] = {}

    def learn(self, recorded: Any, now: Any) -> None:
        """Learns pairs of uids, resourceVersions, times and names from two responses to one request.

        - `recorded`: the recorded response, as decoded JSON.
        - `now`: the response of the replay target, as decoded JSON.

        Values that are not objects or lists are ignored.
        """
        if not (isinstance(recorded, dict) and isinstance(now, dict)):
            return
        ours, theirs = recorded.get("metadata"), now.get("metadata")
        if not (isinstance(ours, dict) and isinstance(theirs, dict)):
            return
        if "items" in recorded or "rows" in recorded:
            self._learn_list(recorded, now, ours, theirs)
        elif recorded.get("kind") == "Status":
            self._learn_uid(recorded.get("details"), now.get("details"))
        else:
            self.learn_metadata(ours, theirs)

    def learn_metadata(self, recorded: Mapping[str, Any], now: Mapping[str, Any]) -> None:
        """Learns pairs of uids, resourceVersions, times and names from the metadata of one object.

        - `recorded`: the metadata in the trace.
        - `now`: the metadata on the replay target.
        """
        self._learn_uid(recorded, now)
        times = _text(now, "creationTimestamp"), _text(now, "deletionTimestamp")
        if times != (_text(recorded, "creationTimestamp"), _text(recorded, "deletionTimestamp")):
            self._times[_text(recorded, "uid")] = times
        self.versions.learn(_text(recorded, "resourceVersion"), _text(now, "resourceVersion"))
        old, new = _text(recorded, "name"), _text(now, "name")
        if old != new and old and new and "generateName" in recorded and old not in self._names:
            self._names[old] = new
            self._names_back[new] = old

    def _learn_uid(self, recorded: Any, now: Any) -> None:
        if isinstance(recorded, dict) and isinstance(now, dict):
            old, new = _text(recorded, "uid"), _text(now, "uid")
            if old != new and old and new and old not in self._uids and new not in self._uids_back:
                self._uids[old] = new
                self._uids_back[new] = old

    def _learn_list(
        self, recorded: dict[str, Any], now: dict[str, Any], ours: dict[str, Any], theirs: dict[str, Any]
    ) -> None:
        self.versions.learn_list(_text(ours, "resourceVersion"), _text(theirs, "resourceVersion"))
        token = _text(ours, "continue")
        if token:
            self._tokens[token] = _text(theirs, "continue")
        present = {self._place(item): item for item in metadata_of_items(now)}
        for item in metadata_of_items(recorded):
            name = _text(item, "name")
            twin = present.get((_text(item, "namespace"), self._names.get(name, name)))
            if twin is not None:
                self.learn_metadata(item, twin)

    @staticmethod
    def _place(metadata: Mapping[str, Any]) -> tuple[str, str]:
        return _text(metadata, "namespace"), _text(metadata, "name")

    def same(self, recorded: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
        """Whether two metadata have equal uids, resourceVersions and names after translating `now`.

        - `recorded`: the metadata in the trace.
        - `now`: the metadata on the replay target.
        """
        uid, name, version = _text(now, "uid"), _text(now, "name"), _text(now, "resourceVersion")
        return (
            self._uids_back.get(uid, uid) == _text(recorded, "uid")
            and self._names_back.get(name, name) == _text(recorded, "name")
            and self.versions.recorded(version) == _text(recorded, "resourceVersion")
        )

    @property
    def has_names(self) -> bool:
        """Whether any object has a different generated name on the replay target than in the trace."""
        return bool(self._names)

    def name_recorded(self, now: str) -> str:
        """Returns the recorded name of an object. `now`: its name on the replay target."""
        return self._names_back.get(now, now)

    def target(self, target: str, collection: str = "") -> str:
        """Translates the path and query of a recorded request for the replay target.

        `collection`: the path of the collection that the request lists or watches; "" for other requests.
        """
        path, mark, query = target.partition("?")
        if self._names:
            names = self._names
            path = "/".join(names.get(part, part) for part in path.split("/"))
        if not mark:
            return path
        return (
            path + mark + "&".join(self._parameter(parameter, collection) for parameter in query.split("&"))
        )

    def _parameter(self, parameter: str, collection: str) -> str:
        name, equals, value = parameter.partition("=")
        if name not in _VERSIONED or not value:
            return parameter
        plain = unquote_plus(value)
        if name == "resourceVersion":
            new = self.versions.nearest(plain, collection)
        elif name == "continue":
            new = self._tokens.get(plain, plain)
        else:
            new = self.forward(plain.encode()).decode()
        return parameter if new == plain else f"{name}{equals}{quote(new, safe='')}"

    def forward(self, body: bytes, *, unknown: str | None = None) -> bytes:
        """Translates the body of a recorded request for the replay target.

        - `body`: JSON or YAML.
        - `unknown`: the text that replaces unknown resourceVersions; None keeps them.
        """
        exact = self.versions.exact

        def version(old: str) -> str:
            return exact(old) or (old if unknown is None else unknown)

        return self._rewrite(body, self._uids, self._names, version)

    def forward_times(self, body: bytes, uid: str) -> bytes:
        """Replaces the creation and deletion times in a recorded body by the times on the replay target.

        `uid`: the recorded uid of the object. Returns the new body.
        """
        times = self._times.get(uid)
        if times is None:
            return body
        created, deleted = (timestamp.encode() for timestamp in times)

        def replace(match: "re.Match[bytes]") -> bytes:
            new = created if match[1] == b"creation" else deleted
            return b'"%sTimestamp"%s"%s"' % (match[1], match[2], new) if new else match[0]

        return _TIMES.sub(replace, body)

    def forward_json_patch(self, body: bytes, *, unknown: str | None = None) -> bytes:
        """Translates a recorded JSON patch for the replay target.

        Also translates the values of operations on `/metadata/resourceVersion`. `unknown`: the text that
        replaces unknown resourceVersions; None keeps them.
        """
        try:
            operations = decode(self.forward(body, unknown=unknown))
        except JsonError:
            return body
        changed = False
        for operation in operations if isinstance(operations, list) else ():
            if isinstance(operation, dict) and operation.get("path") == _VERSION_PATH:
                old = operation.get("value")
                if isinstance(old, str) and version_number(old):
                    operation["value"] = self.versions.exact(old) or (old if unknown is None else unknown)
                    changed = True
        return encode(operations) if changed else self.forward(body, unknown=unknown)

    def backward(self, body: bytes) -> bytes:
        """Translates a response body of the replay target to the trace's uids, resourceVersions and names."""
        return self._rewrite(body, self._uids_back, self._names_back, self.versions.recorded)

    @staticmethod
    def _rewrite(body: bytes, uids: Names, names: Names, version: Callable[[str], str]) -> bytes:
        def replace_uid(match: "re.Match[bytes]") -> bytes:
            new = uids.get(match[0].decode())
            return match[0] if new is None else new.encode()

        def replace_version(match: "re.Match[bytes]") -> bytes:
            return match[1] + version(match[2].decode()).encode()

        if uids and _UID_TAIL.search(body):
            body = _UID.sub(replace_uid, body)
        if b"resourceVersion" in body:
            body = _VERSION.sub(replace_version, body)
        if not names:
            return body

        def rename(match: "re.Match[bytes]") -> bytes:
            new = names.get(match[0].decode())
            return match[0] if new is None else new.encode()

        return _WORD.sub(rename, body)


def metadata_of_items(value: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Returns the metadata of the objects in a decoded list or Table, in order."""
    items = value.get("items")
    if not isinstance(items, list):
        rows = value.get("rows")
        items = [row.get("object") for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    candidates = (item.get("metadata") for item in items if isinstance(item, dict))
    return [metadata for metadata in candidates if isinstance(metadata, dict)]


def _text(value: Mapping[str, Any], key: str) -> str:
    text = value.get(key)
    return text if isinstance(text, str) else ""
