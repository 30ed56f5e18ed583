"""Formats values of kube-apiserver's internal ("unversioned") Go types as JSON, for errors from 1.34 on.

Internal types have no JSON tags: each field has its Go name in JSON, and is present even if not set. Internal
types have the fields of the newest API version in the same order, so the schema of that version describes
them. Follows `Error.ErrorBody` of k8s.io/apimachinery `pkg/util/validation/field` and k8s.io/kubernetes
`pkg/apis/resource/types.go`.
"""

from typing import Any

from fakeapi.machinery import codec
from fakeapi.machinery.golang.json_encoding import go_encode
from fakeapi.machinery.schema.empty_values import without_empty
from fakeapi.machinery.schema.go_names import go_name
from fakeapi.machinery.schema.nodes import AnyValue, Field, List, Map, Node, Scalar, ScalarKind, Struct

_TAGGED = frozenset(("v1.ObjectMeta", "v1.Condition", "v1.LabelSelector"))
"""Types of k8s.io/apimachinery without an internal version. Their JSON tags omit empty lists."""

_TYPE = frozenset(("kind", "apiVersion"))
"""Fields of objects that are empty in the internal version, and omitted."""

_ZERO = {
    ScalarKind.STRING: "",
    ScalarKind.INTEGER: 0,
    ScalarKind.BOOLEAN: False,
    ScalarKind.QUANTITY: "0",
    ScalarKind.INT_OR_STRING: 0,
}


def unversioned_json(value: Any, node: Node) -> str:
    """Formats a canonical value with the schema `node` like Go's json.Marshal formats its internal type."""
    return go_encode(_unversioned(value, node)).decode()


def _unversioned(value: Any, node: Node) -> Any:
    match node:
        case Struct(go_type=go_type) if go_type in _TAGGED:
            in_order = {name: value[name] for name in node.fields if name in value}
            return without_empty(in_order | value, node)
        case Struct():
            return _members(value, node)
        case List(items=items):
            return [_unversioned(item, items) for item in value]
        case Map(values=values):
            return {key: _unversioned(item, values) for key, item in sorted(value.items())}
        case AnyValue():
            return codec.RawJson(codec.compact(codec.encode(value)), None)
        case _:
            return value


def _members(value: dict[str, Any], struct: Struct) -> dict[str, Any]:
    members: dict[str, Any] = {}
    is_object = "metadata" in struct.fields
    for name, field in struct.fields.items():
        if name == "metadata":  # Go embeds ObjectMeta in the struct.
            members |= _unversioned(value.get(name, {}), field.node)
        elif not (is_object and name in _TYPE):
            members[go_name(name, struct)] = _member(value.get(name), field)
    return members


def _member(value: Any, field: Field) -> Any:
    if value is not None:
        return _unversioned(value, field.node)
    if field.pointer:
        return None
    match field.node:
        case Scalar(kind=kind):
            return _ZERO.get(kind)
        case Struct() as struct:
            return _members({}, struct)
        case _:
            return None
