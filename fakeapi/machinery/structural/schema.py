"""Parses the OpenAPI v3 schema of a CustomResourceDefinition: JSONSchemaProps of apiextensions.k8s.io/v1."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import msgspec

from fakeapi.machinery.codec import value_of
from fakeapi.machinery.golang.numbers import INT64_MAX, INT64_MIN
from fakeapi.machinery.json_types import Object

DEPTH_MAX = 64
"""Maximum number of levels of a schema.

The limit is needed because functions recurse once for each level, and Python's stack is limited.
"""


class SchemaTooDeep(ValueError):
    """Raised if a schema has more than DEPTH_MAX levels."""


class ExternalDocs(msgspec.Struct, frozen=True):
    description: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """A node of an OpenAPI schema; immutable: `dataclasses.replace` returns a changed copy.

    Unset members have the default values of this class. Numbers in `default`, `enum` and `example` are ints
    within the range of int64, otherwise floats, as in Go's `interface{}`.

    - `default`, `example`: None if unset or null.
    - `additional_properties`, `additional_items`: a schema, True or False; None if unset.
    - `items`: a schema, or a tuple of schemas; None if unset. CustomResourceDefinitions must not have a list
      of schemas here.
    """

    # Type and members
    type: str = ""
    nullable: bool = False
    default: Any = None
    properties: Mapping[str, "Schema"] = field(default_factory=dict)
    additional_properties: "Schema | bool | None" = None
    items: "Schema | tuple[Schema, ...] | None" = None

    # Limits on values
    format: str = ""
    enum: tuple[Any, ...] = ()
    pattern: str = ""
    max_length: int | None = None
    min_length: int | None = None
    maximum: float | None = None
    exclusive_maximum: bool = False
    minimum: float | None = None
    exclusive_minimum: bool = False
    multiple_of: float | None = None
    max_items: int | None = None
    min_items: int | None = None
    unique_items: bool = False
    max_properties: int | None = None
    min_properties: int | None = None
    required: tuple[str, ...] = ()
    all_of: "tuple[Schema, ...]" = ()
    any_of: "tuple[Schema, ...]" = ()
    one_of: "tuple[Schema, ...]" = ()
    not_: "Schema | None" = None

    # x-kubernetes-...
    preserve_unknown_fields: bool | None = None
    embedded_resource: bool = False
    int_or_string: bool = False
    list_map_keys: tuple[str, ...] = ()
    list_type: str | None = None
    map_type: str | None = None
    validations: tuple[Object, ...] = ()
    """The rules of x-kubernetes-validations, as JSON objects."""

    # Documentation
    title: str = ""
    description: str = ""
    external_docs: ExternalDocs | None = None
    example: Any = None

    # Members that no structural schema may have
    id: str = ""
    schema_url: str = ""
    ref: str | None = None
    pattern_properties: Mapping[str, "Schema"] = field(default_factory=dict)
    definitions: Mapping[str, "Schema"] = field(default_factory=dict)
    dependencies: "Mapping[str, Schema | tuple[str, ...]]" = field(default_factory=dict)
    additional_items: "Schema | bool | None" = None

    walks: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    """Cache of data derived from the schema node, stored here to be freed together with the node."""


EMPTY = Schema()

_Several: TypeAlias = "Schema | tuple[Schema, ...] | None"


def parse_schema(props: Object, depth: int = DEPTH_MAX) -> Schema:
    """Parses canonical JSONSchemaProps. Raises SchemaTooDeep if the schema has more than `depth` levels.

    `props` must have been decoded as part of a CustomResourceDefinition, because types are not checked here.
    `depth`: the maximum number of levels.
    """
    if depth <= 0:
        raise SchemaTooDeep(f"a schema may have at most {DEPTH_MAX} levels")
    below = depth - 1
    members: dict[str, Any] = {}
    for name, value in props.items():
        reader = _READERS.get(name)
        if reader is not None and value is not None:
            member, read = reader
            members[member] = read(value, below)
    return Schema(**members)


def go_value(value: Any) -> Any:
    """Copies a JSON value. Integers beyond int64 become floats, as in Go's decoding to `interface{}`."""
    value = value_of(value)
    match value:
        case dict():
            return {key: go_value(item) for key, item in value.items()}
        case list():
            return [go_value(item) for item in value]
        case bool():
            return value
        case int() if not INT64_MIN <= value <= INT64_MAX:
            return float(value)
        case _:
            return value


