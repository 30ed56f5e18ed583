"""Objects that mutating admission policies construct, such as `Object.spec{replicas: 2}`.

Follows k8s.io/apiserver `pkg/cel/mutation`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from fakeapi.machinery.cel.runtime.memory import ENTRY_BYTES, ITEM_BYTES, take
from fakeapi.machinery.cel.runtime.texts import duration_text, timestamp_text
from fakeapi.machinery.cel.runtime.values import (
    Duration,
    Entries,
    ListValue,
    MapValue,
    Optional,
    Timestamp,
    UInt,
)

OBJECT, JSON_PATCH = "Object", "JSONPatch"


class Constructed(Entries):
    """A CEL object with a type name but without a schema, such as `Object.spec` or `JSONPatch`."""

    __slots__ = ("type_name",)

    def __init__(self, type_name: str, fields: Mapping[str, Any]) -> None:
        super().__init__(fields.items())
        self.type_name = type_name


def is_constructed(name: str) -> bool:
    """Whether a type name is `JSONPatch`, `Object`, or begins with `Object.`."""
    return name == JSON_PATCH or name.partition(".")[0] == OBJECT


def misnamed(value: Any, path: str = "") -> Iterator[str]:
    """Yields an error for each constructed object whose type name is not its field path.

    Field paths begin at the outermost `Object`: the field `spec` must have the type `Object.spec`.

    Every visited value counts against the limit of the current `Memory`. Raises MemoryLimitError if the
    values exceed this limit.
    """
    take(len(path) + 1)
    if isinstance(value, Constructed):
        path = path or value.type_name
        if value.type_name == JSON_PATCH:
            yield from misnamed(value.find("value"))
            return
        if value.type_name != path:
            why = "which matches field name path from root Object type"
            yield f'unexpected type name "{value.type_name}", expected "{path}", {why}'
        for key in value:
            yield from misnamed(value.find(key), f"{path}.{key}")
    elif isinstance(value, ListValue):
        for item in value:
            yield from misnamed(item, path)
    elif isinstance(value, MapValue):
        for key in value:
            yield from misnamed(value.find(key), path)


def json_of(value: Any) -> Any:
    """Converts a CEL value to decoded JSON.

    Within a `Memory` context, raises MemoryLimitError for a value whose JSON is too large.
    """
    match value:
        case ListValue():
            take(len(value) * ITEM_BYTES)
            return [json_of(item) for item in value]
        case MapValue():
            take(len(value) * ENTRY_BYTES)
            return {key: json_of(value.find(key)) for key in value}
        case str():
            take(len(value))
            return value
        case UInt():
            return int(value)
        case Duration():
            return duration_text(value.nanoseconds)
        case Timestamp():
            return timestamp_text(value)
        case Optional():
            return json_of(value.value) if value.present else None
        case _:
            return value
