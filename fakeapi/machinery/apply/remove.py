"""Removes fields and list items from a value.

Follows sigs.k8s.io/structured-merge-diff `typed` (RemoveItems) and `fieldpath` (EnsureNamedFieldsAreMembers).
"""

from typing import Any

from fakeapi.machinery.apply.fieldset import MEMBER, SELF, FieldSet, without_self
from fakeapi.machinery.apply.typed import is_leaf, item_element, shape_of
from fakeapi.machinery.schema.nodes import AnyValue, List, Map, Node, Scalar, Struct, Untyped


def remove(value: Any, fields: FieldSet, node: Node) -> Any:
    """Returns `value` without the members of `fields`; `value` itself is not changed.

    A list or map becomes null if it loses all its items or members. An atomic value becomes null if `fields`
    has a member inside it.
    """
    if isinstance(node, Untyped):
        shape = shape_of(value, node)
        return value if shape is None else remove(value, fields, shape)
    if isinstance(node, Scalar | AnyValue):
        return value
    if is_leaf(node) or not value:
        return None
    match node:
        case List():
            return _remove_items(value, fields, node)
        case Map():
            return _remove_members(value, fields, dict.fromkeys(value, node.values))
        case Struct():
            nodes = {name: field.node for name, field in node.fields.items()}
            if node.others is not None:
                nodes = dict.fromkeys(value, node.others) | nodes
            return _remove_members(value, fields, nodes)


def _remove_members(value: dict[str, Any], fields: FieldSet, nodes: dict[str, Node]) -> dict[str, Any] | None:
    result: dict[str, Any] = {}
    for name, child in value.items():
        below = fields.get("f:" + name)
        if below is None:
            result[name] = child
        elif below and SELF not in below:
            result[name] = remove(child, below, nodes[name])
    return result or None


def _remove_items(value: list[Any], fields: FieldSet, node: List) -> list[Any] | None:
    element_of = item_element(node)
    result: list[Any] = []
    for item in value:
        below = fields.get(element_of(item))
        if below is None:
            result.append(item)
        elif below and SELF not in below:
            result.append(remove(item, below, node.items))
    return result or None


def with_named_fields(fields: FieldSet, node: Node | None) -> FieldSet:
    """Adds to `fields` each declared struct field that has a member below it; returns the result.

    `node`: the schema node of the value that contains the fields; None if the schema does not declare the
    value
    """
    result: FieldSet = {}
    for element, below in fields.items():
        child, is_named = _node_at(node, element)
        children = with_named_fields(without_self(below), child)
        if children and (is_named or SELF in below):
            result[element] = {SELF: MEMBER, **children}
        elif element != SELF:
            result[element] = children
    return result


def _node_at(node: Node | None, element: str) -> tuple[Node | None, bool]:
    """Returns the schema node at `element`, and whether `element` is a declared struct field.

    The node is None if the schema does not declare a node at `element`.
    """
    if isinstance(node, Untyped):
        node = node.shapes()[0 if element.startswith("f:") else 1]
    if element.startswith("f:"):
        if isinstance(node, Struct) and element[2:] in node.fields:
            return node.fields[element[2:]].node, True
        if isinstance(node, Struct):
            return node.others, False
        return (node.values, False) if isinstance(node, Map) else (None, False)
    if element.startswith("k:") and isinstance(node, List):
        return node.items, False
    return None, False
