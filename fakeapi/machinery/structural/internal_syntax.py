"""Formats schemas for errors of older releases: in Go syntax (`%#v`).

Follows JSONSchemaProps of k8s.io/apiextensions-apiserver `pkg/apis/apiextensions`. All pointers have the text
`ADDRESS`, because in Go addresses differ each time.
"""

from collections.abc import Mapping
from typing import Any

from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.structural.internal_form import MEMBERS, RULE_MEMBERS
from fakeapi.machinery.structural.schema import Schema

ADDRESS = "0xc000000000"

_PACKAGE = "apiextensions"
_TEXTS = frozenset(("ID", "Schema", "Description", "Type", "Format", "Title", "Pattern"))
_TRUTHS = frozenset((
    "Nullable", "ExclusiveMaximum", "ExclusiveMinimum", "UniqueItems", "XEmbeddedResource", "XIntOrString"
))  # fmt: skip
_POINTERS = {
    "Ref": "string",
    "Default": f"{_PACKAGE}.JSON",
    "Maximum": "float64",
    "Minimum": "float64",
    "MaxLength": "int64",
    "MinLength": "int64",
    "MaxItems": "int64",
    "MinItems": "int64",
    "MultipleOf": "float64",
    "MaxProperties": "int64",
    "MinProperties": "int64",
    "Items": f"{_PACKAGE}.JSONSchemaPropsOrArray",
    "Not": f"{_PACKAGE}.JSONSchemaProps",
    "AdditionalProperties": f"{_PACKAGE}.JSONSchemaPropsOrBool",
    "AdditionalItems": f"{_PACKAGE}.JSONSchemaPropsOrBool",
    "ExternalDocs": f"{_PACKAGE}.ExternalDocumentation",
    "Example": f"{_PACKAGE}.JSON",
    "XPreserveUnknownFields": "bool",
    "XListType": "string",
    "XMapType": "string",
}
"""Go types of the pointer fields of JSONSchemaProps, by field name."""
_COLLECTIONS = {
    "Enum": f"[]{_PACKAGE}.JSON",
    "Required": "[]string",
    "AllOf": f"[]{_PACKAGE}.JSONSchemaProps",
    "OneOf": f"[]{_PACKAGE}.JSONSchemaProps",
    "AnyOf": f"[]{_PACKAGE}.JSONSchemaProps",
    "Properties": f"map[string]{_PACKAGE}.JSONSchemaProps",
    "PatternProperties": f"map[string]{_PACKAGE}.JSONSchemaProps",
    "Dependencies": f"{_PACKAGE}.JSONSchemaDependencies",
    "Definitions": f"{_PACKAGE}.JSONSchemaDefinitions",
    "XListMapKeys": "[]string",
    "XValidations": f"{_PACKAGE}.ValidationRules",
}
"""Go types of the slice and map fields of JSONSchemaProps, by field name."""


def internal_syntax(schema: Schema) -> str:
    """Formats a schema like Go's `%#v` formats JSONSchemaProps of the internal version."""
    members = (f"{go}:{_member(go, getattr(schema, name))}" for go, name in MEMBERS.items())
    return f"{_PACKAGE}.JSONSchemaProps{{{', '.join(members)}}}"


def items_syntax(items: Schema | tuple[Schema, ...]) -> str:
    """Formats `items` of a schema like Go's `%#v` formats the internal JSONSchemaPropsOrArray."""
    alone = _pointer(f"{_PACKAGE}.JSONSchemaProps", is_set=isinstance(items, Schema))
    several = _collection("AllOf", items if isinstance(items, tuple) else None)
    return f"{_PACKAGE}.JSONSchemaPropsOrArray{{Schema:{alone}, JSONSchemas:{several}}}"


def _member(go: str, value: Any) -> str:
    if go in _TEXTS:
        return quote(value or "")
    if go in _TRUTHS:
        return "true" if value else "false"
    if go in _POINTERS:
        return _pointer(_POINTERS[go], is_set=value is not None)
    return _collection(go, value)


def _pointer(of: str, *, is_set: bool) -> str:
    return f"(*{of})({ADDRESS if is_set else 'nil'})"


def _collection(go: str, value: Any) -> str:
    if not value:
        return f"{_COLLECTIONS[go]}(nil)"
    if isinstance(value, Mapping):
        items = ", ".join(f"{quote(name)}:{_item(value[name])}" for name in sorted(value))
    else:
        items = ", ".join(map(_item, value))
    return f"{_COLLECTIONS[go]}{{{items}}}"


def _item(item: Any) -> str:
    match item:
        case Schema():
            return internal_syntax(item)
        case Mapping():
            return _rule(item)
        case str():
            return quote(item)
        case _:
            return ADDRESS


def _rule(rule: Mapping[str, Any]) -> str:
    pointers = {"Reason": f"{_PACKAGE}.FieldValueErrorReason", "OptionalOldSelf": "bool"}
    members = (
        f"{go}:{_pointer(pointers[go], is_set=rule.get(name) is not None)}"
        if go in pointers
        else f"{go}:{quote(rule.get(name) or '')}"
        for go, name in RULE_MEMBERS.items()
    )
    return f"{_PACKAGE}.ValidationRule{{{', '.join(members)}}}"
