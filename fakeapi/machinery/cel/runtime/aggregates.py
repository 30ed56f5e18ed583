"""Lists and maps made by literals, whose optional elements are left out when they have no value."""

from typing import Any

from fakeapi.machinery.cel.runtime.memory import ENTRY_BYTES, ITEM_BYTES, take
from fakeapi.machinery.cel.runtime.texts import text_of
from fakeapi.machinery.cel.runtime.values import Entries, Err, Items, Optional


def list_of(values: list[Any], optional: frozenset[int]) -> Any:
    """A list of the values; those at `optional` positions must be optionals. An Err if one is not."""
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
    """A map of (key, value, is optional); an Err if an optional entry has a value that is not an optional."""
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
