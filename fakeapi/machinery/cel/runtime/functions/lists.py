"""CEL functions of lists, sets and maps.

Follows k8s.io/apiserver `pkg/cel/library/lists.go` and cel-go `ext/lists.go`, `ext/sets.go` and
`ext/comprehensions.go`.
"""

from collections.abc import Callable
from functools import cmp_to_key
from typing import Any

from fakeapi.machinery.cel.runtime.functions.operators import add
from fakeapi.machinery.cel.runtime.memory import ENTRY_BYTES, ITEM_BYTES, look, take
from fakeapi.machinery.cel.runtime.texts import text_of
from fakeapi.machinery.cel.runtime.values import (
    MISSING,
    NO_OVERLOAD,
    Duration,
    Entries,
    Err,
    GrowingEntries,
    Items,
    ListValue,
    MapValue,
    UInt,
    compare,
    equal,
    is_ordered,
    plain_equal,
    type_name,
)

RANGE_MAX = 1_000_000
"""Maximum length of `lists.range`; longer ranges are truncated.

cel-go has no maximum, but a longer list exceeds every cost limit.
"""


def _is_sorted(values: ListValue) -> Any:
    before: Any = None
    for position, value in enumerate(values):
        if not is_ordered(value):
            return value if type(value) is Err else NO_OVERLOAD
        if position and compare(before, value) == 1:
            return False
        before = value
    return True


def _sum(zero: Any) -> Callable[[ListValue], Any]:
    def of(values: ListValue) -> Any:
        total = zero
        for value in values:
            total = add(total, value)
            if type(total) is Err:
                return total
        return total

    return of


def _extreme(name: str, wanted: int) -> Callable[[ListValue], Any]:
    def of(values: ListValue) -> Any:
        extreme: Any = MISSING
        for value in values:
            if not is_ordered(value):
                return value if type(value) is Err else NO_OVERLOAD
            if extreme is MISSING or compare(extreme, value) == wanted:
                extreme = value
        return Err(f"{name} called on empty list") if extreme is MISSING else extreme

    return of


_NUMBER_BYTES = 32
_COMPARED_BYTES = 24
"""Bytes that each sorted item counts against the memory limit, in addition to ITEM_BYTES.

Sorting compares each item many times.
"""


def _index_of(values: ListValue, value: Any) -> int:
    look(len(values))
    return next((at for at, item in enumerate(values) if plain_equal(item, value) is True), -1)


def _last_index_of(values: ListValue, value: Any) -> int:
    look(len(values))
    return next(
        (at for at in range(len(values) - 1, -1, -1) if plain_equal(values.at(at), value) is True), -1
    )


def _includes(target: Any, value: Any) -> bool:
    if isinstance(target, ListValue):
        return _index_of(target, value) >= 0
    return plain_equal(target, value) is True


def _slice(values: ListValue, start: int, end: int) -> Any:
    wrong = ""
    if start < 0 or end < 0:
        wrong = "negative indexes not supported"
    elif start > end:
        wrong = "start index must be less than or equal to end index"
    elif len(values) < end:
        wrong = f"list is length {len(values)}"
    if wrong:
        return Err(f"cannot slice({start}, {end}), {wrong}")
    look((end - start) * ITEM_BYTES)
    return Items([values.at(at) for at in range(start, end)])


def _flatten(values: ListValue, depth: int = 1) -> Any:
    if depth < 0:
        return Err("level must be non-negative")
    return Items(_flat(values, depth))


def _flat(values: ListValue, depth: int) -> list[Any]:
    look(len(values) * ITEM_BYTES)
    items: list[Any] = []
    for value in values:
        if isinstance(value, ListValue) and depth > 0:
            items.extend(_flat(value, depth - 1))
        else:
            items.append(value)
    return items


