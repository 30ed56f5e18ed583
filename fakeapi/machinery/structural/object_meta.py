"""Coerces and validates the metadata of custom objects and of resources embedded in them.

Follows k8s.io/apiextensions-apiserver `pkg/apiserver/schema/objectmeta`.
"""

from collections.abc import Iterator
from typing import Any

from fakeapi.machinery.codec import in_key_order
from fakeapi.machinery.field_errors import FieldError, invalid, required
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names
from fakeapi.machinery.meta.object_meta import validate_object_meta
from fakeapi.machinery.schema.decode_errors import DecodeErrors, Path, spell
from fakeapi.machinery.schema.decoding import DecodeError, decode
from fakeapi.machinery.schema.nodes import Struct
from fakeapi.machinery.structural.pruning import as_root, one
from fakeapi.machinery.structural.results import shown
from fakeapi.machinery.structural.rules import NEWEST, SchemaRules
from fakeapi.machinery.structural.schema import Schema
from fakeapi.machinery.structural.subtrees import anywhere

_PLACEHOLDER_NAME = "fakename"


def coerce(
    obj: Any,
    schema: Schema | None,
    object_meta: Struct,
    path: str = "",
    *,
    is_resource_root: bool = True,
    drop_invalid: bool = False,
    rules: SchemaRules = NEWEST,
) -> tuple[FieldError | None, list[str]]:
    """Coerces the metadata of embedded resources to ObjectMeta, in place; removes unknown fields.

    Returns (error for the first field with a wrong type, or None; sorted paths of unknown fields).

    - `object_meta`: the schema node of ObjectMeta in the release.
    - `is_resource_root`: whether `obj` itself is a resource, like the objects embedded in it.
    - `drop_invalid`: whether to remove fields with a wrong type instead of returning an error.
    """
    unknown: list[str] = []
    walk = _Coercion(object_meta, rules, unknown, drop_invalid=drop_invalid)
    error = walk.coerced(obj, as_root(schema) if is_resource_root else schema, path)
    return error, sorted(unknown)


def validate_meta(
    obj: Any,
    schema: Schema | None,
    path: str = "",
    *,
    is_resource_root: bool = True,
    rules: SchemaRules = NEWEST,
) -> list[FieldError]:
    """Validates apiVersion, kind and metadata of embedded resources; call `coerce` before.

    `is_resource_root`: whether `obj` itself is a resource, like the objects embedded in it.
    """
    return list(_errors(obj, as_root(schema) if is_resource_root else schema, path, rules))


class _UnknownFields(DecodeErrors):
    """Collects the paths of unknown fields in `strict`, instead of error messages."""

    __slots__ = ()

    def unknown(self, path: Path) -> None:
        self.strict.append(spell(path))


class _Coercion:
    def __init__(
        self, object_meta: Struct, rules: SchemaRules, unknown: list[str], *, drop_invalid: bool
    ) -> None:
        self._object_meta = object_meta
        self._rules = rules
        self._unknown = unknown
        self._drop_invalid = drop_invalid

    def coerced(self, value: Any, schema: Schema | None, path: str) -> FieldError | None:
        if schema is None or not _has_resources(schema):
            return None
        match value:
            case dict():
                return self._members(value, schema, path)
            case list() if one(schema.items) is not None:
                items = one(schema.items)
                errors = (self.coerced(item, items, f"{path}[{index}]") for index, item in enumerate(value))
                return next(filter(None, errors), None)
            case _:
                return None

    def _members(self, value: Object, schema: Schema, path: str) -> FieldError | None:
        others = one(schema.additional_properties)
        for name in sorted(value):
            member = value[name]
            if schema.embedded_resource:
                error = self._type_and_meta(value, name, path)
                if error is not None:
                    return error
            below = schema.properties.get(name)
            at = _child(path, name) if below is not None else f"{path}[{name}]"
            error = self.coerced(member, below or others, at)
            if error is not None:
                return error
        return None

    def _type_and_meta(self, value: Object, name: str, path: str) -> FieldError | None:
        member = value[name]
        if name in ("apiVersion", "kind") and not isinstance(member, str):
            if not self._drop_invalid:
                return invalid(_child(path, name), shown(member, self._rules), "must be a string")
            del value[name]
        if name == "metadata":
            return self._metadata(value, _child(path, "metadata"))
        return None

    def _metadata(self, value: Object, path: str) -> FieldError | None:
        metadata = value["metadata"]
        try:
            meta = self._decoded(metadata, path)
        except DecodeError as error:
            if not self._drop_invalid:
                return invalid(path, shown(metadata, self._rules), str(error))
            if not isinstance(metadata, dict):
                return None
            meta = self._decoded({name: metadata[name] for name in self._decodable(metadata)}, path)
        if meta.get("creationTimestamp") is None:
            meta.pop("creationTimestamp", None)
        value["metadata"] = meta
        return None

    def _decodable(self, metadata: Object) -> Iterator[str]:
        for name, member in metadata.items():
            try:
                decode({name: member}, self._object_meta)
            except DecodeError:
                continue
            yield name

    def _decoded(self, metadata: Any, path: str) -> Object:
        errors = _UnknownFields()
        meta, _ = decode(in_key_order(metadata), self._object_meta, errors)
        self._unknown.extend(f"{path}.{below}" for below in errors.strict)
        return meta


_has_resources = anywhere(lambda schema: schema.embedded_resource)


def _errors(value: Any, schema: Schema | None, path: str, rules: SchemaRules) -> Iterator[FieldError]:
    if schema is None or not _has_resources(schema):
        return
    match value:
        case dict():
            if schema.embedded_resource:
                yield from _resource_errors(value, path, rules)
            others = one(schema.additional_properties)
            for name in sorted(value):
                below = schema.properties.get(name)
                at = _child(path, name) if below is not None else f"{path}[{name}]"
                yield from _errors(value[name], below or others, at, rules)
        case list():
            for index, item in enumerate(value):
                yield from _errors(item, one(schema.items), f"{path}[{index}]", rules)


def _resource_errors(value: Object, path: str, rules: SchemaRules) -> Iterator[FieldError]:
    for name in ("apiVersion", "kind"):
        if name not in value:
            yield required(_child(path, name), rules.missing_type_meta)
    for name in ("apiVersion", "kind"):
        if name in value:
            problem = _type_problem(name, value[name])
            if problem:
                yield invalid(_child(path, name), shown(value[name], rules), problem)
    if "metadata" in value:
        meta = value["metadata"]
        at = _child(path, "metadata")
        if meta is None:
            meta = {}
        if not isinstance(meta, dict):
            yield invalid(at, shown(meta, rules), _not_an_object(meta))
            return
        named = meta if meta.get("name") else {**meta, "name": _PLACEHOLDER_NAME}
        yield from validate_object_meta(
            named,
            bool(meta.get("namespace")),
            names.name_is_path_segment,
            at,
            rules.words,
        )


def _not_an_object(meta: Any) -> str:
    """Returns Go's error for metadata that is not an object.

    Such metadata remains after `coerce` with `drop_invalid`.
    """
    errors = DecodeErrors()
    errors.mismatch(meta, (), "", "v1.ObjectMeta")
    return errors.error or ""


def _type_problem(name: str, value: Any) -> str:
    if not isinstance(value, str):
        return "must be a string"
    if not value:
        return "must not be empty"
    if name == "apiVersion":
        return f"unexpected GroupVersion string: {value}" if value.count("/") > 1 else ""
    problems = names.is_dns1035_label(value.lower())
    return "may have mixed case, but should otherwise match: " + ",".join(problems) if problems else ""


def _child(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
