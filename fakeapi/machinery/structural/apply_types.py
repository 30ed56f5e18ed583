"""Creates the types of custom objects for server-side apply, merge patches and field sets.

Follows k8s.io/kube-openapi `pkg/schemaconv`, applied to the schema that k8s.io/apiextensions-apiserver
`pkg/controller/openapi/builder` publishes for a kind, without validations.
"""

from dataclasses import dataclass, replace
from functools import cache

from fakeapi.machinery.schema.nodes import (
    AnyValue,
    Field,
    List,
    ListType,
    Map,
    Node,
    Scalar,
    ScalarKind,
    Struct,
    Untyped,
)
from fakeapi.machinery.structural.pruning import TYPE_AND_META, one
from fakeapi.machinery.structural.schema import Schema

_ANY = "interface {}"
_OBJECT, _LIST = "map[string]interface {}", "[]interface {}"
_STRING = Scalar(ScalarKind.STRING, "string")
_ANY_SCALAR = Scalar(ScalarKind.INT_OR_STRING, "string")
_STRING_FORMATS = frozenset(("", "byte"))
"""The formats with which a string must be a string in server-side apply; others permit any scalar.

Follows convertPrimitive of k8s.io/kube-openapi `pkg/schemaconv`.
"""
_SCALARS = {
    "string": _STRING,
    "integer": Scalar(ScalarKind.NUMBER, "float64"),
    "number": Scalar(ScalarKind.NUMBER, "float64"),
    "boolean": Scalar(ScalarKind.BOOLEAN, "bool"),
}
_LIST_TYPES = {"set": ListType.SET, "map": ListType.MAP}


@cache
def _deduced_shapes() -> tuple[Map, List]:
    return Map(DEDUCED, _OBJECT), List(AnyValue(_ANY), _LIST)


DEDUCED = Untyped(_ANY, shapes=_deduced_shapes)
"""The type of a value without a schema.

Each member of an object has its own field owners. Lists are atomic.
"""


def apply_type(
    schema: Schema | None,
    object_meta: Struct,
    *,
    preserves_unknown_fields: bool = False,
    keys_may_be_absent: bool = False,
) -> Struct:
    """Returns the type of the objects of a custom kind, for server-side apply.

    - `schema`: the schema of the kind. With None, the types of all fields are deduced from their values.
    - `object_meta`: the schema node of ObjectMeta in the release.
    - `preserves_unknown_fields`: the field preserveUnknownFields of the CustomResourceDefinition.
    - `keys_may_be_absent`: whether the items of a list map may omit keys without a default, if they have at
      least one key.
    """
    if schema is None:
        return Struct(_OBJECT, {}, others=DEDUCED)
    context = _Context(object_meta, keys_may_be_absent, preserves_unknown_fields).within(schema)
    return _struct(replace(schema, embedded_resource=True), context)


@dataclass(frozen=True, slots=True)
class _Context:
    """Settings for the conversion of a schema node.

    `preserves`: whether the schema, or an enclosing schema, preserves unknown fields.
    """

    object_meta: Struct
    keys_may_be_absent: bool
    preserves: bool

    def within(self, schema: Schema) -> "_Context":
        return replace(self, preserves=True) if schema.preserve_unknown_fields else self


def _type_of(schema: Schema, context: _Context) -> Node:
    context = context.within(schema)
    match schema.type:
        case "object":
            return _object(schema, context)
        case "array":
            return _list(schema, context)
        case "":
            shapes = _object(schema, context), _list(schema, context)
            return Untyped(_ANY, shapes=lambda: shapes)
        case "string" if schema.format not in _STRING_FORMATS:
            return _ANY_SCALAR
        case _:
            return _SCALARS[schema.type]


def _object(schema: Schema, context: _Context) -> Struct | Map:
    if schema.properties or schema.embedded_resource:
        return _struct(schema, context)
    others = _others(schema, context)
    if others is None:
        return Struct(_OBJECT, {}, atomic=schema.map_type == "atomic")
    return Map(others, _OBJECT, atomic=schema.map_type == "atomic")


def _struct(schema: Schema, context: _Context) -> Struct:
    fields = {
        name: Field(name, _type_of(below, context), default=below.default)
        for name, below in schema.properties.items()
        if not (schema.embedded_resource and name in TYPE_AND_META)
    }
    if schema.embedded_resource:
        fields["apiVersion"] = Field("apiVersion", _STRING)
        fields["kind"] = Field("kind", _STRING)
        fields["metadata"] = Field("metadata", context.object_meta)
    others = None
    if schema.additional_properties is not None or context.preserves:
        others = _others(schema, context)
    return Struct(_OBJECT, fields, atomic=schema.map_type == "atomic", others=others)


def _others(schema: Schema, context: _Context) -> Node | None:
    others = schema.additional_properties
    if isinstance(others, Schema):
        return _type_of(others, context)
    return None if others is False else DEDUCED


def _list(schema: Schema, context: _Context) -> List:
    items = one(schema.items)
    node = AnyValue(_ANY) if items is None else _type_of(items, context)
    list_type = _LIST_TYPES.get(schema.list_type or "", ListType.ATOMIC)
    keys = schema.list_map_keys if list_type is ListType.MAP else ()
    properties = items.properties if items is not None else {}
    defaults = tuple(
        (key, properties[key].default)
        for key in keys
        if key in properties and properties[key].default is not None
    )
    return List(
        node,
        _LIST,
        list_type=list_type,
        keys=keys,
        key_defaults=defaults,
        keys_may_be_absent=context.keys_may_be_absent,
    )
