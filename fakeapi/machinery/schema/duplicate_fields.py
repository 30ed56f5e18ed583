"""Merges duplicate fields of a JSON object as Go does, which decodes them into a type one after the other.

Follows Go's encoding/json, which sigs.k8s.io/json keeps: a value is decoded into what the member before it
left. The members of objects and of maps are added to those that are there, the items of a list are decoded
into the items at their places, a scalar takes the place of another, and `null` empties what has a nil, but
for a value of any shape, which passes over it (k8s.io/apimachinery `pkg/runtime/extension.go`).
"""

from typing import Any

from fakeapi.machinery.golang.duplicate_keys import members
from fakeapi.machinery.schema.nodes import Field, List, Map, Node, Struct


def merge_duplicates(value: Any, node: Node) -> Any:
    """`value` of the type `node` with its duplicate fields merged into one, as Go ends up with them.

    Unknown members are left out. `value` is not changed.
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
    found: dict[str, Any] = {}
    for key, item in members(value):
        field = node.fields.get(key)
        if field is None:
            continue
        new = merge_duplicates(item, field.node)
        found[key] = _field_over(found[key], new, field) if key in found else new
    return found


def _field_over(old: Any, new: Any, field: Field) -> Any:
    if new is None and not field.pointer and not isinstance(field.node, List | Map):
        return old
    return _over(old, new, field.node)


def _over(old: Any, new: Any, node: Node) -> Any:
    """The result of decoding `new` over `old`; neither holds duplicates."""
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
