"""Converts decoded JSON objects to CEL values, with the types of their schema.

Follows UnstructuredToVal of k8s.io/apiserver `pkg/cel/common/valuesunstructured.go`.
"""

import base64
import binascii
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from fakeapi.machinery.cel.rules.escaping import escaped, unescaped
from fakeapi.machinery.cel.runtime.functions.times import parsed_duration, parsed_timestamp
from fakeapi.machinery.cel.runtime.json_values import JsonList, JsonMap
from fakeapi.machinery.cel.runtime.memory import ITEM_BYTES, look, take
from fakeapi.machinery.cel.runtime.values import (
    MISSING,
    NO_OVERLOAD,
    SECOND,
    Duration,
    Err,
    Items,
    ListValue,
    MapValue,
    Opaque,
    Timestamp,
    plain_equal,
)
from fakeapi.machinery.golang.fmt import go_type
from fakeapi.machinery.golang.times import parsed_date, parsed_local
from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.machinery.structural.equality import key_of, same
from fakeapi.machinery.structural.schema import Schema

Completed = Callable[[Schema], Schema]
"""A function that adds to a resource's schema the fields that CEL rules can always access.

The fields are apiVersion, kind, metadata.name and metadata.generateName.
"""

_INT_OR_STRING = Err("invalid data, expected XIntOrString value to be either a string or integer")
_NO_SUCH_TYPE = (
    "invalid type, expected object, array, number, integer, boolean or string, or no type with"
    " x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got {}"
)


def typed(raw: Any, schema: Schema, completed: Completed) -> Any:
    """Converts decoded JSON to a CEL value; returns an `Err` if the JSON does not fit the schema.

    `completed`: adds to a resource's schema the fields that CEL rules can always access
    """
    if raw is None:
        return None if schema.nullable else Err("invalid data, got null for schema with nullable=false")
    if schema.int_or_string:
        return raw if type(raw) in {int, str} else _INT_OR_STRING
    convert = _BY_TYPE.get(schema.type)
    if convert is not None:
        return convert(raw, schema, completed)
    return Preserved(raw) if schema.preserve_unknown_fields else Err(_NO_SUCH_TYPE.format(schema.type))


def _object(raw: Any, schema: Schema, completed: Completed) -> Any:
    if not isinstance(raw, dict):
        return Err("invalid data, expected a map for the provided schema with type=object")
    if schema.embedded_resource:
        return TypedMap(raw, completed(schema).properties, None, completed)
    if schema.properties:
        return TypedMap(raw, schema.properties, None, completed)
    others = schema.additional_properties
    return TypedMap(raw, {}, others if isinstance(others, Schema) else None, completed)


def _array(raw: Any, schema: Schema, completed: Completed) -> Any:
    if not isinstance(raw, list):
        return Err("invalid data, expected an array for the provided schema with type=array")
    if not isinstance(schema.items, Schema):
        return Err("invalid array type, expected Items with a non-empty Schema")
    match schema.list_type:
        case None | "" | "atomic":
            return TypedList(raw, schema.items, completed)
        case "set":
            return TypedSet(raw, schema.items, completed)
        case "map":
            return TypedListMap(raw, schema.items, completed, schema.list_map_keys)
        case other:
            problem = "invalid x-kubernetes-list-type, expected 'map', 'set' or 'atomic'"
            return Err(f"{problem} but got {other}")


def _string(raw: Any, schema: Schema, completed: Completed) -> Any:
    if type(raw) is not str:
        return Err(f"invalid data, expected string, got {go_type(raw)}")
    parse = _FORMATS.get(schema.format)
    return raw if parse is None else parse(raw)


def _duration(text: str) -> Any:
    try:
        return parsed_duration(text)
    except ValueError:
        pass
    total, known = 0, False
    for number, unit in _LONG_DURATION.findall(text):
        for prefix, length in _LONG_UNITS:
            if unit.strip().lower().startswith(prefix):
                total, known = total + int(number) * length, True
                break
    if known:
        return Duration(total)
    return Err(f"Invalid duration {text}: unable to parse {text} as duration")


_LONG_DURATION = lazy_pattern(r"([0-9]+)\s*([A-Za-z\u00b5\u03bc]+)")
_DAY = 24 * 3600 * SECOND
_LONG_UNITS = (
    ("ns", 1),
    ("nano", 1),
    ("us", 1_000),
    ("\u00b5s", 1_000),
    ("micro", 1_000),
    ("ms", 1_000_000),
    ("milli", 1_000_000),
    ("mi", 60 * SECOND),
    ("m", 60 * SECOND),
    ("s", SECOND),
    ("h", 3600 * SECOND),
    ("d", _DAY),
    ("w", 7 * _DAY),
)


