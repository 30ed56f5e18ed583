"""The places of an object: the path, the schema and the value of each of its members and list items."""

from collections.abc import Iterator
from typing import Any

from fakeapi.machinery.schema.nodes import List, Map, Node, Scalar, Struct
from fakeapi.releases import Kind

HIDDEN = frozenset({"metadata", "kind", "apiVersion", "managedFields"})
"""Fields of an object that the search for error messages does not change by their schema."""

HIDDEN_BELOW = frozenset({"managedFields", "uid", "resourceVersion", "generation", "creationTimestamp"})
"""Fields below a field of an object that the search does not change."""

ITEMS_MAX = 20
"""Maximum number of items of a list that are places; the search does not change further items."""

Path = tuple[Any, ...]


def places_of(node: Node, value: Any, path: Path) -> Iterator[tuple[Path, Node, Any]]:
    """Yields the path, the schema and the value of each member and item below a value."""
    if isinstance(node, Struct) and isinstance(value, dict):
        for name, field in node.fields.items():
            if name in value and name not in (HIDDEN_BELOW if path else HIDDEN):
                yield (*path, name), field.node, value[name]
                yield from places_of(field.node, value[name], (*path, name))
    elif isinstance(node, List) and isinstance(value, list):
        for index, item in enumerate(value[:ITEMS_MAX]):
            yield (*path, index), node.items, item
            yield from places_of(node.items, item, (*path, index))
    elif isinstance(node, Map) and isinstance(value, dict):
        for key, item in value.items():
            yield (*path, key), node.values, item
            yield from places_of(node.values, item, (*path, key))


def name_of(path: Path) -> str:
    """Returns the name of the last field in a path; "" for a path without fields."""
    return next((str(step) for step in reversed(path) if isinstance(step, str)), "")


def shapes(kind: Kind, obj: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    """Yields the paths of an object without indexes; a path of a short text also has the text."""
    for path, node, value in places_of(kind.schema, obj, ()):
        words = tuple(step for step in path if isinstance(step, str))
        yield words
        if isinstance(node, Scalar) and isinstance(value, bool):
            yield (*words, str(value))
        elif isinstance(value, str) and value.isalpha() and len(value) < 30:
            yield (*words, value)
