"""Publishes the schema of a custom kind in OpenAPI v3 and v2.

Follows k8s.io/apiextensions-apiserver `pkg/controller/openapi/builder` and `pkg/controller/openapi/v2`, and
`pkg/apiserver/schema` (Unfold, ToKubeOpenAPI).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from fakeapi.machinery.golang.numbers import rewritten
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.structural.definition_walk import TYPES
from fakeapi.machinery.structural.pruning import TYPE_AND_META, one
from fakeapi.machinery.structural.rules import NEWEST, SchemaRules
from fakeapi.machinery.structural.schema import ExternalDocs, Schema
from fakeapi.machinery.structural.structurality import (
    INT_OR_STRING,
    conversion_error,
    is_int_or_string,
    structural_errors,
)

_PLAIN = {
    "description": "description",
    "type": "type",
    "nullable": "nullable",
    "title": "title",
    "format": "format",
    "maximum": "maximum",
    "exclusive_maximum": "exclusiveMaximum",
    "minimum": "minimum",
    "exclusive_minimum": "exclusiveMinimum",
    "max_length": "maxLength",
    "min_length": "minLength",
    "pattern": "pattern",
    "max_items": "maxItems",
    "min_items": "minItems",
    "unique_items": "uniqueItems",
    "multiple_of": "multipleOf",
    "max_properties": "maxProperties",
    "min_properties": "minProperties",
    "embedded_resource": "x-kubernetes-embedded-resource",
    "int_or_string": "x-kubernetes-int-or-string",
    "preserve_unknown_fields": "x-kubernetes-preserve-unknown-fields",
    "list_type": "x-kubernetes-list-type",
    "map_type": "x-kubernetes-map-type",
}
_LISTS = {
    "required": "required",
    "enum": "enum",
    "list_map_keys": "x-kubernetes-list-map-keys",
    "validations": "x-kubernetes-validations",
}
_JUNCTORS = {"all_of": "allOf", "any_of": "anyOf", "one_of": "oneOf"}
_GROUP_VERSION_KIND = "x-kubernetes-group-version-kind"
_SELECTABLE_FIELDS = "x-kubernetes-selectable-fields"


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """The data for publishing the schema of a custom kind, except the schema itself.

    - `resource_members`: the schemas of apiVersion, kind and metadata of whole objects.
    - `embedded_members`: the schemas of apiVersion, kind and metadata of embedded resources.
    - `is_v2`: whether to publish for OpenAPI v2; otherwise for v3.
    - `preserves_unknown_fields`: the field preserveUnknownFields of the CustomResourceDefinition.
    - `selectable_fields`: the JSON paths of selectable fields.
    """

    group: str
    version: str
    kind: str
    resource_members: Mapping[str, Object]
    embedded_members: Mapping[str, Object]
    is_v2: bool = False
    preserves_unknown_fields: bool = False
    selectable_fields: tuple[str, ...] = ()
    rules: SchemaRules = NEWEST


def model_name(group: str, version: str, kind: str) -> str:
    """Returns the name of a kind's schema in OpenAPI: `com.example.stable.v1.CronTab`."""
    return ".".join([*reversed(group.split(".")), version, kind])


def published_schema(schema: Schema | None, publication: Publication) -> Object:
    """Returns the OpenAPI schema of a custom kind.

    If `schema` is None or not structural, returns only `type: object` and x-kubernetes extensions. A schema
    whose root preserves unknown fields gives the same result in OpenAPI v2.
    """
    if schema is not None and not _is_published(schema, publication.rules):
        schema = None
    preserves = schema is not None and bool(
        schema.preserve_unknown_fields or publication.preserves_unknown_fields
    )
    if schema is None or (publication.is_v2 and preserves):
        published: Object = {"type": "object"}
    else:
        unfolded = _unfolded(schema, publication.rules)
        unfolded = _for_v2(unfolded) if publication.is_v2 else unfolded
        published = _as_openapi(unfolded, publication)
        members = published.get("properties", {}) | dict(publication.resource_members)
        published["properties"] = {name: members[name] for name in sorted(members)}
    return published | extensions(publication, publication.kind)


def extensions(publication: Publication, kind: str) -> Object:
    """Returns the x-kubernetes extensions of the OpenAPI schema of a kind, or of its list kind."""
    mark = {"group": publication.group, "kind": kind, "version": publication.version}
    members: Object = {_GROUP_VERSION_KIND: [mark]}
    if publication.selectable_fields:
        paths = [{"fieldPath": path.removeprefix(".")} for path in publication.selectable_fields]
        members[_SELECTABLE_FIELDS] = paths
    return members


def _is_published(schema: Schema, rules: SchemaRules) -> bool:
    return (
        all(node.type in ("", *TYPES) for node in _all_nodes(schema))
        and not conversion_error(schema)
        and not structural_errors(schema, "", rules)
    )


