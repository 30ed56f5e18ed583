"""Formats schemas for errors: as the JSON of Kubernetes' internal API version.

Follows JSONSchemaProps of k8s.io/apiextensions-apiserver `pkg/apis/apiextensions`, whose fields have no JSON
tags.
"""

from collections.abc import Mapping
from typing import Any

from fakeapi.machinery.json_types import Object
from fakeapi.machinery.structural.results import as_json
from fakeapi.machinery.structural.schema import ExternalDocs, Schema

MEMBERS = {
    "ID": "id",
    "Schema": "schema_url",
    "Ref": "ref",
    "Description": "description",
    "Type": "type",
    "Nullable": "nullable",
    "Format": "format",
    "Title": "title",
    "Default": "default",
    "Maximum": "maximum",
    "ExclusiveMaximum": "exclusive_maximum",
    "Minimum": "minimum",
    "ExclusiveMinimum": "exclusive_minimum",
    "MaxLength": "max_length",
    "MinLength": "min_length",
    "Pattern": "pattern",
    "MaxItems": "max_items",
    "MinItems": "min_items",
    "UniqueItems": "unique_items",
    "MultipleOf": "multiple_of",
    "Enum": "enum",
    "MaxProperties": "max_properties",
    "MinProperties": "min_properties",
    "Required": "required",
    "Items": "items",
    "AllOf": "all_of",
    "OneOf": "one_of",
    "AnyOf": "any_of",
    "Not": "not_",
    "Properties": "properties",
    "AdditionalProperties": "additional_properties",
    "PatternProperties": "pattern_properties",
    "Dependencies": "dependencies",
    "AdditionalItems": "additional_items",
    "Definitions": "definitions",
    "ExternalDocs": "external_docs",
    "Example": "example",
    "XPreserveUnknownFields": "preserve_unknown_fields",
    "XEmbeddedResource": "embedded_resource",
    "XIntOrString": "int_or_string",
    "XListMapKeys": "list_map_keys",
    "XListType": "list_type",
    "XMapType": "map_type",
    "XValidations": "validations",
}
"""Go field -> attribute of `Schema`, in the order of the Go struct."""

RULE_MEMBERS = {
    "Rule": "rule",
    "Message": "message",
    "MessageExpression": "messageExpression",
    "Reason": "reason",
    "FieldPath": "fieldPath",
    "OptionalOldSelf": "optionalOldSelf",
}
_POINTERS = ("Reason", "OptionalOldSelf")
_EITHER = ("AdditionalProperties", "AdditionalItems")


def internal_json(schema: Schema) -> str:
    """Formats a schema like Go's json.Marshal formats JSONSchemaProps of the internal version."""
    members = (f'"{go}":{_member(go, getattr(schema, name))}' for go, name in MEMBERS.items())
    return "{" + ",".join(members) + "}"


def items_json(items: Schema | tuple[Schema, ...]) -> str:
    """Formats `items` of a schema like Go's json.Marshal formats the internal JSONSchemaPropsOrArray."""
    several = f"[{','.join(map(internal_json, items))}]" if isinstance(items, tuple) else "null"
    alone = internal_json(items) if isinstance(items, Schema) else "null"
    return f'{{"Schema":{alone},"JSONSchemas":{several}}}'


def _member(go: str, value: Any) -> str:
    if go == "Items" and value is not None:
        return items_json(value)
    if go in _EITHER and value is not None:
        below = internal_json(value) if isinstance(value, Schema) else "null"
        return f'{{"Allows":{as_json(value is not False)},"Schema":{below}}}'
    match value:
        case Schema():
            return internal_json(value)
        case ExternalDocs():
            return f'{{"Description":{as_json(value.description)},"URL":{as_json(value.url)}}}'
        case () | Mapping() if not value and go not in ("Default", "Example"):
            return "null"
        case tuple():
            return "[" + ",".join(_item(go, item) for item in value) + "]"
        case Mapping() if go in ("Properties", "PatternProperties", "Definitions"):
            return (
                "{"
                + ",".join(f"{as_json(name)}:{internal_json(value[name])}" for name in sorted(value))
                + "}"
            )
        case Mapping() if go == "Dependencies":
            return (
                "{" + ",".join(f"{as_json(name)}:{_dependency(value[name])}" for name in sorted(value)) + "}"
            )
        case _:
            return as_json(value)


def _item(go: str, item: Any) -> str:
    if isinstance(item, Schema):
        return internal_json(item)
    return _rule(item) if go == "XValidations" else as_json(item)


def _dependency(value: Schema | tuple[str, ...]) -> str:
    if isinstance(value, Schema):
        return f'{{"Schema":{internal_json(value)},"Property":null}}'
    return f'{{"Schema":null,"Property":{as_json(list(value))}}}'


def _rule(rule: Object) -> str:
    texts = (
        f'"{go}":{as_json(rule.get(name, None if go in _POINTERS else ""))}'
        for go, name in RULE_MEMBERS.items()
    )
    return "{" + ",".join(texts) + "}"
