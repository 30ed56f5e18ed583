"""Drops the empty values of fields that Go's encoders omit."""

from typing import Any

from fakeapi.machinery.schema.nodes import AnyValue, Field, List, Map, Node, Scalar, ScalarKind, Struct

_STRUCTS_IN_GO = (ScalarKind.TIME, ScalarKind.MICRO_TIME, ScalarKind.QUANTITY, ScalarKind.INT_OR_STRING)


def drops_zero(entry: Field) -> bool:
    """Whether Go omits a field with a zero value.

    `omitempty` omits false, 0, nil and empty strings, lists and maps, but never a struct. `omitzero` also
    omits a zero struct.
    """
    if entry.omitzero:
        return True
    if not entry.omitempty or entry.pointer or isinstance(entry.node, Struct | AnyValue):
        return False
    return not (isinstance(entry.node, Scalar) and entry.node.kind in _STRUCTS_IN_GO)


def without_empty(value: Any, node: Node) -> Any:
    """Returns a copy of a canonical value without empty lists and maps, as after encoding it as protobuf.

    Drops fields with `omitempty`; other empty lists and maps become None. Keeps fields that are not in the
    schema.
    """
    match node:
        case Struct() if isinstance(value, dict):
            fields = node.fields
            kept = {
                key: without_empty(item, fields[key].node) if key in fields else item
                for key, item in value.items()
            }
            return {
                key: item
                for key, item in kept.items()
                if item is not None or key not in fields or not drops_zero(fields[key])
            }
        case List():
            return [without_empty(item, node.items) for item in value] if value else None
        case Map():
            return {key: without_empty(item, node.values) for key, item in value.items()} if value else None
        case _:
            return value


def without_omitted_lists(value: Any, node: Node) -> Any:
    """Returns a copy of a value without empty lists in fields with `omitempty`, as Go's encoding/json.

    Other empty lists stay. Keeps fields that are not in the schema.
    """
    match node:
        case Struct() if isinstance(value, dict):
            fields = node.fields
            return {
                key: without_omitted_lists(item, fields[key].node) if key in fields else item
                for key, item in value.items()
                if item != [] or key not in fields or not drops_zero(fields[key])
            }
        case List() if isinstance(value, list):
            return [without_omitted_lists(item, node.items) for item in value]
        case Map() if isinstance(value, dict):
            return {key: without_omitted_lists(item, node.values) for key, item in value.items()}
        case _:
            return value
