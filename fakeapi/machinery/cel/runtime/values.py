"""CEL values as Python objects: their types, equality and order.

Follows cel-go `common/types`. bool, int, float, str, bytes and None represent the CEL types of the same kind.
`UInt`, `Duration`, `Timestamp`, `Optional`, `TypeValue`, `ListValue`, `MapValue` and `Opaque` represent the
other types. A CEL error is also a value, an `Err`. An operation on an Err returns the Err, unless the other
operand determines the result.
"""

import math
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from fakeapi.machinery.cel.runtime.memory import ITEM_BYTES, look, stop, take

INT_MIN, INT_MAX = -(1 << 63), (1 << 63) - 1
UINT_MAX = (1 << 64) - 1
SECOND = 1_000_000_000
"""Nanoseconds in a second."""


class UInt(int):
    """A CEL uint: an unsigned 64-bit integer."""

    __slots__ = ()


class Err(msgspec.Struct, frozen=True):
    """A CEL error value, with cel-go's message."""

    message: str


NO_OVERLOAD = Err("no such overload")


class Duration(msgspec.Struct, frozen=True):
    nanoseconds: int


class Timestamp(msgspec.Struct, frozen=True):
    """A CEL timestamp, in nanoseconds since 1970 in UTC.

    `offset`: the time zone, in seconds east of UTC.
    """

    nanoseconds: int
    offset: int = 0


class TypeValue(msgspec.Struct, frozen=True):
    name: str


class Optional(msgspec.Struct, frozen=True):
    value: Any
    present: bool = True


NONE = Optional(None, present=False)


class Opaque:
    """Base class for CEL values of types that Kubernetes adds to CEL. Python's `==` compares these values."""

    __slots__ = ()
    type_name = ""


class ListValue:
    """Base class of CEL lists."""

    __slots__ = ()

    def __len__(self) -> int:
        raise NotImplementedError

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError

    def at(self, index: int) -> Any:
        """Returns the item at an index, which must be within bounds."""
        raise NotImplementedError

    def equal(self, other: Any) -> Any:
        """Whether two lists are equal: returns True, False or an `Err`."""
        if not isinstance(other, ListValue) or len(self) != len(other):
            return False
        look(len(self))
        return all(equal(mine, theirs) is not False for mine, theirs in zip(self, other, strict=True))

    def contains(self, value: Any) -> Any:
        look(len(self))
        return any(plain_equal(value, item) is True for item in self)

    def plus(self, other: Any) -> Any:
        """Returns the concatenation of two lists; an `Err` if `other` is not a list.

        Copies the items only if the result has at most COPIED_ITEMS items.
        """
        if not isinstance(other, ListValue):
            return NO_OVERLOAD
        if len(self) + len(other) <= COPIED_ITEMS:
            return Items([*self, *other])
        return joined(self, other)

    def native(self) -> Any:
        """Returns the list without the types of its schema, as cel-go stores it in an optional."""
        return self


class Items(ListValue):
    """A CEL list that an expression constructs."""

    __slots__ = ("items",)

    def __init__(self, items: list[Any]) -> None:
        self.items = items

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.items)

    def at(self, index: int) -> Any:
        return self.items[index]


class Growing(Items):
    """A CEL list that a loop extends in place. No other code uses the list until the loop ends."""

    __slots__ = ()

    def plus(self, other: Any) -> Any:
        if not isinstance(other, ListValue):
            return NO_OVERLOAD
        self.items.extend(other)
        return self


COPIED_ITEMS = 64
"""Maximum length of a concatenated list whose items are copied instead of referenced."""

JOINED_DEPTH = 500
"""Maximum depth of nested concatenations. Beyond this depth, the items are copied into a new list."""


class Joined(ListValue):
    """The concatenation of two CEL lists, without a copy of the items.

    Follows concatList of cel-go `common/types`.
    """

    __slots__ = ("_size", "depth", "first", "second")

    def __init__(self, first: ListValue, second: ListValue, size: int, depth: int) -> None:
        self.first = first
        self.second = second
        self._size = size
        self.depth = depth

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        waiting: list[ListValue] = [self]
        while waiting:
            part = waiting.pop()
            if isinstance(part, Joined):
                waiting += (part.second, part.first)
            else:
                look(len(part))
                yield from part

    def at(self, index: int) -> Any:
        part: ListValue = self
        while isinstance(part, Joined):
            size = len(part.first)
            part, index = (part.first, index) if index < size else (part.second, index - size)
        return part.at(index)


def joined(first: ListValue, second: ListValue) -> ListValue:
    """Returns the concatenation of two lists. Copies the items if the result nests deeper than JOINED_DEPTH.

    Raises MemoryLimitError if the length does not fit into CEL's int.
    """
    size = len(first) + len(second)
    if size > INT_MAX:
        stop()
    depth = 1 + max(part.depth if isinstance(part, Joined) else 0 for part in (first, second))
    whole = Joined(first, second, size, depth)
    if depth <= JOINED_DEPTH:
        return whole
    take(size * ITEM_BYTES)
    return Items(list(whole))


MISSING = object()


