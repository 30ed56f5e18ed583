"""Validates that lists of type set or map have no duplicate items.

Follows k8s.io/apiextensions-apiserver `pkg/apiserver/schema/listtype`.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from fakeapi.machinery.field_errors import FieldError, duplicate, invalid
from fakeapi.machinery.structural.equality import key_of
from fakeapi.machinery.structural.pruning import one
from fakeapi.machinery.structural.results import shown
from fakeapi.machinery.structural.rules import NEWEST, SchemaRules
from fakeapi.machinery.structural.schema import Schema
from fakeapi.machinery.structural.subtrees import anywhere


def validate_list_types(
    obj: Any, schema: Schema | None, path: str = "", *, rules: SchemaRules = NEWEST
) -> list[FieldError]:
    """Returns the errors of lists with x-kubernetes-list-type set or map in an object.

    Duplicate items of a set, and items of a list map with the same keys, are errors. Each duplicated item or
    key is reported once. In a list map, the first item that is not an object is an error. Call this for an
    update only if the old object is valid.

    `schema`: the schema of the object; None allows every object
    """
    if schema is None or not isinstance(obj, dict):
        return []
    return list(_members(obj, schema, path, rules))


def _members(obj: dict[str, Any], schema: Schema, path: str, rules: SchemaRules) -> Iterator[FieldError]:
    others = one(schema.additional_properties)
    if others is not None:
        for name in sorted(obj):
            yield from _value(obj[name], others, f"{path}[{name}]", rules)
    for name in sorted(schema.properties.keys() & obj.keys()):
        at = f"{path}.{name}" if path else name
        yield from _value(obj[name], schema.properties[name], at, rules)


_has_sets_or_maps = anywhere(lambda schema: schema.list_type in ("set", "map"))


def _value(value: Any, schema: Schema, path: str, rules: SchemaRules) -> Iterator[FieldError]:
    if not _has_sets_or_maps(schema):
        return
    match value:
        case dict():
            yield from _members(value, schema, path, rules)
        case list():
            if schema.list_type == "set":
                yield from _repeated(value, value, path, rules)
            elif schema.list_type == "map":
                yield from _map_items(value, schema, path, rules)
            items = one(schema.items)
            if items is not None:
                for index, item in enumerate(value):
                    yield from _value(item, items, f"{path}[{index}]", rules)


def _map_items(items: list[Any], schema: Schema, path: str, rules: SchemaRules) -> Iterator[FieldError]:
    for index, item in enumerate(items):
        if item is not None and not isinstance(item, dict):
            detail = "must be an object for an array of list-type map"
            yield invalid(f"{path}[{index}]", shown(item, rules), detail)
            return
    names = schema.list_map_keys
    keys = [{name: item[name] for name in names if name in item} if item else {} for item in items]
    yield from _repeated(keys, keys, path, rules)


def _repeated(keys: Iterable[Any], items: list[Any], path: str, rules: SchemaRules) -> Iterator[FieldError]:
    counts: dict[Any, int] = {}
    for index, key in enumerate(map(key_of, keys)):
        counts[key] = counts.get(key, 0) + 1
        if counts[key] == 2:
            yield duplicate(f"{path}[{index}]", shown(items[index], rules))
