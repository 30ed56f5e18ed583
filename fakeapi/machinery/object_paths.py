"""Reads and replaces the value at a path of field names in a JSON object."""

from typing import Any

from fakeapi.machinery.json_types import Object

Path = tuple[str, ...]


def value_at(obj: Object, path: Path) -> Any:
    """Returns the value at a path of field names in an object; None if the value is absent."""
    value: Any = obj
    for name in path:
        value = (value or {}).get(name)
    return value


def with_value_at(obj: Object, path: Path, value: Any) -> Object:
    """Returns a copy of `obj` with `value` at a path, such as `("spec", "replicas")`.

    Creates missing objects along the path. The copy shares all other parts with `obj`.
    """
    first, *rest = path
    return {**obj, first: with_value_at(obj.get(first) or {}, tuple(rest), value) if rest else value}
