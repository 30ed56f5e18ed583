"""Compares values of fields, checks whether they are set, and computes keys of list items.

Follows k8s.io/apimachinery `pkg/api/validate` (each, required), for values in canonical JSON form.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, TypeAlias

from fakeapi.machinery import codec
from fakeapi.registry.model.semantic_equality import semantically_equal

Same: TypeAlias = Callable[[Any, Any], bool]
IsSet: TypeAlias = Callable[[Any], bool]
Key: TypeAlias = Callable[[Any], Hashable]
"""A function that returns the key of a list item. Items of the old and the new list match by their keys."""


def is_zero(value: Any) -> bool:
    """Whether a value is the zero value of its Go type. A struct is zero if all its fields are zero."""
    if isinstance(value, dict):
        return all(map(is_zero, value.values()))
    return value in (None, "", 0)


def is_set_by(form: Any) -> IsSet:
    """Returns a function that checks whether a value is set.

    `form`: the form of the value in Go, for example "pointer". If `form` is a mapping, the value is a list of
    objects. The list counts as set if one of its items has all members of the mapping.
    """
    if isinstance(form, Mapping):
        return lambda items: any(
            all(item.get(name) == value for name, value in form.items()) for item in items or ()
        )
    if form == "pointer":
        return lambda value: value is not None
    return bool if form == "items" else lambda value: not is_zero(value)


def same_scalars(one: Any, other: Any) -> bool:
    """Whether two values of a Go type without pointers are equal. An absent value equals the zero value."""
    return one == other or (not one and not other)


def _same_pointers(one: Any, other: Any) -> bool:
    return bool(one == other)


def _same_structs(one: Any, other: Any) -> bool:
    return one == other or semantically_equal(one, other)


def sameness(comparison: str | None, form: str) -> Same | None:
    if comparison is None:
        return None
    if comparison == "deep":
        return _same_structs
    return _same_pointers if form == "pointer" else same_scalars


def key_of(match: Any) -> Key | None:
    """Returns the function that computes the keys by which old and new list items are matched.

    `match`: how items are matched.

    - None: items have no keys; `key_of` returns None.
    - A mapping: the fields in its member `by` form the key.
    - Any other value: the whole item is the key.
    """
    if match is None:
        return None
    if isinstance(match, Mapping):
        fields = tuple(match["by"])
        return lambda item: tuple(item.get(name) for name in fields)
    return lambda item: codec.encode(item) if isinstance(item, dict | list) else item


def by_key(items: Iterable[Any], key: Key) -> dict[Hashable, Any]:
    """Returns a mapping from each key to the first item that has this key."""
    first: dict[Hashable, Any] = {}
    for item in items:
        first.setdefault(key(item), item)
    return first