class MapValue:
    """Base class of CEL maps and objects."""

    __slots__ = ()

    def __len__(self) -> int:
        raise NotImplementedError

    def __iter__(self) -> Iterator[Any]:
        """Iterates over the keys of the map."""
        raise NotImplementedError

    def find(self, key: Any) -> Any:
        """Returns the value of a key; MISSING if the map has no such key; an `Err` for an unsuitable key."""
        raise NotImplementedError

    def holds(self, key: Any) -> Any:
        """Whether the map has a key: returns True, False or an `Err`."""
        value = self.find(key)
        return value if type(value) is Err else value is not MISSING

    def equal(self, other: Any) -> Any:
        """Whether two maps are equal: returns True, False or an `Err`."""
        if not isinstance(other, MapValue) or len(self) != len(other):
            return False
        look(len(self))
        for key in self:
            theirs = other.find(key)
            if theirs is MISSING or equal(self.find(key), theirs) is False:
                return False
        return True

    def native(self) -> Any:
        """Returns the map without the types of its schema, as cel-go stores it in an optional."""
        return self


class Entries(MapValue):
    """A CEL map that an expression constructs."""

    __slots__ = ("_entries",)

    def __init__(self, entries: Iterable[tuple[Any, Any]] = ()) -> None:
        self._entries = {_identity(key): (key, value) for key, value in entries}

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Any]:
        return iter([key for key, _ in self._entries.values()])

    def find(self, key: Any) -> Any:
        if type(key) is float and not key.is_integer():
            return MISSING
        entry = self._entries.get(_identity(key))
        return MISSING if entry is None else entry[1]

    def items(self) -> Iterable[tuple[Any, Any]]:
        return self._entries.values()


class GrowingEntries(Entries):
    """A CEL map that a loop extends in place. No other code uses the map until the loop ends."""

    __slots__ = ()

    def insert(self, key: Any, value: Any) -> None:
        """Adds an entry; the key must not be in the map yet."""
        self._entries[_identity(key)] = key, value

    def complete(self) -> Entries:
        """Returns a copy of the map for use after the loop."""
        return Entries(self._entries.values())


def _identity(key: Any) -> Any:
    """Returns a hashable form of a map key. Equal numbers of different types are the same key."""
    kind = type(key)
    if kind is bool:
        return "bool", key
    if kind in {int, UInt, float}:
        return int(key) if math.isfinite(key) else (kind, repr(key))
    return kind, key if kind in {str, bytes} else id(key)


_NAMES: dict[type, str] = {
    bool: "bool",
    int: "int",
    UInt: "uint",
    float: "double",
    str: "string",
    bytes: "bytes",
    type(None): "null_type",
    Duration: "google.protobuf.Duration",
    Timestamp: "google.protobuf.Timestamp",
    TypeValue: "type",
    Optional: "optional_type",
}


def type_name(value: Any) -> str:
    """Returns the name of a value's CEL type, as `type()` and error messages show it."""
    name = _NAMES.get(type(value))
    if name is not None:
        return name
    if isinstance(value, ListValue):
        return "list"
    if isinstance(value, MapValue):
        return "map"
    if isinstance(value, Opaque):
        return value.type_name
    return "error" if isinstance(value, Err) else "unknown"


_NUMBERS = frozenset((int, UInt, float))


def equal(one: Any, other: Any) -> Any:
    """Whether two CEL values are equal: returns True, False or an `Err`. null equals only null."""
    if one is None or other is None:
        return one is other
    return plain_equal(one, other)


def plain_equal(one: Any, other: Any) -> Any:
    """Whether two CEL values other than null are equal: returns True, False or an `Err`."""
    kind = type(one)
    if kind is str or kind is int:
        theirs = type(other)
        return (theirs is kind or (kind is int and theirs in _NUMBERS)) and one == other
    if kind in _NUMBERS:
        return type(other) in _NUMBERS and one == other
    if isinstance(one, ListValue | MapValue):
        return one.equal(other)
    if kind is Optional:
        if type(other) is not Optional or one.present != other.present:
            return False
        return not one.present or equal(one.value, other.value)
    if kind is Timestamp:
        return type(other) is Timestamp and one.nanoseconds == other.nanoseconds
    return kind is type(other) and one == other


_ORDERED = frozenset((bool, bytes, float, Duration, int, str, Timestamp, UInt))


def is_ordered(value: Any) -> bool:
    return type(value) in _ORDERED


def compare(one: Any, other: Any) -> Any:
    """Compares two CEL values: returns -1, 0, 1 or an `Err`. The type of `one` must be ordered."""
    kind, theirs = type(one), type(other)
    if kind in _NUMBERS:
        if kind is float and math.isnan(one):
            return Err("NaN values cannot be ordered")
        if theirs not in _NUMBERS:
            return NO_OVERLOAD
        if theirs is float and math.isnan(other):
            return Err("NaN values cannot be ordered")
    elif kind is not theirs:
        return NO_OVERLOAD
    elif kind in {Duration, Timestamp}:
        one, other = one.nanoseconds, other.nanoseconds
    elif kind is str:
        return _compared(one.encode("utf-8", "surrogatepass"), other.encode("utf-8", "surrogatepass"))
    return _compared(one, other)


def _compared(one: Any, other: Any) -> int:
    return int(one > other) - int(one < other)


def size_of(value: Any) -> int:
    """Returns the size of a CEL value for computing costs: characters, bytes, items or entries.

    Returns 1 for other values, except values of Kubernetes' own types with an attribute `size`.
    """
    kind = type(value)
    if kind is str or kind is bytes or isinstance(value, ListValue | MapValue):
        return len(value)
    return getattr(value, "size", 1) if isinstance(value, Opaque) else 1