def _date(text: str) -> Any:
    try:
        return Timestamp(parsed_date(text) * SECOND)
    except ValueError as error:
        return Err(f"Invalid date formatted string {text}: {error}")


def _date_time(text: str) -> Any:
    if not text:
        return Timestamp(0)
    try:
        return parsed_timestamp(text)
    except ValueError:
        pass
    try:
        return Timestamp(parsed_local(text) * SECOND)
    except ValueError as error:
        return Err(f"Invalid date-time formatted string {text}: {error}")


def _bytes(text: str) -> Any:
    """Decodes a string of format `byte` in URL-safe base64; returns an `Err` if it is invalid."""
    plain = text.replace("\n", "").replace("\r", "")
    wrong = re.search(r"[^A-Za-z0-9_=-]", plain)
    try:
        if wrong is None:
            return base64.b64decode(plain, altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        pass
    at = len(text) if wrong is None else wrong.start()
    return Err(f"Invalid byte formatted string {text}: illegal base64 data at input byte {at}")


_FORMATS: dict[str, Callable[[str], Any]] = {
    "duration": _duration,
    "date": _date,
    "date-time": _date_time,
    "byte": _bytes,
}


def _number(raw: Any, schema: Schema, completed: Completed) -> Any:
    if type(raw) is int or type(raw) is float:
        return float(raw)
    return Err(f"invalid data, expected float, got {go_type(raw)}")


def _integer(raw: Any, schema: Schema, completed: Completed) -> Any:
    return raw if type(raw) is int else Err(f"invalid data, expected int, got {go_type(raw)}")


def _boolean(raw: Any, schema: Schema, completed: Completed) -> Any:
    return raw if type(raw) is bool else Err(f"invalid data, expected bool, got {go_type(raw)}")


_BY_TYPE: dict[str, Callable[[Any, Schema, Completed], Any]] = {
    "object": _object,
    "array": _array,
    "string": _string,
    "number": _number,
    "integer": _integer,
    "boolean": _boolean,
}


def _nodes(raw: Any) -> int:
    """Returns the number of values in decoded JSON, including lists and objects."""
    below = raw.values() if isinstance(raw, dict) else raw if isinstance(raw, list) else ()
    return 1 + sum(map(_nodes, below))


class Preserved(Opaque):
    """A CEL value for decoded JSON of unknown type; expressions can only compare it.

    The schema of the JSON has x-kubernetes-preserve-unknown-fields and no type.
    """

    __slots__ = ("raw",)
    type_name = "unknown"

    def __init__(self, raw: Any) -> None:
        self.raw = raw

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Preserved):
            return False
        look(_nodes(self.raw))
        return same(self.raw, other.raw)

    def __hash__(self) -> int:
        return hash(key_of(self.raw))


class TypedList(ListValue):
    """A CEL list whose x-kubernetes-list-type is atomic or absent."""

    __slots__ = ("_completed", "_items", "raw")
    may_be_zero = False

    def __init__(self, raw: list[Any], items: Schema, completed: Completed) -> None:
        self.raw = raw
        self._items = items
        self._completed = completed

    def __len__(self) -> int:
        return len(self.raw)

    def __iter__(self) -> Iterator[Any]:
        return (typed(item, self._items, self._completed) for item in self.raw)

    def at(self, index: int) -> Any:
        return typed(self.raw[index], self._items, self._completed)

    def equal(self, other: Any) -> Any:
        if not isinstance(other, ListValue):
            return other if type(other) is Err else NO_OVERLOAD
        if len(self) != len(other):
            return False
        look(len(self))
        for mine, theirs in zip(self, other, strict=True):
            result = _equal(mine, theirs)
            if result is not True:
                return result
        return True

    def contains(self, value: Any) -> Any:
        look(len(self))
        error: Any = None
        for item in self:
            result = _equal(item, value)
            if result is True:
                return True
            if type(result) is Err and error is None:
                error = result
        return False if error is None else error

    def native(self) -> Any:
        return JsonList(self.raw)


def _equal(one: Any, other: Any) -> Any:
    """Compares two CEL values; null equals only null. Returns `one` if it is an `Err`."""
    if one is None or other is None:
        return one is other
    if type(one) is Err:
        return one
    return plain_equal(one, other)


