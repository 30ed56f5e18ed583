"""Prunes custom objects: removes fields that the schema does not specify.

Follows k8s.io/apiextensions-apiserver `pkg/apiserver/schema/pruning`.
"""

from dataclasses import replace
from typing import Any

from fakeapi.machinery.structural.schema import EMPTY, Schema

TYPE_AND_META = ("apiVersion", "kind", "metadata")


def prune(obj: Any, schema: Schema | None, *, is_resource_root: bool = True) -> list[str]:
    """Removes unknown fields in place; returns their sorted paths, such as `spec.parts[0].colour`.

    Does not change apiVersion, kind and metadata of embedded resources; `object_meta.coerce` prunes metadata.

    `schema`: if None, all fields are unknown.
    `is_resource_root`: whether `obj` itself is a resource, like the objects embedded in it.
    """
    pruned: list[str] = []
    _prune(obj, as_root(schema) if is_resource_root else schema, "", pruned)
    return sorted(pruned)


def as_root(schema: Schema | None) -> Schema:
    """Returns `schema`, marked as an embedded resource, for pruning a whole object.

    If `schema` is None, returns an empty schema with this mark.
    """
    schema = schema or EMPTY
    return schema if schema.embedded_resource else replace(schema, embedded_resource=True)


def one(schema: Any) -> Schema | None:
    """Returns `items` or `additional_properties` of a schema if it is a single `Schema`; otherwise None."""
    return schema if isinstance(schema, Schema) else None


def _prune(value: Any, schema: Schema | None, path: str, pruned: list[str]) -> None:
    if schema is not None and schema.preserve_unknown_fields:
        _prune_known(value, schema, path, pruned)
        return
    match value:
        case dict() if schema is None:
            pruned.extend(_child(path, name) for name in value)
            value.clear()
        case dict() if schema is not None:
            for name in _prune_members(value, schema, path, pruned):
                del value[name]
                if path or name not in TYPE_AND_META:
                    pruned.append(_child(path, name))
        case list():
            items = one(schema.items) if schema is not None else None
            for index, item in enumerate(value):
                _prune(item, items, f"{path}[{index}]", pruned)


def _prune_known(value: Any, schema: Schema | None, path: str, pruned: list[str]) -> None:
    """Prunes the values of the specified fields, but keeps the unknown fields of the value itself.

    If the value is a list, the objects in the list keep their unknown fields. With the schema None, does
    nothing.
    """
    if schema is None:
        return
    match value:
        case dict():
            _prune_members(value, schema, path, pruned)
        case list():
            for index, item in enumerate(value):
                _prune_known(item, one(schema.items), f"{path}[{index}]", pruned)


def _prune_members(value: dict[str, Any], schema: Schema, path: str, pruned: list[str]) -> list[str]:
    """Prunes inside the specified members of an object; returns the names of the unknown members."""
    unknown: list[str] = []
    for name, member in value.items():
        if schema.embedded_resource and name in TYPE_AND_META:
            continue
        below = schema.properties.get(name)
        if below is None and schema.additional_properties is None:
            unknown.append(name)
        elif isinstance(member, dict | list):
            _prune(member, below or one(schema.additional_properties), _child(path, name), pruned)
    return unknown


def _child(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
