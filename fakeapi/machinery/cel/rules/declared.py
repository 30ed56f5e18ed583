"""Derives CEL types from schemas, with limits on the size of values.

Follows SchemaDeclType of k8s.io/apiserver `pkg/cel/common/schemas.go` and `pkg/cel/types.go`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from fakeapi.machinery.cel.environment import Extent, Fields
from fakeapi.machinery.cel.rules.escaping import KEYWORDS, escaped
from fakeapi.machinery.cel.rules.settings import RuleSettings
from fakeapi.machinery.cel.types import (
    BOOL,
    BYTES,
    DOUBLE,
    DURATION,
    DYN,
    INT,
    STRING,
    TIMESTAMP,
    Type,
    list_of,
    map_of,
)
from fakeapi.machinery.structural.schema import Schema
from fakeapi.machinery.structural.subtrees import anywhere

REQUEST_MAX = 3 * 1024 * 1024
"""Maximum size of a request in bytes. Bounds the size of values if their schema sets no limit."""

_STRING = 2
"""Size of an empty string, list or object in bytes of JSON."""

_NAME_MAX = 253


has_rules = anywhere(lambda schema: bool(schema.validations))
"""Whether a schema, or a structural child of it at any depth, has x-kubernetes-validations."""


@dataclass(frozen=True, slots=True)
class Declared:
    """The CEL type of a schema's values, with limits on their size.

    `least`: the size of the smallest value in bytes of JSON.
    `most`: the maximum size of a value: bytes of a string, elements of a list, entries of a map.
    """

    type: Type
    least: int
    most: int = 0
    fields: "Mapping[str, Declared]" = field(default_factory=dict)
    key: "Declared | None" = None
    element: "Declared | None" = None

    def extent(self) -> Extent:
        return Extent(
            self.most,
            {name: field_type.extent() for name, field_type in self.fields.items()},
            None if self.key is None else self.key.extent(),
            None if self.element is None else self.element.extent(),
        )

    def named(self, name: str, structs: dict[str, Fields], *, keywords: bool) -> "Declared":
        """Gives names to the type and to the object types within it; returns the named type.

        Adds the fields of each object type to `structs`, by name.

        `name`: the name of this type, and the prefix of the names of types within it.
        `keywords`: whether expressions may select fields by unescaped names that are CEL keywords, too.
        """
        match self.type.kind:
            case "struct":
                fields = {
                    field_name: of.named(f"{name}.{field_name}", structs, keywords=keywords)
                    for field_name, of in self.fields.items()
                }
                known = {field_name: of.type for field_name, of in fields.items()}
                if keywords:
                    known |= {word: known[f"__{word}__"] for word in KEYWORDS if f"__{word}__" in known}
                structs[name] = known
                return replace(self, type=Type("struct", name), fields=fields)
            case "map" if self.element is not None:
                below = self.element.named(f"{name}.@elem", structs, keywords=keywords)
                return replace(self, type=map_of(STRING, below.type), element=below)
            case "list" if self.element is not None:
                below = self.element.named(f"{name}.@idx", structs, keywords=keywords)
                return replace(self, type=list_of(below.type), element=below)
            case _:
                return self


def declared(schema: Schema, settings: RuleSettings, *, is_resource: bool) -> Declared | None:
    """Returns the CEL type of a schema's values; None if expressions cannot access the values.

    `is_resource`: whether the values are resources. CEL rules can always access metadata of resources.
    """
    if schema.int_or_string:
        most = REQUEST_MAX - 2
        if schema.max_length is not None and settings.bounds_int_or_string:
            most = _characters(schema)
        return Declared(DYN, 1, most)
    if is_resource:
        schema = with_object_meta(schema, settings)
    match schema.type:
        case "array":
            return _list(schema, settings)
        case "object":
            return _map_or_object(schema, settings)
        case "string":
            return _string(schema, settings)
        case "boolean":
            return Declared(BOOL, 4)
        case "number":
            return Declared(DOUBLE, 1)
        case "integer":
            return Declared(INT, 1)
        case _:
            return None


def _below(schema: Schema, settings: RuleSettings) -> Declared | None:
    return declared(schema, settings, is_resource=schema.embedded_resource)


def _list(schema: Schema, settings: RuleSettings) -> Declared | None:
    items = schema.items
    element = _below(items, settings) if isinstance(items, Schema) else None
    if element is None:
        return None
    most = (REQUEST_MAX - 2) // (element.least + 1) if schema.max_items is None else max(schema.max_items, 0)
    return Declared(list_of(element.type), _STRING, most, element=element)


def _map_or_object(schema: Schema, settings: RuleSettings) -> Declared | None:
    others = schema.additional_properties
    if isinstance(others, Schema):
        element = _below(others, settings)
        if element is None:
            return None
        most = schema.max_properties
        most = (REQUEST_MAX - 2) // (element.least + 6) if most is None else max(most, 0)
        return Declared(
            map_of(STRING, element.type), _STRING, most, key=Declared(STRING, _STRING), element=element
        )
    fields: dict[str, Declared] = {}
    least = _STRING
    for name, below in schema.properties.items():
        of = _below(below, settings)
        if of is None:
            continue
        identifier = escaped(name)
        if identifier is not None:
            fields[identifier] = of
        if name in schema.required and below.default is None:
            least += len(name.encode()) + of.least + 4
    return Declared(Type("struct", "object"), least, fields=fields)


_BY_FORMAT = {"duration": (DURATION, 3, 32), "date": (TIMESTAMP, 12, 12), "date-time": (TIMESTAMP, 21, 32)}


def _string(schema: Schema, settings: RuleSettings) -> Declared:
    if schema.format in _BY_FORMAT:
        return Declared(*_BY_FORMAT[schema.format])
    if schema.format == "byte":
        most = REQUEST_MAX - 2 if schema.max_length is None else max(schema.max_length, 0)
        return Declared(BYTES, _STRING, most)
    if schema.max_length is not None:
        most = _characters(schema)
    elif schema.enum and settings.bounds_enums:
        most = max((len(value.encode()) for value in schema.enum if isinstance(value, str)), default=0)
    else:
        most = REQUEST_MAX - 2
    return Declared(STRING, _STRING, most)


def _characters(schema: Schema) -> int:
    """Returns the maximum UTF-8 size in bytes of a string with maxLength characters."""
    return max(schema.max_length or 0, 0) * 4


_TEXT = Schema(type="string")


def with_object_meta(schema: Schema, settings: RuleSettings) -> Schema:
    """Returns the schema of a resource, with the fields that CEL rules can always access.

    These fields are apiVersion, kind, metadata.name and metadata.generateName.
    """
    own = schema.properties
    metadata = own.get("metadata", Schema())
    names = metadata.properties
    if (
        all(own.get(name, Schema()).type == "string" for name in ("kind", "apiVersion"))
        and metadata.type == "object"
        and all(names.get(name, Schema()).type == "string" for name in ("name", "generateName"))
    ):
        return schema
    name = generated = _TEXT
    if settings.bounds_names:
        name = _bounded(names.get("name", Schema()), _NAME_MAX)
        generated = _bounded(names.get("generateName", Schema()), _NAME_MAX - 1)
    meta = Schema(type="object", properties={"name": name, "generateName": generated})
    return replace(schema, properties={**own, "kind": _TEXT, "apiVersion": _TEXT, "metadata": meta})


def _bounded(existing: Schema, most: int) -> Schema:
    if existing.max_length is not None:
        most = min(existing.max_length, most)
    return Schema(type="string", max_length=most)