class TypedSet(TypedList):
    """A CEL list with x-kubernetes-list-type set: equality ignores the order."""

    __slots__ = ()

    def equal(self, other: Any) -> Any:
        if not isinstance(other, ListValue):
            return NO_OVERLOAD
        if len(self) != len(other):
            return False
        take(2 * len(self) * _HASHED_BYTES)
        mine = {_hashed(item) for item in self}
        theirs = {_hashed(item) for item in other}
        return mine == theirs

    def plus(self, other: Any) -> Any:
        if not isinstance(other, ListValue):
            return NO_OVERLOAD
        take((len(self) + len(other)) * (ITEM_BYTES + _HASHED_BYTES))
        seen = {_hashed(item) for item in self}
        items = list(self)
        for item in other:
            key = _hashed(item)
            if key not in seen:
                seen.add(key)
                items.append(item)
        return Items(items)


_HASHED_BYTES = 64
"""Bytes that hashing a list item counts against the memory limit."""


def _hashed(value: Any) -> Any:
    if isinstance(value, TypedMap | TypedList | JsonMap | JsonList | Preserved):
        return key_of(value.raw)
    return type(value), value


class TypedListMap(TypedList):
    """A CEL list with x-kubernetes-list-type map: keys identify items, and equality ignores the order."""

    __slots__ = ("_keys",)

    def __init__(self, raw: list[Any], items: Schema, completed: Completed, keys: tuple[str, ...]) -> None:
        super().__init__(raw, items, completed)
        self._keys = tuple(escaped(key) or key for key in keys)

    def _key(self, raw: Any) -> Any:
        if not isinstance(raw, dict):
            return None
        return tuple(key_of(raw.get(key)) for key in self._keys)

    def equal(self, other: Any) -> Any:
        if not isinstance(other, ListValue):
            return NO_OVERLOAD
        if len(self) != len(other):
            return False
        take(len(self) * _HASHED_BYTES)
        mine = {self._key(raw): raw for raw in self.raw}
        seen = set()
        for theirs in other:
            key = self._key(raw_of(theirs))
            if key not in mine:
                return False
            result = _equal(typed(mine[key], self._items, self._completed), theirs)
            if result is not True:
                return result
            seen.add(key)
        return len(seen) == len(mine)

    def plus(self, other: Any) -> Any:
        if not isinstance(other, ListValue):
            return NO_OVERLOAD
        take((len(self) + len(other)) * (ITEM_BYTES + _HASHED_BYTES))
        items = list(self)
        places = {self._key(raw): place for place, raw in enumerate(self.raw)}
        for item in other:
            key = self._key(raw_of(item))
            if key in places:
                items[places[key]] = item
            else:
                places[key] = len(items)
                items.append(item)
        return Items(items)


def raw_of(value: Any) -> Any:
    """Returns the decoded JSON from which a CEL value was created.

    Converts a map that an expression constructed to a dict. Returns all other values unchanged.
    """
    if isinstance(value, TypedMap | TypedList | JsonMap | JsonList | Preserved):
        return value.raw
    if isinstance(value, MapValue):
        return {key: raw_of(value.find(key)) for key in value}
    return value


class TypedMap(MapValue):
    """A CEL map for an object whose schema has properties or additionalProperties."""

    __slots__ = ("_completed", "_others", "_properties", "raw")
    may_be_zero = False

    def __init__(
        self,
        raw: dict[str, Any],
        properties: Mapping[str, Schema],
        others: Schema | None,
        completed: Completed,
    ) -> None:
        self.raw = raw
        self._properties = properties
        self._others = others
        self._completed = completed

    def __len__(self) -> int:
        return len(self.raw)

    def __iter__(self) -> Iterator[Any]:
        if self._properties:
            return iter([escaped(name) or name for name in sorted(self.raw) if name in self._properties])
        return iter(sorted(self.raw) if self._others is not None else ())

    def find(self, key: Any) -> Any:
        if type(key) is not str:
            return NO_OVERLOAD
        name: str | None = key
        if self._properties:
            name = unescaped(key)
        if name is None or name not in self.raw:
            return MISSING
        raw = self.raw[name]
        if raw is None and self._properties:
            return MISSING
        schema = self._properties.get(name) or self._others
        return MISSING if schema is None else typed(raw, schema, self._completed)

    def equal(self, other: Any) -> Any:
        if not isinstance(other, MapValue):
            return other if type(other) is Err else NO_OVERLOAD
        if len(self) != len(other):
            return False
        look(len(self))
        for name, raw in self.raw.items():
            if name not in self._properties and self._others is None:
                if not isinstance(other, TypedMap):
                    return NO_OVERLOAD
                if name in other.raw and not same(raw, other.raw[name]):
                    return False
                continue
            mine, theirs = self.find(name), other.find(name)
            if (mine is MISSING) is not (theirs is MISSING):
                return False
            if mine is MISSING:
                continue
            result = _equal(mine, theirs)
            if result is not True:
                return result
        return True

    def native(self) -> Any:
        return JsonMap(self.raw)
