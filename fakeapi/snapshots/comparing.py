"""Compares two snapshots: lists added, removed and changed objects, with their changed fields."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

import msgspec

from fakeapi.machinery import codec
from fakeapi.machinery.codec import JsonError
from fakeapi.registry.stored.form import AS_WRITTEN
from fakeapi.registry.stored.keys import parse_key
from fakeapi_storage import Checkpoint, Entry

FIELDS_MAX = 100
"""Maximum number of changed fields in a Difference. Its attribute `more` is the number of fields left out."""

VALUE_MAX = 200
"""Maximum length, in characters, of a field's value in the text of a Difference. Longer values are cut."""

_UNTOLD = ("managedFields",)
"""The fields of metadata that the comparison ignores, because every write changes them."""

_ABSENT = object()


class FieldChange(msgspec.Struct, frozen=True):
    """A changed field of an object.

    - `path`: the field, such as `spec.containers[0].image`.
    - `old` and `new`: the field's JSON values; None if the field did not exist.
    """

    path: str
    old: Any
    new: Any

    def __str__(self) -> str:
        return f"{self.path}: {_text(self.old)} -> {_text(self.new)}"


class Difference(msgspec.Struct, frozen=True):
    """The change of one object between two snapshots.

    - `kind`: whether the object was added, removed or changed.
    - `fields`: up to 100 changed fields, if `kind` is "changed".
    - `more`: the number of changed fields left out of `fields`.
    """

    kind: Literal["added", "removed", "changed"]
    resource: str
    namespace: str
    name: str
    fields: tuple[FieldChange, ...] = ()
    more: int = 0

    def __str__(self) -> str:
        place = f"{self.namespace}/{self.name}" if self.namespace else self.name
        lines = [f"{self.kind} {self.resource} {place}"]
        lines += [f"    {change}" for change in self.fields]
        if self.more:
            lines.append(f"    and {self.more} more fields")
        return "\n".join(lines)


def compare(old: Checkpoint, new: Checkpoint) -> list[Difference]:
    """Returns the differences between two snapshots, in the order of object keys.

    An object that was deleted and created again counts as changed.
    """
    before = {entry.key: entry for entry in old.entries}
    after = {entry.key: entry for entry in new.entries}
    differences = (_difference(key, before.get(key), after.get(key)) for key in sorted({*before, *after}))
    return [difference for difference in differences if difference is not None]


def changed_bytes(old: Checkpoint, new: Checkpoint) -> int:
    """Returns the total size in bytes of all changed objects, before and after the change.

    The size is an upper limit for the size of the values in the differences.
    """
    before = {entry.key: entry.value for entry in old.entries}
    return sum(
        len(entry.value) + len(before[entry.key])
        for entry in new.entries
        if entry.key in before and entry.value != before[entry.key]
    )


def _difference(key: str, old: Entry | None, new: Entry | None) -> Difference | None:
    place = parse_key(key)
    about = place.qualified, place.namespace, place.name
    if old is None or new is None:
        return Difference("added" if old is None else "removed", *about)
    if old.value == new.value:
        return None
    try:
        changes = [*field_changes("", _decoded(old.value), _decoded(new.value))]
    except (RecursionError, JsonError):  # the object is nested too deeply
        changes = []
    return Difference("changed", *about, tuple(changes[:FIELDS_MAX]), max(0, len(changes) - FIELDS_MAX))


def _decoded(value: bytes) -> Any:
    obj = codec.decode(value.removeprefix(AS_WRITTEN))
    metadata = obj.get("metadata")
    if isinstance(metadata, dict):
        for name in _UNTOLD:
            metadata.pop(name, None)
    return obj


def field_changes(path: str, old: Any, new: Any) -> Iterator[FieldChange]:
    """Yields the fields in which two values differ. `path`: the path of the values; "" for whole objects."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for name in dict.fromkeys((*old, *new)):
            place = f"{path}.{name}" if path else name
            yield from field_changes(place, old.get(name, _ABSENT), new.get(name, _ABSENT))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (left, right) in enumerate(zip(old, new, strict=True)):
            yield from field_changes(f"{path}[{index}]", left, right)
    elif old is _ABSENT or new is _ABSENT or type(old) is not type(new) or old != new:
        yield FieldChange(path, None if old is _ABSENT else old, None if new is _ABSENT else new)


def _text(value: Any) -> str:
    text = "(none)" if value is None else codec.encode(value).decode()
    return text if len(text) <= VALUE_MAX else f"{text[:VALUE_MAX]}…"
