"""Evaluates list and map literals; leaves out optional elements without a value."""

from typing import Any

from fakeapi.machinery.cel.runtime.memory import ENTRY_BYTES, ITEM_BYTES, take
from fakeapi.machinery.cel.runtime.texts import text_of
from fakeapi.machinery.cel.runtime.values import Entries, Err, Items, Optional


def list_of(values: list[Any], optional: frozenset[int]) -> Any:
    """Returns a CEL list of the values, without empty optionals.

    `optional`: the positions of values that must be optionals. Returns an `Err` if a value at such a position
    is not an optional.
    """
    take(len(values) * ITEM_BYTES)
    if not optional:
        return Items(values)
    items = []
    for position, value in enumerate(values):
        if position not in optional:
            items.append(value)
        elif type(value) is not Optional:
            return Err(f"cannot initialize optional list element from non-optional value {text_of(value)}")
        elif value.present:
            items.append(value.value)
    return Items(items)


def map_of(entries: list[tuple[Any, Any, bool]]) -> Any:
    """Returns a CEL map of the entries (key, value, whether the entry is optional), without empty optionals.

    Returns an `Err` if the value of an optional entry is not an optional.
    """
    take(len(entries) * ENTRY_BYTES)
    pairs = []
    for key, value, optional in entries:
        if not optional:
            pairs.append((key, value))
        elif type(value) is not Optional:
            non = f"from non-optional value {text_of(value)}"
            return Err(f"cannot initialize optional entry '{text_of(key)}' {non}")
        elif value.present:
            pairs.append((key, value.value))
    return Entries(pairs)