def copied(value: Any) -> Any:
    """Returns a deep copy of a JSON value."""
    match value:
        case dict():
            return {key: copied(item) for key, item in value.items()}
        case list():
            return [copied(item) for item in value]
        case _:
            return value


def _plain(value: Any, depth: int) -> Any:
    return value


def _text(value: Any, depth: int) -> str:
    return value or ""


def _flag(value: Any, depth: int) -> bool:
    return bool(value)


def _float(value: Any, depth: int) -> float:
    return float(value)


def _any(value: Any, depth: int) -> Any:
    return go_value(value)


def _anys(value: Any, depth: int) -> tuple[Any, ...]:
    return tuple(go_value(item) for item in value)


def _listed(value: Any, depth: int) -> tuple[Any, ...]:
    return tuple(value)


def _schema(value: Any, depth: int) -> Schema:
    return parse_schema(value, depth)


def _members(value: Any) -> list[tuple[str, Any]]:
    return [(name, value_of(one)) for name, one in (value_of(value) or {}).items()]


def _by_name(value: Any, depth: int) -> dict[str, Schema]:
    return {name: parse_schema(one or {}, depth) for name, one in _members(value)}


def _by_name_or_names(value: Any, depth: int) -> "dict[str, Schema | tuple[str, ...]]":
    return {
        name: tuple(one) if isinstance(one, list) else parse_schema(one or {}, depth)
        for name, one in _members(value)
    }


def _each(value: Any, depth: int) -> tuple[Schema, ...]:
    return tuple(parse_schema(value_of(one) or {}, depth) for one in value)


def _or_bool(value: Any, depth: int) -> Schema | bool | None:
    value = value_of(value)
    return parse_schema(value, depth) if isinstance(value, dict) else value


def _or_list(value: Any, depth: int) -> _Several:
    value = value_of(value)
    match value:
        case dict():
            return parse_schema(value, depth)
        case list():
            return _each(value, depth)
        case _:
            return None


def _docs(value: Any, depth: int) -> ExternalDocs:
    return ExternalDocs(value.get("description", ""), value.get("url", ""))


_READERS: dict[str, tuple[str, Callable[[Any, int], Any]]] = {
    "type": ("type", _text),
    "nullable": ("nullable", _flag),
    "default": ("default", _any),
    "properties": ("properties", _by_name),
    "additionalProperties": ("additional_properties", _or_bool),
    "items": ("items", _or_list),
    "format": ("format", _text),
    "enum": ("enum", _anys),
    "pattern": ("pattern", _text),
    "maxLength": ("max_length", _plain),
    "minLength": ("min_length", _plain),
    "maximum": ("maximum", _float),
    "exclusiveMaximum": ("exclusive_maximum", _flag),
    "minimum": ("minimum", _float),
    "exclusiveMinimum": ("exclusive_minimum", _flag),
    "multipleOf": ("multiple_of", _float),
    "maxItems": ("max_items", _plain),
    "minItems": ("min_items", _plain),
    "uniqueItems": ("unique_items", _flag),
    "maxProperties": ("max_properties", _plain),
    "minProperties": ("min_properties", _plain),
    "required": ("required", _listed),
    "allOf": ("all_of", _each),
    "anyOf": ("any_of", _each),
    "oneOf": ("one_of", _each),
    "not": ("not_", _schema),
    "x-kubernetes-preserve-unknown-fields": ("preserve_unknown_fields", _plain),
    "x-kubernetes-embedded-resource": ("embedded_resource", _flag),
    "x-kubernetes-int-or-string": ("int_or_string", _flag),
    "x-kubernetes-list-map-keys": ("list_map_keys", _listed),
    "x-kubernetes-list-type": ("list_type", _plain),
    "x-kubernetes-map-type": ("map_type", _plain),
    "x-kubernetes-validations": ("validations", _listed),
    "title": ("title", _text),
    "description": ("description", _text),
    "externalDocs": ("external_docs", _docs),
    "example": ("example", _any),
    "id": ("id", _text),
    "$schema": ("schema_url", _text),
    "$ref": ("ref", _plain),
    "patternProperties": ("pattern_properties", _by_name),
    "definitions": ("definitions", _by_name),
    "dependencies": ("dependencies", _by_name_or_names),
    "additionalItems": ("additional_items", _or_bool),
}
"""Member of JSONSchemaProps -> (attribute of Schema, function that parses the value).

The arguments of a function are the value and the maximum number of levels below the node.
"""