def _all_nodes(schema: Schema) -> Iterable[Schema]:
    yield schema
    below = (one(schema.items), one(schema.additional_properties), schema.not_)
    branches = (*schema.all_of, *schema.any_of, *schema.one_of, *schema.properties.values())
    for inner in (*below, *branches):
        if inner is not None:
            yield from _all_nodes(inner)


def _mapped(schema: Schema, rules: SchemaRules) -> Schema:
    """Expands x-kubernetes-int-or-string in all schemas within a schema; returns the new schema.

    Looks into properties, items and additionalProperties.
    """
    items, others = one(schema.items), one(schema.additional_properties)
    return replace(
        schema,
        properties={name: _unfolded(below, rules) for name, below in schema.properties.items()},
        items=schema.items if items is None else _unfolded(items, rules),
        additional_properties=schema.additional_properties if others is None else _unfolded(others, rules),
    )


def _unfolded(schema: Schema, rules: SchemaRules) -> Schema:
    """Expands x-kubernetes-int-or-string to anyOf in a schema and in all schemas within the schema.

    Returns the new schema. Looks into properties, items and additionalProperties.
    """
    schema = _mapped(schema, rules)
    if not schema.int_or_string or is_int_or_string(schema.any_of, rules):
        return schema
    if schema.all_of and is_int_or_string(schema.all_of[0].any_of, rules):
        return schema
    if not schema.any_of:
        return replace(schema, any_of=INT_OR_STRING)
    return replace(schema, all_of=(Schema(any_of=INT_OR_STRING), *schema.all_of))


def _for_v2(schema: Schema) -> Schema:
    """Reduces a schema to the features that OpenAPI v2 and kubectl support.

    Removes anyOf, allOf, oneOf and not. A nullable schema loses its type, items and properties. A schema that
    preserves unknown fields loses its items and properties.
    """
    schema = replace(schema, all_of=(), any_of=(), one_of=(), not_=None)
    if schema.nullable:
        schema = replace(schema, type="", nullable=False, items=None, properties={})
    if schema.preserve_unknown_fields:
        kept = "" if schema.type == "object" else schema.type
        schema = replace(schema, type=kept, items=None, properties={})
    if schema.items is None and schema.type == "array":
        schema = replace(schema, type="")
    items, others = one(schema.items), one(schema.additional_properties)
    required = tuple(
        name
        for name in schema.required
        if name not in schema.properties or not schema.properties[name].nullable
    )
    if others is not None and others.nullable:
        required = ()
    return replace(
        schema,
        required=required,
        properties={name: _for_v2(below) for name, below in schema.properties.items()},
        items=schema.items if items is None else _for_v2(items),
        additional_properties=schema.additional_properties if others is None else _for_v2(others),
    )


def _as_openapi(schema: Schema, publication: Publication) -> Object:
    plain = {to: getattr(schema, name) for name, to in _PLAIN.items()}
    published: Object = {
        to: rewritten(value) for to, value in plain.items() if value not in ("", None) and value is not False
    }
    if schema.default is not None:
        published["default"] = rewritten(schema.default)
    published |= {
        to: rewritten(list(value)) for name, to in _LISTS.items() if (value := getattr(schema, name))
    }
    for name, to in _JUNCTORS.items():
        branches = getattr(schema, name)
        if branches:
            published[to] = [_branch(branch, publication) for branch in branches]
    if schema.not_ is not None:
        published["not"] = _branch(schema.not_, publication)
    items, others = one(schema.items), schema.additional_properties
    if items is not None:
        published["items"] = _as_openapi(items, publication)
    if others is not None:
        published["additionalProperties"] = (
            _as_openapi(others, publication) if isinstance(others, Schema) else others
        )
    if schema.properties:
        published["properties"] = {
            name: _as_openapi(schema.properties[name], publication) for name in sorted(schema.properties)
        }
    if publication.rules.documents_are_structural:
        published |= _documents(schema.external_docs, schema.example)
    if schema.embedded_resource and not (publication.is_v2 and schema.preserve_unknown_fields):
        _embed(published, publication)
    return published


def _branch(schema: Schema, publication: Publication) -> Object:
    return _as_openapi(replace(schema, additional_properties=None), publication)


def _documents(docs: ExternalDocs | None, example: Any) -> Object:
    members: Object = {}
    if docs is not None:
        texts = {"description": docs.description, "url": docs.url}
        members["externalDocs"] = {name: text for name, text in texts.items() if text}
    if example is not None:
        members["example"] = rewritten(example)
    return members


def _embed(published: Object, publication: Publication) -> None:
    """Adds apiVersion, kind and metadata to the OpenAPI schema of an embedded resource, in place."""
    members = published.get("properties", {}) | dict(publication.embedded_members)
    published["properties"] = {name: members[name] for name in sorted(members)}
    required = published.get("required", [])
    missing = [name for name in reversed(TYPE_AND_META[:2]) if name not in required]
    published["required"] = [*required, *missing]
