"""Checks whether a schema is structural.

A structural schema specifies the types of all values outside of anyOf, allOf, oneOf and not.

Follows k8s.io/apiextensions-apiserver `pkg/apiserver/schema` (NewStructural, ValidateStructural).
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from enum import Enum

from fakeapi.machinery.field_errors import FieldError, forbidden, invalid, required
from fakeapi.machinery.golang.regexp.matching import compile_regexp
from fakeapi.machinery.golang.regexp.syntax import RegexpError
from fakeapi.machinery.structural.pruning import one
from fakeapi.machinery.structural.rules import NEWEST, SchemaRules
from fakeapi.machinery.structural.schema import EMPTY, Schema
from fakeapi.machinery.structural.subtrees import structural_children

INT_OR_STRING = (Schema(type="integer"), Schema(type="string"))
_NOT_FOR_STRUCTURAL = "to be structural"
_METADATA_IS_IMPLICIT = (
    "must not specify anything other than name and generateName, but metadata is implicitly specified"
)
_META_NAMES = {"name", "generateName"}


class _Level(Enum):
    ROOT = "must not be empty at the root"
    ITEM = "must not be empty for specified array items"
    FIELD = "must not be empty for specified object fields"


def conversion_error(schema: Schema) -> str:
    """Returns the first error of converting a schema to a structural schema; "" without errors."""
    return next(_conversion_errors(schema), "")


def structural_errors(schema: Schema, path: str, rules: SchemaRules = NEWEST) -> list[FieldError]:
    """Returns the errors of a schema that is not structural, sorted by text.

    Call this function only for schemas without a `conversion_error`.
    """
    errors = [*_invariants(schema, _Level.ROOT, path, rules), *_incomplete(schema, schema, path, path)]
    return sorted(errors, key=str)


def is_int_or_string(branches: tuple[Schema, ...], rules: SchemaRules = NEWEST) -> bool:
    """Whether the branches of an anyOf are exactly the types integer and string, without other members."""
    return _plain(branches, rules) == INT_OR_STRING


def _conversion_errors(schema: Schema) -> Iterator[str]:
    unsupported = {
        "id": schema.id,
        "schema": schema.schema_url,
        "$ref": schema.ref,
        "patternProperties": schema.pattern_properties,
        "dependencies": schema.dependencies,
        "additionalItems": schema.additional_items is not None,
        "definitions": schema.definitions,
    }
    for name, value in unsupported.items():
        if value:
            yield f"OpenAPIV3Schema '{name}' is not supported"
    for branch in ((schema.not_,) if schema.not_ else ()) + schema.all_of + schema.any_of + schema.one_of:
        yield from _conversion_errors(branch)
    if schema.preserve_unknown_fields is False:
        yield "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined"
    if isinstance(schema.items, tuple) and schema.items:
        yield "OpenAPIV3Schema 'items' must be a schema, but is an array"
    for below in structural_children(schema):
        yield from _conversion_errors(below)


def _invariants(schema: Schema, level: _Level, path: str, rules: SchemaRules) -> Iterator[FieldError]:
    items, others = one(schema.items), one(schema.additional_properties)
    if schema.type == "array" and items is None:
        yield required(f"{path}.items", "must be specified")
    if items is not None:
        yield from _invariants(items, _Level.ITEM, f"{path}.items", rules)
    for name, below in schema.properties.items():
        yield from _invariants(below, _Level.FIELD, f"{path}.properties[{name}]", rules)
    if schema.additional_properties is not None and level is _Level.ROOT:
        yield forbidden(f"{path}.additionalProperties", "must not be used at the root")
    if others is not None:
        yield from _invariants(others, _Level.FIELD, f"{path}.additionalProperties", rules)
    yield from _extension_errors(schema, path)
    yield from _value_errors(
        schema,
        path,
        rules,
        skips_any=is_int_or_string(schema.any_of, rules),
        skips_first_all=bool(schema.all_of) and is_int_or_string(schema.all_of[0].any_of, rules),
    )
    yield from _type_errors(schema, level, path)
    yield from _metadata_errors(schema, level, path, rules)


def _extension_errors(schema: Schema, path: str) -> Iterator[FieldError]:
    if not schema.int_or_string:
        return
    detail = "must be false if x-kubernetes-int-or-string is true"
    if schema.preserve_unknown_fields:
        yield invalid(f"{path}.x-kubernetes-preserve-unknown-fields", True, detail)
    if schema.embedded_resource:
        yield invalid(f"{path}.x-kubernetes-embedded-resource", True, detail)


def _type_errors(schema: Schema, level: _Level, path: str) -> Iterator[FieldError]:
    embedded = schema.embedded_resource
    if embedded and schema.type != "object":
        detail = "must be object if x-kubernetes-embedded-resource is true"
        at = f"{path}.type"
        yield invalid(at, schema.type, detail) if schema.type else required(at, detail)
    elif not schema.type and not schema.int_or_string and not schema.preserve_unknown_fields:
        yield required(f"{path}.type", level.value)
    if embedded and schema.additional_properties is not None:
        detail = "must not be used if x-kubernetes-embedded-resource is set"
        yield forbidden(f"{path}.additionalProperties", detail)
    if level is _Level.ROOT and schema.type and schema.type != "object":
        yield invalid(f"{path}.type", schema.type, "must be object at the root")
    if embedded and not schema.preserve_unknown_fields and not schema.properties:
        detail = (
            "must not be empty if x-kubernetes-embedded-resource is true "
            "without x-kubernetes-preserve-unknown-fields"
        )
        yield required(f"{path}.properties", detail)


def _metadata_errors(schema: Schema, level: _Level, path: str, rules: SchemaRules) -> Iterator[FieldError]:
    is_resource = level is _Level.ROOT or schema.embedded_resource
    if is_resource:
        for name in ("kind", "apiVersion"):
            below = schema.properties.get(name)
            if below is not None and below.type != "string":
                yield invalid(f"{path}.properties[{name}].type", below.type, "must be string")
    metadata = schema.properties.get("metadata")
    if metadata is None:
        return
    at = f"{path}.properties[metadata]"
    if is_resource and metadata.type != "object":
        yield invalid(f"{at}.type", metadata.type, "must be object")
    if level is _Level.ROOT:
        named = bool(metadata.properties) and metadata.properties.keys() <= _META_NAMES
        rest = replace(metadata, type="", default=None, properties={} if named else metadata.properties)
        if _plain((rest,), rules) != (EMPTY,):
            yield forbidden(at, _METADATA_IS_IMPLICIT)


def _plain(schemas: Iterable[Schema], rules: SchemaRules) -> tuple[Schema, ...]:
    """Prepares schemas for a comparison: removes externalDocs and example if the release ignores them."""
    if rules.documents_are_structural:
        return tuple(schemas)
    return tuple(replace(schema, external_docs=None, example=None) for schema in schemas)


def _value_errors(
    schema: Schema, path: str, rules: SchemaRules, *, skips_any: bool = False, skips_first_all: bool = False
) -> Iterator[FieldError]:
    """Validates the pattern of a schema, and its anyOf, allOf, oneOf and not.

    `skips_any`: whether anyOf is not validated, because it only specifies int-or-string.
    `skips_first_all`: whether anyOf in the first schema of allOf is not validated, because it only specifies
    int-or-string.
    """
    if not skips_any:
        for index, branch in enumerate(schema.any_of):
            yield from _branch_errors(branch, f"{path}.anyOf[{index}]", rules)
    for index, branch in enumerate(schema.all_of):
        skips = skips_first_all and index == 0
        yield from _branch_errors(branch, f"{path}.allOf[{index}]", rules, skips_any=skips)
    for index, branch in enumerate(schema.one_of):
        yield from _branch_errors(branch, f"{path}.oneOf[{index}]", rules)
    if schema.not_ is not None:
        yield from _branch_errors(schema.not_, f"{path}.not", rules)
    if schema.pattern:
        try:
            compile_regexp(schema.pattern)
        except RegexpError as error:
            detail = f"must be a valid regular expression, but isn't: {error}"
            yield invalid(f"{path}.pattern", schema.pattern, detail)


def _branch_errors(
    schema: Schema, path: str, rules: SchemaRules, *, skips_any: bool = False
) -> Iterator[FieldError]:
    """Validates a schema within allOf, anyOf, oneOf or not. Such a schema may only restrict values further.

    `skips_any`: whether anyOf in the schema is not validated, because it only specifies int-or-string.
    """
    yield from _value_errors(schema, path, rules, skips_any=skips_any)
    items = one(schema.items)
    if items is not None:
        yield from _branch_errors(items, f"{path}.items", rules)
    for name, below in schema.properties.items():
        yield from _branch_errors(below, f"{path}.properties[{name}]", rules)
    for name, is_set, must in _narrowing_rules(schema, rules):
        if is_set:
            yield forbidden(f"{path}.{name}", f"must be {must} {_NOT_FOR_STRUCTURAL}")
    if "metadata" in schema.properties:
        yield forbidden(f"{path}.properties[metadata]", "must not be specified in a nested context")


def _narrowing_rules(schema: Schema, rules: SchemaRules) -> Iterator[tuple[str, bool, str]]:
    """Checks the fields that a schema within anyOf, allOf, oneOf or not must not set.

    Yields (field name, whether the schema sets the field, the only allowed value) for each field.
    """
    others = schema.additional_properties
    yield "type", bool(schema.type), "empty"
    yield (
        "additionalProperties",
        others is not None and not (others is False and rules.branches_may_refuse_others),
        "undefined",
    )
    yield "default", schema.default is not None, "undefined"
    yield "title", bool(schema.title), "empty"
    yield "description", bool(schema.description), "empty"
    yield "nullable", schema.nullable, "false"
    yield "x-kubernetes-preserve-unknown-fields", bool(schema.preserve_unknown_fields), "false"
    yield "x-kubernetes-embedded-resource", schema.embedded_resource, "false"
    yield "x-kubernetes-int-or-string", schema.int_or_string, "false"
    yield "x-kubernetes-list-map-keys", bool(schema.list_map_keys), "empty"
    yield "x-kubernetes-list-type", schema.list_type is not None, "undefined"
    yield "x-kubernetes-map-type", schema.map_type is not None, "undefined"
    yield "x-kubernetes-validations", bool(schema.validations), "empty"


def _incomplete(
    branch: Schema, schema: Schema | None, path: str, branch_path: str, *, is_branch: bool = False
) -> Iterator[FieldError]:
    """Yields errors for fields that are specified only within anyOf, allOf, oneOf or not.

    - `branch`: the schema within anyOf, allOf, oneOf or not
    - `schema`: the structural schema for the same JSON values; None if there is none
    - `path`, `branch_path`: the paths of `schema` and `branch`
    - `is_branch`: False for the call with the structural schema itself as `branch`
    """
    if schema is None:
        yield required(path, f"because it is defined in {branch_path}")
        return
    junctors = {
        "not": (branch.not_,) if branch.not_ else (),
        "allOf": branch.all_of,
        "anyOf": branch.any_of,
        "oneOf": branch.one_of,
    }
    for junctor, branches in junctors.items():
        for index, below in enumerate(branches):
            at = f"{branch_path}.{junctor}" + ("" if junctor == "not" else f"[{index}]")
            yield from _incomplete(below, schema, path, at, is_branch=True)
    if not is_branch:
        return
    items = one(branch.items)
    if items is not None:
        at = f"{branch_path}.items"
        yield from _incomplete(items, one(schema.items), f"{path}.items", at, is_branch=True)
    for name, below in branch.properties.items():
        place = f".properties[{name}]"
        specified = schema.properties.get(name)
        yield from _incomplete(below, specified, path + place, branch_path + place, is_branch=True)
