"""Merges repeated fields of a JSON object like Go, which decodes each field over the earlier result.

Follows Go's encoding/json and sigs.k8s.io/json:

- Members of objects and maps are added to the earlier members.
- Items of a list are decoded over the earlier items with the same index.
- A scalar replaces the earlier scalar.
- `null` empties a pointer, a list or a map. It leaves other fields unchanged, including values without a
  schema (k8s.io/apimachinery `pkg/runtime/extension.go`).
"""

from typing import Any

from fakeapi.machinery.golang.duplicate_keys import members
from fakeapi.machinery.schema.nodes import Field, List, Map, Node, Struct


def merge_duplicates(value: Any, node: Node) -> Any:
    """Returns a copy of a JSON value, in which repeated fields are merged as in Go.

    Drops fields that are not in the schema `node` of the value.
    """
    match node:
        case Struct() if isinstance(value, dict):
            return _merge_in_struct(value, node)
        case List() if isinstance(value, list):
            return [merge_duplicates(item, node.items) for item in value]
        case Map() if isinstance(value, dict):
            return {key: merge_duplicates(item, node.values) for key, item in value.items()}
        case _:
            return value


def _merge_in_struct(value: dict[str, Any], node: Struct) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for key, item in members(value):
        field = node.fields.get(key)
        if field is None:
            continue
        new = merge_duplicates(item, field.node)
        merged[key] = _field_over(merged[key], new, field) if key in merged else new
    return merged


def _field_over(old: Any, new: Any, field: Field) -> Any:
    if new is None and not field.pointer and not isinstance(field.node, List | Map):
        return old
    return _over(old, new, field.node)


def _over(old: Any, new: Any, node: Node) -> Any:
    """Returns the result of decoding `new` over `old`, like Go; neither value has repeated fields."""
    match node:
        case Struct() if isinstance(old, dict) and isinstance(new, dict):
            added = {
                key: _field_over(old[key], item, node.fields[key]) if key in old else item
                for key, item in new.items()
            }
            return {**old, **added}
        case Map() if isinstance(old, dict) and isinstance(new, dict):
            return {**old, **new}
        case List() if isinstance(old, list) and isinstance(new, list):
            return [
                _item_over(old[index], item, node.items) if index < len(old) else item
                for index, item in enumerate(new)
            ]
        case _:
            return new


def _item_over(old: Any, new: Any, node: Node) -> Any:
    if new is None and not isinstance(node, List | Map):
        return old
    return _over(old, new, node)
