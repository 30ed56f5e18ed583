"""Values that rules look at: whether one is set, whether two are the same, which item was there before.

Follows k8s.io/apimachinery `pkg/api/validate` (each, required), for canonical values.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, TypeAlias

from fakeapi.machinery import codec
from fakeapi.registry.model.semantic_equality import semantically_equal

Same: TypeAlias = Callable[[Any, Any], bool]
IsSet: TypeAlias = Callable[[Any], bool]
Key: TypeAlias = Callable[[Any], Hashable]
"""Makes of an item what it is known by in its list."""


def is_zero(value: Any) -> bool:
    """Whether a value that is no pointer has not been given one: of a struct, none of its fields."""
    if isinstance(value, dict):
        return all(map(is_zero, value.values()))
    return value in (None, "", 0)


def is_set_by(form: Any) -> IsSet:
    """The check for a field of a form, or for a list of which an item has the values of a mapping."""
    if isinstance(form, Mapping):
        return lambda items: any(
            all(item.get(name) == value for name, value in form.items()) for item in items or ()
        )
    if form == "pointer":
        return lambda value: value is not None
    return bool if form == "items" else lambda value: not is_zero(value)


def same_scalars(one: Any, other: Any) -> bool:
    """Equality of what a type that is no pointer holds: what is left out is its zero."""
    return one == other or (not one and not other)


def _same_pointers(one: Any, other: Any) -> bool:
    return bool(one == other)


def _same_structs(one: Any, other: Any) -> bool:
    return one == other or semantically_equal(one, other)


def sameness(how: str | None, form: str) -> Same | None:
    if how is None:
        return None
    if how == "deep":
        return _same_structs
    return _same_pointers if form == "pointer" else same_scalars


def key_of(match: Any) -> Key | None:
    """None: no item is that of another list."""
    if match is None:
        return None
    if isinstance(match, Mapping):
        fields = tuple(match["by"])
        return lambda item: tuple(item.get(name) for name in fields)
    return lambda item: codec.encode(item) if isinstance(item, dict | list) else item


def by_key(items: Iterable[Any], key: Key) -> dict[Hashable, Any]:
    """The first item of each key."""
    found: dict[Hashable, Any] = {}
    for item in items:
        found.setdefault(key(item), item)
    return found
