"""Reads the OpenAPI v3 schema of a CustomResourceDefinition (JSONSchemaProps of apiextensions.k8s.io/v1)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from fakeapi.machinery.codec import value_of
from fakeapi.machinery.golang.numbers import INT64_MAX, INT64_MIN
from fakeapi.machinery.json_types import Object

DEPTH_MAX = 64
"""Levels of schemas within schemas that `parse_schema` reads; it refuses a deeper one, so that every walk of
a schema stays within Python's stack."""


class SchemaTooDeep(ValueError):
    """A schema of more than DEPTH_MAX levels."""


@dataclass(frozen=True, slots=True)
class ExternalDocs:
    description: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """One node of a schema. Never changed: `dataclasses.replace` makes another.

    A member that is not set has the value here. `default` and `example` None: there is none, as an explicit
    null means the same. `additional_properties` and `additional_items` are a schema, true, false or None
    where they are not set; `items` is a tuple of schemas where it was written as a list, which no definition
    may. Numbers in `default`, `enum` and `example` are what Go reads into an interface: an int within 64
    bits, else a float.
    """

    # What the value is
    type: str = ""
    nullable: bool = False
    default: Any = None
    properties: Mapping[str, "Schema"] = field(default_factory=dict)
    additional_properties: "Schema | bool | None" = None
    items: "Schema | tuple[Schema, ...] | None" = None

    # What it may be
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
    """The rules of x-kubernetes-validations as they are written: rule, message, messageExpression, reason,
    fieldPath, optionalOldSelf."""

    # What is written about it
    title: str = ""
    description: str = ""
    external_docs: ExternalDocs | None = None
    example: Any = None

    # What no structural schema may have
    id: str = ""
    schema_url: str = ""
    ref: str | None = None
    pattern_properties: Mapping[str, "Schema"] = field(default_factory=dict)
    definitions: Mapping[str, "Schema"] = field(default_factory=dict)
    dependencies: "Mapping[str, Schema | tuple[str, ...]]" = field(default_factory=dict)
    additional_items: "Schema | bool | None" = None

    walks: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    """Cache of functions derived from the node, kept here so that they are freed with it."""


EMPTY = Schema()

_Several: TypeAlias = "Schema | tuple[Schema, ...] | None"


def parse_schema(props: Object, depth: int = DEPTH_MAX) -> Schema:
    """The schema that `props`, canonical JSONSchemaProps, describes. Raises SchemaTooDeep.

    `props` must fit its type, as decoding a CustomResourceDefinition makes sure: nothing is checked here.
    """
    if depth <= 0:
        raise SchemaTooDeep(f"a schema may have at most {DEPTH_MAX} levels")
    below = depth - 1
    not_ = props.get("not")
    return Schema(
        type=props.get("type") or "",
        nullable=bool(props.get("nullable")),
        default=go_value(props.get("default")),
        properties=_by_name(props.get("properties"), below),
        additional_properties=_or_bool(props.get("additionalProperties"), below),
        items=_or_list(props.get("items"), below),
        format=props.get("format") or "",
        enum=tuple(go_value(value) for value in props.get("enum") or ()),
        pattern=props.get("pattern") or "",
        max_length=props.get("maxLength"),
        min_length=props.get("minLength"),
        maximum=_float(props.get("maximum")),
        exclusive_maximum=bool(props.get("exclusiveMaximum")),
        minimum=_float(props.get("minimum")),
        exclusive_minimum=bool(props.get("exclusiveMinimum")),
        multiple_of=_float(props.get("multipleOf")),
        max_items=props.get("maxItems"),
        min_items=props.get("minItems"),
        unique_items=bool(props.get("uniqueItems")),
        max_properties=props.get("maxProperties"),
        min_properties=props.get("minProperties"),
        required=tuple(props.get("required") or ()),
        all_of=_each(props.get("allOf"), below),
        any_of=_each(props.get("anyOf"), below),
        one_of=_each(props.get("oneOf"), below),
        not_=None if not_ is None else parse_schema(not_, below),
        preserve_unknown_fields=props.get("x-kubernetes-preserve-unknown-fields"),
        embedded_resource=bool(props.get("x-kubernetes-embedded-resource")),
        int_or_string=bool(props.get("x-kubernetes-int-or-string")),
        list_map_keys=tuple(props.get("x-kubernetes-list-map-keys") or ()),
        list_type=props.get("x-kubernetes-list-type"),
        map_type=props.get("x-kubernetes-map-type"),
        validations=tuple(props.get("x-kubernetes-validations") or ()),
        title=props.get("title") or "",
        description=props.get("description") or "",
        external_docs=_docs(props.get("externalDocs")),
        example=go_value(props.get("example")),
        id=props.get("id") or "",
        schema_url=props.get("$schema") or "",
        ref=props.get("$ref"),
        pattern_properties=_by_name(props.get("patternProperties"), below),
        definitions=_by_name(props.get("definitions"), below),
        dependencies={
            name: tuple(one) if isinstance(one, list) else parse_schema(one or {}, below)
            for name, one in _members(props.get("dependencies"))
        },
        additional_items=_or_bool(props.get("additionalItems"), below),
    )


def go_value(value: Any) -> Any:
    """A JSON value as Go reads it into an interface: integers beyond 64 bits become floats. A copy."""
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
    """A deep copy of a JSON value."""
    match value:
        case dict():
            return {key: copied(item) for key, item in value.items()}
        case list():
            return [copied(item) for item in value]
        case _:
            return value


def _float(value: Any) -> float | None:
    return None if value is None else float(value)


def _members(value: Any) -> list[tuple[str, Any]]:
    return [(name, value_of(one)) for name, one in (value_of(value) or {}).items()]


def _by_name(value: Any, depth: int) -> dict[str, Schema]:
    return {name: parse_schema(one or {}, depth) for name, one in _members(value)}


def _each(value: Any, depth: int) -> tuple[Schema, ...]:
    return tuple(parse_schema(value_of(one) or {}, depth) for one in value or ())


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


def _docs(value: Any) -> ExternalDocs | None:
    return None if value is None else ExternalDocs(value.get("description", ""), value.get("url", ""))
