"""OpenAPI schemas of the types of a release.

The schemas follow k8s.io/kube-openapi `pkg/generators` and `pkg/builder3`. A field that refers to another
type is an `allOf` with one reference, so that it can also have a default. A field that Go always encodes has
its zero value as default. Up to Kubernetes 1.35, items of lists and values of maps have a default too.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, TypeAlias

from fakeapi.http.discovery.openapi.descriptions import describe_field, describe_type
from fakeapi.http.discovery.openapi.extensions import GRANULAR, group_version_kinds, union_of
from fakeapi.releases.kinds import Kind
from fakeapi.releases.quirks import quirks_of
from fakeapi.releases.schemas import underlying_type
from fakeapi.releases.tables import ReleaseTables, TypeEntry, tables_of

Schema: TypeAlias = dict[str, Any]

REFERENCE = "#/components/schemas/"
_PACKAGES = {
    "meta/v1": "io.k8s.apimachinery.pkg.apis.meta.v1",
    "apiextensions/v1": "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1",
    "apiregistration/v1": "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1",
    "resource": "io.k8s.apimachinery.pkg.api.resource",
    "runtime": "io.k8s.apimachinery.pkg.runtime",
    "intstr": "io.k8s.apimachinery.pkg.util.intstr",
    "version": "io.k8s.apimachinery.pkg.version",
}
_SCALARS: dict[str, tuple[Schema, Any]] = {
    "string": ({"type": "string"}, ""),
    "bool": ({"type": "boolean"}, False),
    "int": ({"type": "integer", "format": "int32"}, 0),
    "int32": ({"type": "integer", "format": "int32"}, 0),
    "int64": ({"type": "integer", "format": "int64"}, 0),
    "float64": ({"type": "number", "format": "double"}, 0),
    "[]byte": ({"type": "string", "format": "byte"}, None),
}
"""The OpenAPI schema and the zero value of each scalar Go type."""

_OPAQUE: dict[str, Schema] = {
    "resource.Quantity": {"oneOf": [{"type": "string"}, {"type": "number"}]},
    "runtime.RawExtension": {"type": "object"},
    "intstr.IntOrString": {"format": "int-or-string", "oneOf": [{"type": "integer"}, {"type": "string"}]},
    "meta/v1.Time": {"type": "string", "format": "date-time"},
    "meta/v1.MicroTime": {"type": "string", "format": "date-time"},
    "meta/v1.FieldsV1": {"type": "object"},
    "meta/v1.Patch": {"type": "object"},
    "apiextensions/v1.JSON": {},
    "apiextensions/v1.JSONSchemaPropsOrArray": {},
    "apiextensions/v1.JSONSchemaPropsOrBool": {},
    "apiextensions/v1.JSONSchemaPropsOrStringArray": {},
}
"""Schemas of Go types with their own JSON encoding. The fields of these types do not describe the JSON."""


class ReleaseSchemas(Mapping[str, Schema]):
    """The OpenAPI schemas of all types of a release, by OpenAPI name.

    Each schema is generated on first use. Callers must not change the schemas.
    """

    def __init__(self, tables: ReleaseTables) -> None:
        self._tables = tables
        quirks = quirks_of(int(tables.release[2:]))
        self._item_defaults = quirks.openapi_items_have_defaults
        self._opaque_item_defaults = quirks.openapi_opaque_items_have_defaults
        self._without_text = frozenset(quirks.openapi_without_text)
        self._schemas: dict[str, Schema] = {openapi_name(name): schema for name, schema in _OPAQUE.items()}
        self._group_version_kinds = group_version_kinds(tables)

    def __getitem__(self, name: str) -> Schema:
        """Returns the schema of a type. Raises KeyError for an unknown OpenAPI name."""
        schema = self._schemas.get(name)
        if schema is None:
            go = _go_name(name)
            schema = _struct(self._tables, go, self._fields(go), self._without_text)
            if "properties" in schema:
                schema["properties"] = {
                    name: self._with_item_defaults(value) for name, value in schema["properties"].items()
                }
            if go in self._group_version_kinds:
                schema["x-kubernetes-group-version-kind"] = self._group_version_kinds[go]
            self._schemas[name] = schema
        return schema

    def __iter__(self) -> Iterator[str]:
        """Yields the OpenAPI name of every type that has a schema."""
        structs = (name for name in self._tables if underlying_type(self._tables[name]) is None)
        return iter(dict.fromkeys([*map(openapi_name, _OPAQUE), *map(openapi_name, structs)]))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _with_item_defaults(self, schema: Schema) -> Schema:
        """Adapts the defaults of list items and map values in a schema to the release.

        Only some releases have such defaults.
        """
        if not self._item_defaults:
            return _without_item_defaults(schema)
        return _with_opaque_defaults(schema) if self._opaque_item_defaults else schema

    def _fields(self, go: str) -> dict[str, Any]:
        entry = self._tables[go]
        assert not isinstance(entry, str), f"no schema of its own: {go}"
        return entry


@cache
def schemas_of(release: str) -> ReleaseSchemas:
    """Returns the OpenAPI schemas of a release such as "1.31"."""
    return ReleaseSchemas(tables_of(release))


def openapi_name(go: str) -> str:
    """Returns the OpenAPI name of a Go type: `resource/v1.Device` gives `io.k8s.api.resource.v1.Device`."""
    package, _, name = go.rpartition(".")
    known = _PACKAGES.get(package)
    return f"{known}.{name}" if known else f"io.k8s.api.{package.replace('/', '.')}.{name}"


def _go_name(name: str) -> str:
    """Returns the Go type of an OpenAPI name: `io.k8s.api.resource.v1.Device` gives `resource/v1.Device`."""
    package, _, short = name.rpartition(".")
    for go, known in _PACKAGES.items():
        if package == known:
            return f"{go}.{short}"
    return f"{'/'.join(package.split('.')[-2:])}.{short}"


def reference(go: str) -> Schema:
    """Returns a `$ref` to the OpenAPI schema of a Go type."""
    return {"$ref": REFERENCE + openapi_name(go)}


def kind_reference(kind: Kind, *, of_list: bool = False) -> Schema:
    return reference(kind.list_type_name if of_list else kind.type_name)


def _struct(
    types: Mapping[str, TypeEntry], go: str, entry: dict[str, Any], without_text: frozenset[str]
) -> Schema:
    required = [member["name"] for member in entry["fields"] if member.get("required")]
    schema: Schema = {"type": "object", "description": describe_type(go)}
    if required:
        schema["required"] = required
    members = sorted(entry["fields"], key=lambda member: str(member["name"]))
    for member in members:
        property_schema = _member(types, go, member, has_text=f"{go}.{member['name']}" not in without_text)
        schema.setdefault("properties", {})[member["name"]] = property_schema
    unions = union_of(go, (member["name"] for member in members))
    if unions:
        schema["x-kubernetes-unions"] = unions
    if entry.get("atomic"):
        schema["x-kubernetes-map-type"] = "atomic"
    if go in GRANULAR:
        schema["x-kubernetes-map-type"] = "granular"
    return schema


def _member(types: Mapping[str, TypeEntry], struct: str, member: dict[str, Any], *, has_text: bool) -> Schema:
    go: str = member["type"]
    optional = go.startswith("*") or bool(member.get("omitempty"))
    schema = _value(types, go.removeprefix("*"), is_pointer=go.startswith("*"), optional=optional)
    if not has_text and member.get("default") is None:
        return schema if "$ref" in schema else {**schema["allOf"][0]}
    if "$ref" in schema:
        schema = {"allOf": [schema]}
    if member.get("default") is not None:
        schema["default"] = member["default"]
    schema["description"] = describe_field(struct, member["name"], go)
    if "keys" in member:
        schema["x-kubernetes-list-map-keys"] = member["keys"]
    if "list" in member:
        schema["x-kubernetes-list-type"] = member["list"]
    if "map" in member:
        schema["x-kubernetes-map-type"] = member["map"]
    if "patch_key" in member:
        schema["x-kubernetes-patch-merge-key"] = member["patch_key"]
    if "patch" in member:
        schema["x-kubernetes-patch-strategy"] = member["patch"]
    return schema


def _with_opaque_defaults(schema: Schema) -> Schema:
    """Returns a schema with the default `{}` for list items and map values that are plain references.

    Only references to types with special schemas, such as Quantity, need this. Other items and values already
    have a default.
    """
    changed = dict(schema)
    for place in ("items", "additionalProperties"):
        if place in changed:
            inner = _with_opaque_defaults(changed[place])
            changed[place] = {"allOf": [inner], "default": {}} if inner.keys() == {"$ref"} else inner
    return changed


def _without_item_defaults(schema: Schema) -> Schema:
    """Returns a schema without defaults, and without `allOf`, for list items and map values."""
    changed = dict(schema)
    for place in ("items", "additionalProperties"):
        if place in changed:
            inner = {name: value for name, value in changed[place].items() if name != "default"}
            alone = inner["allOf"][0] if inner.keys() == {"allOf"} else inner
            changed[place] = _without_item_defaults(alone)
    return changed


def _value(types: Mapping[str, TypeEntry], go: str, *, is_pointer: bool, optional: bool) -> Schema:
    """Returns the schema of a value of the Go type `go`. The type must not start with `*`.

    - `is_pointer`: whether the Go type is a pointer. A struct has a default only if it is not a pointer,
      because Go always encodes such a struct.
    - `optional`: whether Go can omit the value. Optional scalars have no default.
    """
    if go in _SCALARS:
        schema, zero = _SCALARS[go]
        return {**schema} if optional or zero is None else {**schema, "default": zero}
    if go.startswith("[]"):
        items = go[2:]
        schema = _value(
            types, items.removeprefix("*"), is_pointer=items.startswith("*"), optional=items.startswith("*")
        )
        return {"type": "array", "items": schema}
    if go.startswith("map["):
        values = go.partition("]")[2]
        schema = _value(
            types,
            values.removeprefix("*"),
            is_pointer=values.startswith("*"),
            optional=values.startswith("*"),
        )
        return {"type": "object", "additionalProperties": schema}
    if go in _OPAQUE:
        return reference(go)
    entry = types[go]
    underlying = underlying_type(entry)
    if underlying is not None:
        schema = _value(types, underlying, is_pointer=is_pointer, optional=optional)
        allowed = None if isinstance(entry, str) else entry.get("enum")
        return {**schema, "enum": allowed} if allowed else schema
    return {"allOf": [reference(go)]} if is_pointer else {"allOf": [reference(go)], "default": {}}
