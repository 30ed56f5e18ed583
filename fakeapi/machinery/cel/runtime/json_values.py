"""CEL values for decoded JSON without a schema. Items and members are converted when they are read."""

from collections.abc import Iterator
from typing import Any

from fakeapi.machinery.cel.runtime.values import MISSING, ListValue, MapValue


def from_json(value: Any) -> Any:
    """Converts a decoded JSON value without a schema to a CEL value."""
    kind = type(value)
    if kind is dict:
        return JsonMap(value)
    if kind is list:
        return JsonList(value)
    return value


class JsonList(ListValue):
    """A CEL list for a list in decoded JSON."""

    __slots__ = ("raw",)

    def __init__(self, raw: list[Any]) -> None:
        self.raw = raw

    def __len__(self) -> int:
        return len(self.raw)

    def __iter__(self) -> Iterator[Any]:
        return map(from_json, self.raw)

    def at(self, index: int) -> Any:
        return from_json(self.raw[index])


class JsonMap(MapValue):
    """A CEL map for an object in decoded JSON."""

    __slots__ = ("raw",)

    def __init__(self, raw: dict[str, Any]) -> None:
        self.raw = raw

    def __len__(self) -> int:
        return len(self.raw)

    def __iter__(self) -> Iterator[Any]:
        return iter(sorted(self.raw))

    def find(self, key: Any) -> Any:
        if type(key) is not str or key not in self.raw:
            return MISSING
        return from_json(self.raw[key])