def _sort(values: Any, keys: Any = None) -> Any:
    keys = values if keys is None else keys
    if not isinstance(values, ListValue) or not isinstance(keys, ListValue):
        return NO_OVERLOAD
    if len(values) != len(keys):
        sizes = f"{len(values)} and {len(keys)} elements respectively"
        expected = "expected a list of the same size as the associated keys list"
        return Err(f"@sortByAssociatedKeys() {expected}, but got {sizes}")
    if not len(values):
        return values
    take(len(values) * (ITEM_BYTES + _COMPARED_BYTES))
    by = list(keys)
    if not is_ordered(by[0]):
        return Err("list elements must be comparable")
    if any(type_name(key) != type_name(by[0]) for key in by):
        return Err("list elements must have the same type")
    rank = cmp_to_key(_order)
    places = sorted(range(len(by)), key=lambda at: rank(by[at]))
    items: list[Any] = list(values)
    return Items([items[at] for at in places])


def _order(one: Any, other: Any) -> int:
    order = compare(one, other)
    return order if type(order) is int else 0


def _range(count: int) -> Any:
    size = max(0, min(count, RANGE_MAX))
    take(size * (ITEM_BYTES + _NUMBER_BYTES))
    return Items(list(range(size)))


def _reverse(values: ListValue) -> Items:
    take(len(values) * ITEM_BYTES)
    return Items(list(values)[::-1])


def _distinct(values: ListValue) -> Any:
    items: list[Any] = []
    for value in values:
        look(len(items))
        if not any(plain_equal(value, other) is True for other in items):
            items.append(value)
    return Items(items)


def _has(values: ListValue, value: Any) -> bool:
    look(len(values))
    return any(equal(value, item) is True for item in values)


def _contains_all(values: ListValue, others: ListValue) -> bool:
    return all(_has(values, other) for other in others)


def _insert(target: MapValue, *rest: Any) -> Any:
    """Adds an entry (key, value), or all entries of another map, to a map; returns the resulting map.

    Changes a `GrowingEntries` in place and copies any other map. Returns an Err if a key already exists.
    """
    added = [(rest[0], rest[1])] if len(rest) == 2 else [(key, rest[0].find(key)) for key in rest[0]]
    take(len(added) * ENTRY_BYTES)
    for key, _ in added:
        if target.find(key) is not MISSING:
            return Err(f"insert failed: key {text_of(key)} already exists")
    if type(target) is GrowingEntries:
        for key, value in added:
            target.insert(key, value)
        return target
    take(len(target) * ENTRY_BYTES)
    return Entries([*((key, target.find(key)) for key in target), *added])


SINGLETONS: dict[str, Callable[..., Any]] = {"sort": _sort, "@sortByAssociatedKeys": _sort}

_COMPARABLE = ("int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes")
_ZEROS = {"int": 0, "uint": UInt(0), "double": 0.0, "duration": Duration(0)}

OVERLOADS: dict[str, Callable[..., Any]] = {
    **dict.fromkeys((f"list_{kind}_is_sorted" for kind in _COMPARABLE), _is_sorted),
    **dict.fromkeys((f"list_{kind}_max" for kind in _COMPARABLE), _extreme("max", -1)),
    **dict.fromkeys((f"list_{kind}_min" for kind in _COMPARABLE), _extreme("min", 1)),
    **{f"list_{kind}_sum": _sum(zero) for kind, zero in _ZEROS.items()},
    "list_a_index_of_int": _index_of,
    "list_a_last_index_of_int": _last_index_of,
    **dict.fromkeys(("dra_includes_dyn_dyn", "list_includes_dyn_dyn"), _includes),
    "list_slice": _slice,
    "list_flatten": _flatten,
    "list_flatten_int": _flatten,
    "lists_range": _range,
    "list_reverse": _reverse,
    "list_distinct": _distinct,
    "list_sets_contains_list": _contains_all,
    "list_sets_equivalent_list": lambda one, other: _contains_all(one, other) and _contains_all(other, one),
    "list_sets_intersects_list": lambda one, other: any(_has(other, value) for value in one),
    "@mapInsert_map_key_value": _insert,
    "@mapInsert_map_map": _insert,
}
