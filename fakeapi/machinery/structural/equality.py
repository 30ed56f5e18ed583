"""Compares JSON values like Go's reflect.DeepEqual: 1, 1.0 and true are different values."""

from typing import Any


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal, including their types: 1, 1.0 and true differ."""
    if type(one) is not type(other):
        return False
    match one:
        case dict():
            return one.keys() == other.keys() and all(same(item, other[name]) for name, item in one.items())
        case list():
            return len(one) == len(other) and all(map(same, one, other))
        case _:
            return bool(one == other)


def key_of(value: Any) -> Any:
    """Returns a hashable key of a JSON value; only values that are the `same` have equal keys."""
    match value:
        case dict():
            return dict, frozenset((name, key_of(item)) for name, item in value.items())
        case list():
            return list, tuple(map(key_of, value))
        case _:
            return type(value), value
