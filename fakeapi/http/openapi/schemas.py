"""The types of a release as OpenAPI schemas, without prose.

Shapes follow k8s.io/kube-openapi `pkg/generators` and `pkg/builder3`: a member that refers to another type is
an `allOf` of one reference, so that it can have a default beside it; a value that cannot be absent has Go's
zero value as its default.
"""

from functools import cache
from typing import Any, TypeAlias

from fakeapi.releases import tables
from fakeapi.releases.kinds import Kind

Schema: TypeAlias = dict[str, Any]

REFERENCE = "#/components/schemas/"
_PACKAGES = {
    "meta/v1": "io.k8s.apimachinery.pkg.apis.meta.v1",
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
"""Go's words: their schemas, and their zero values."""

_OPAQUE: dict[str, Schema] = {
    "resource.Quantity": {"oneOf": [{"type": "string"}, {"type": "number"}]},
    "runtime.RawExtension": {"type": "object"},
    "intstr.IntOrString": {"format": "int-or-string", "oneOf": [{"type": "integer"}, {"type": "string"}]},
    "meta/v1.Time": {"type": "string", "format": "date-time"},
    "meta/v1.MicroTime": {"type": "string", "format": "date-time"},
    "meta/v1.FieldsV1": {"type": "object"},
    "meta/v1.Patch": {"type": "object"},
}
"""Types with schemas of their own: their Go fields say nothing about their JSON."""

_ENUMS = {
    "NodeSelectorOperator": ["DoesNotExist", "Exists", "Gt", "In", "Lt", "NotIn"],
    "DeviceTaintEffect": ["NoExecute", "NoSchedule"],
    "DeviceTolerationOperator": ["Equal", "Exists"],
}
"""The string types that are marked as enumerations in every version that has them."""

_ANSWERS: dict[str, list[dict[str, Any]]] = {
    "meta/v1.WatchEvent": [
        {"name": "type", "type": "string", "required": True},
        {"name": "object", "type": "runtime.RawExtension", "required": True},
    ],
    "meta/v1.Status": [
        {"name": "kind", "type": "string", "omitempty": True},
        {"name": "apiVersion", "type": "string", "omitempty": True},
        {"name": "metadata", "type": "meta/v1.ListMeta", "omitempty": True},
        {"name": "status", "type": "string", "omitempty": True},
        {"name": "message", "type": "string", "omitempty": True},
        {"name": "reason", "type": "string", "omitempty": True},
        {"name": "details", "type": "*meta/v1.StatusDetails", "omitempty": True, "list": "atomic"},
        {"name": "code", "type": "int32", "omitempty": True},
    ],
    "meta/v1.StatusDetails": [
        {"name": "name", "type": "string", "omitempty": True},
        {"name": "group", "type": "string", "omitempty": True},
        {"name": "kind", "type": "string", "omitempty": True},
        {"name": "uid", "type": "types.UID", "omitempty": True},
        {"name": "causes", "type": "[]meta/v1.StatusCause", "omitempty": True, "list": "atomic"},
        {"name": "retryAfterSeconds", "type": "int32", "omitempty": True},
    ],
    "meta/v1.StatusCause": [
        {"name": "reason", "type": "string", "omitempty": True},
        {"name": "message", "type": "string", "omitempty": True},
        {"name": "field", "type": "string", "omitempty": True},
    ],
    "meta/v1.APIResourceList": [
        {"name": "kind", "type": "string", "omitempty": True},
        {"name": "apiVersion", "type": "string", "omitempty": True},
        {"name": "groupVersion", "type": "string", "required": True},
        {"name": "resources", "type": "[]meta/v1.APIResource", "required": True, "list": "atomic"},
    ],
    "meta/v1.APIResource": [
        {"name": "name", "type": "string", "required": True},
        {"name": "singularName", "type": "string", "required": True},
        {"name": "namespaced", "type": "bool", "required": True},
        {"name": "group", "type": "string", "omitempty": True},
        {"name": "version", "type": "string", "omitempty": True},
        {"name": "kind", "type": "string", "required": True},
        {"name": "verbs", "type": "[]string", "required": True},
        {"name": "shortNames", "type": "[]string", "omitempty": True, "list": "atomic"},
        {"name": "categories", "type": "[]string", "omitempty": True, "list": "atomic"},
        {"name": "storageVersionHash", "type": "string", "omitempty": True},
    ],
}
"""What the server answers beside its objects, in the words of the tables."""


@cache
def schemas_of(release: str) -> dict[str, Schema]:
    """Every type of a release ("1.31") by its OpenAPI name; shared, and not to be changed."""
    types: dict[str, Any] = {
        **{name: {"fields": fields} for name, fields in _ANSWERS.items()},
        **tables.read(release)["types"],
    }
    found = {openapi_name(name): schema for name, schema in _OPAQUE.items()}
    for name, entry in types.items():
        if not isinstance(entry, str):
            found[openapi_name(name)] = _struct(types, entry)
    for entry in tables.read(release)["kinds"]:
        for name in (entry["type"], entry["list_type"]):
            kind = name.rpartition(".")[2]
            found[openapi_name(name)]["x-kubernetes-group-version-kind"] = [
                {"group": entry["group"], "kind": kind, "version": entry["version"]}
            ]
    found[openapi_name("meta/v1.Status")]["x-kubernetes-group-version-kind"] = [
        {"group": "", "kind": "Status", "version": "v1"}
    ]
    return found


def openapi_name(go: str) -> str:
    """`resource/v1alpha3.Device` is `io.k8s.api.resource.v1alpha3.Device`."""
    package, _, name = go.rpartition(".")
    known = _PACKAGES.get(package)
    return f"{known}.{name}" if known else f"io.k8s.api.{package.replace('/', '.')}.{name}"


def reference(go: str) -> Schema:
    """A reference to the schema of a type."""
    return {"$ref": REFERENCE + openapi_name(go)}


def kind_reference(kind: Kind, *, of_list: bool = False) -> Schema:
    return reference(kind.list_type_name if of_list else kind.type_name)


def _struct(types: dict[str, Any], entry: dict[str, Any]) -> Schema:
    required = [member["name"] for member in entry["fields"] if member.get("required")]
    schema: Schema = {"type": "object"}
    if required:
        schema["required"] = required
    members = sorted(entry["fields"], key=lambda member: str(member["name"]))
    schema["properties"] = {member["name"]: _member(types, member) for member in members}
    if entry.get("atomic"):
        schema["x-kubernetes-map-type"] = "atomic"
    return schema


def _member(types: dict[str, Any], member: dict[str, Any]) -> Schema:
    go: str = member["type"]
    optional = go.startswith("*") or bool(member.get("omitempty"))
    schema = _value(types, go.removeprefix("*"), is_pointer=go.startswith("*"), optional=optional)
    if member.get("default") is not None:
        schema["default"] = member["default"]
    if "$ref" in schema:
        schema = {"allOf": [schema]}
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


def _value(types: dict[str, Any], go: str, *, is_pointer: bool, optional: bool) -> Schema:
    """The schema of a value; a struct held by value is never absent to Go, and so always has a default."""
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
    if isinstance(entry, str):
        schema = _value(types, entry, is_pointer=is_pointer, optional=optional)
        allowed = _ENUMS.get(go.rpartition(".")[2])
        return {**schema, "enum": allowed} if allowed else schema
    return {"allOf": [reference(go)]} if is_pointer else {"allOf": [reference(go)], "default": {}}
