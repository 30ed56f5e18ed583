"""Adapts field sets that were recorded with another schema to the current schema.

Follows sigs.k8s.io/structured-merge-diff `typed` (ReconcileFieldSetWithSchema). If a field has become atomic,
each owner of a field inside it becomes an owner of the whole field. If a field has become granular, its
owners stay the same.
"""

from fakeapi.machinery.apply.fieldset import MEMBER, FieldSet, without_self
from fakeapi.machinery.apply.typed import is_leaf
from fakeapi.machinery.schema.nodes import AnyValue, List, Map, Node, Scalar, Struct, Untyped


def reconciled(fields: FieldSet, node: Node) -> FieldSet:
    """Adapts a field set to the schema `node`; returns `fields` itself if nothing changes."""
    if isinstance(node, Untyped):
        shape = node.shapes()[0]
        return reconciled(fields, shape) if isinstance(shape, Struct) else fields
    if isinstance(node, Struct):
        changed = {
            element: below
            for element, before in fields.items()
            if before
            and (field := node.fields.get(element[2:])) is not None
            and (below := _below(before, field.node)) is not before
        }
    elif isinstance(node, Map):
        changed = _changed_items(fields, node.values)
    elif isinstance(node, List):
        changed = _changed_items(fields, node.items)
    else:
        return fields
    return {**fields, **changed} if changed else fields


def _changed_items(fields: FieldSet, node: Node) -> FieldSet:
    return {
        element: below
        for element, before in fields.items()
        if before and (below := _below(before, node)) is not before
    }


def _below(fields: FieldSet, node: Node) -> FieldSet:
    """Returns `fields`, adapted to the schema `node` of the value that contains them.

    If the value is now atomic, returns MEMBER: its managers own the whole value.

    `fields`: paths relative to the value; not empty.
    """
    if isinstance(node, Scalar | AnyValue) and not isinstance(node, Untyped):
        return fields
    if is_leaf(node):
        return MEMBER if without_self(fields) else fields
    return reconciled(fields, node)
