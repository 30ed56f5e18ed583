"""Compares two decoded objects, and ignores identities and times that the server sets."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.traces.analysis.identity_map import IdentityMap, metadata_of_items
from fakeapi.traces.analysis.server_times import server_times
from fakeapi.traces.comparing.differences import DIFFERENCES_MAX, Difference, DifferenceKind, render, show
from fakeapi.traces.fieldpaths import FieldPath

_TIME = "<time>"
_AGE = lazy_pattern(r"(?:\d+[ydhms])+\Z")
_UID = "<uid>"
_VERSION = "<version>"
_EVENT, _REFERENCES = "Event", ("regarding", "involvedObject")
_NAMED = frozenset({"items", "rows", "managedFields"})
_WRAPPERS = frozenset({"items", "object", "rows"})
_STATUS_KINDS = {"reason": DifferenceKind.REASON, "message": DifferenceKind.MESSAGE}
"""The fields of a Status whose differences have their own DifferenceKind."""


@dataclass(frozen=True, slots=True)
class CompareOptions:
    """Options for comparing responses.

    - `strict`: whether to compare Content-Type, discovery and /version too.
    - `ignored`: the paths of fields to ignore, together with all fields below them.
    - `managed_fields`: whether to compare managed fields; False if the trace can lack them.
    - `page`: whether the response is a page of a list. Then only objects that are in both pages are compared.
    """

    strict: bool = False
    ignored: tuple[FieldPath, ...] = ()
    managed_fields: bool = True
    page: bool = False


def compare_values(
    recorded: Any, now: Any, translate: Callable[[], Any], identities: IdentityMap, how: CompareOptions
) -> list[Difference]:
    """Returns the differences of two decoded values. Replaces times and similar values in both, in place.

    - `recorded` and `now`: the values from the recorded response and from the response in the replay.
    - `translate`: decodes the response in the replay again, with recorded uids, resourceVersions and names.
    - `identities`: the pairs of recorded and new uids, resourceVersions and names.
    - `how`: the options of the comparison.
    """
    scrub(recorded, how)
    scrub(now, how)
    if _same(recorded, now, identities):
        return []
    translated = translate()
    scrub(translated, how)
    differ = _Differ(how, in_order=not identities.has_names)
    differ.compare(recorded, translated, ())
    return differ.found


def _same(recorded: Any, now: Any, identities: IdentityMap) -> bool:
    """Whether a quick check shows that two objects differ at most in uid, resourceVersion and name.

    The check avoids the translation of most responses. Sometimes it returns False although the objects differ
    only in these fields. `recorded` and `now`: the object in the trace, and in the replay.
    """
    if not (isinstance(recorded, dict) and isinstance(now, dict)):
        return bool(recorded == now)
    ours, theirs = recorded.get("metadata"), now.get("metadata")
    if not (isinstance(ours, dict) and isinstance(theirs, dict)) or not identities.same(ours, theirs):
        return bool(recorded == now)
    adjusted = {**theirs}
    for name in ("uid", "resourceVersion", "name"):
        if name in ours and name in theirs:
            adjusted[name] = ours[name]
    return recorded == {**now, "metadata": adjusted}


def scrub(value: Any, how: CompareOptions) -> None:
    """Replaces times and other values that differ between two servers by constants, in place.

    `how`: the options of the comparison, such as the fields to ignore.
    """
    if not isinstance(value, dict):
        return
    kind = str(value.get("kind"))
    for obj in value.get("items") or (value,) if kind.endswith("List") else (value,):
        for time in list(server_times(kind.removesuffix("List"), obj)):
            time.holder[time.key] = _TIME
    if str(value.get("kind")).startswith(_EVENT):
        for event in value.get("items") or (value,):
            _scrub_references(event)
    metadata = value.get("metadata")
    if isinstance(metadata, dict):
        if "items" in value or "rows" in value:
            _scrub_list(value, metadata, how)
        else:
            _scrub_metadata(metadata, how)
    if "object" in value and "type" in value:
        scrub(value["object"], how)


def _scrub_references(event: Any) -> None:
    """Replaces the resourceVersions in the object references of an Event.

    The client that created the Event copied these versions from its cache, so they depend on timing.
    """
    for name in _REFERENCES:
        reference = event.get(name) if isinstance(event, dict) else None
        if isinstance(reference, dict) and reference.get("resourceVersion"):
            reference["resourceVersion"] = _VERSION


def _scrub_list(value: dict[str, Any], metadata: dict[str, Any], options: CompareOptions) -> None:
    metadata.pop("resourceVersion", None)
    if metadata.get("continue"):
        metadata["continue"] = "<token>"
    for item_metadata in metadata_of_items(value):
        _scrub_metadata(item_metadata, options)
    for row in value.get("rows") or ():
        cells = row.get("cells") if isinstance(row, dict) else None
        if isinstance(cells, list):
            _scrub_ages(cells, value.get("columnDefinitions"))


def _scrub_ages(cells: list[Any], columns: Any) -> None:
    """Replaces the ages in a row of a Table by a constant.

    `columns`: the column definitions, which only the first Table of a watch has. Without them, every cell
    that looks like "5m" is an age.
    """
    if isinstance(columns, list) and columns:
        ages = [place for place, column in enumerate(columns) if column.get("name") == "Age"]
    else:
        ages = [place for place, cell in enumerate(cells) if isinstance(cell, str) and _AGE.match(cell)]
    for place in ages:
        cells[place] = _TIME


def _scrub_metadata(metadata: dict[str, Any], options: CompareOptions) -> None:
    for name in ("creationTimestamp", "deletionTimestamp"):
        if metadata.get(name) is not None:
            metadata[name] = _TIME
    managed = metadata.get("managedFields")
    if not isinstance(managed, list):
        return
    if not options.managed_fields:
        del metadata["managedFields"]
        return
    for entry in managed:
        if isinstance(entry, dict) and "time" in entry:
            entry["time"] = _TIME
    if len(managed) > 1:
        managed.sort(key=_manager)


def _manager(entry: Any) -> tuple[str, ...]:
    names = ("manager", "operation", "subresource", "apiVersion")
    return tuple(str(entry.get(name, "")) for name in names) if isinstance(entry, dict) else ()


class _Differ:
    """Collects the differences of two decoded values. Apply `scrub` and the identity translation first."""

    def __init__(self, how: CompareOptions, *, in_order: bool) -> None:
        """Creates an empty collection of differences.

        - `how`: the options of the comparison.
        - `in_order`: whether to compare the order of objects in lists; False if generated names can change
          this order.
        """
        self._ignored = how.ignored
        self._page = how.page
        self._in_order = in_order
        self.found: list[Difference] = []

    def compare(self, recorded: Any, now: Any, path: Sequence[str | int]) -> None:
        if len(self.found) >= DIFFERENCES_MAX or recorded == now or self._is_ignored(path):
            return
        if isinstance(recorded, dict) and isinstance(now, dict):
            self._compare_objects(recorded, now, path)
        elif isinstance(recorded, list) and isinstance(now, list):
            self._compare_lists(recorded, now, path)
        else:
            kind = _STATUS_KINDS.get(str(path[0])) if len(path) == 1 else None
            self._add(kind or DifferenceKind.VALUE, path, recorded, now)

    def _compare_objects(
        self, recorded: dict[str, Any], now: dict[str, Any], path: Sequence[str | int]
    ) -> None:
        for name, value in recorded.items():
            if name in now:
                self.compare(value, now[name], (*path, name))
            elif not self._is_ignored((*path, name)):
                self.found.append(
                    Difference(DifferenceKind.FIELD_MISSING, render((*path, name)), show(value))
                )
        for name, value in now.items():
            if name not in recorded and not self._is_ignored((*path, name)):
                self.found.append(
                    Difference(DifferenceKind.FIELD_ADDED, render((*path, name)), "", show(value))
                )

    def _compare_lists(self, recorded: list[Any], now: list[Any], path: Sequence[str | int]) -> None:
        named = bool(path) and path[-1] in _NAMED
        if len(recorded) == len(now) and (self._in_order or not named or path[-1] == "managedFields"):
            for place, (ours, theirs) in enumerate(zip(recorded, now, strict=True)):
                self.compare(ours, theirs, (*path, place))
            return
        if named:
            ours, theirs = _keyed(recorded), _keyed(now)
            for key, place in ours.items():
                if key in theirs:
                    self.compare(recorded[place], now[theirs[key]], (*path, place))
                elif not self._page:
                    self.found.append(Difference(DifferenceKind.ITEM_MISSING, render(path), key))
            for key in theirs:
                if key not in ours and not self._page:
                    self.found.append(Difference(DifferenceKind.ITEM_ADDED, render(path), "", key))
            return
        self._add(DifferenceKind.VALUE, path, recorded, now)

    def _add(self, kind: DifferenceKind, path: Sequence[str | int], recorded: Any, now: Any) -> None:
        if path and path[-1] == "uid" and now is not None and recorded is not None:
            now = _UID
        self.found.append(Difference(kind, render(path), show(recorded), show(now)))

    def _is_ignored(self, path: Sequence[str | int]) -> bool:
        return bool(self._ignored) and bool(path) and any(covers(ignored, path) for ignored in self._ignored)


def covers(ignored: FieldPath, path: Sequence[str | int]) -> bool:
    """Whether an ignored field path names the field at `path`, or one of its parents.

    Skips list indexes. Skips "items", "object" and "rows" at the start of `path`, unless the ignored path
    starts with the same name.
    """
    steps = [step for step in path if isinstance(step, str)]
    while steps and steps[0] in _WRAPPERS and ignored[0] != steps[0]:
        del steps[0]
    return len(steps) >= len(ignored) and all(
        mine in ("*", step) for mine, step in zip(ignored, steps, strict=False)
    )


def _keyed(items: list[Any]) -> dict[str, int]:
    """Maps the name of each list element to its index. An element without a name has the key "[index]".

    The name of an object includes the namespace. The name of an entry of managedFields consists of its
    manager, operation, subresource and apiVersion.
    """
    indexes: dict[str, int] = {}
    for place, item in enumerate(items):
        if isinstance(item, dict) and "manager" in item:
            name = "/".join(part for part in _manager(item) if part)
        else:
            wrapped = item.get("object", item) if isinstance(item, dict) else {}
            metadata = wrapped.get("metadata", {}) if isinstance(wrapped, dict) else {}
            name = "/".join(part for part in (metadata.get("namespace"), metadata.get("name")) if part)
        indexes[name or f"[{place}]"] = place
    return indexes
