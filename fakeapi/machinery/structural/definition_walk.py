"""Validates the OpenAPI schema of a CustomResourceDefinition, node by node.

Follows ValidateCustomResourceDefinitionOpenAPISchema of k8s.io/apiextensions-apiserver
`pkg/apis/apiextensions/validation`.
"""

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from fakeapi.machinery.field_errors import FieldError, forbidden, invalid, not_supported, required
from fakeapi.machinery.golang.go_syntax import Dump
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.machinery.structural.field_paths import FieldPathError, field_path
from fakeapi.machinery.structural.list_definitions import list_errors, map_key_errors
from fakeapi.machinery.structural.pruning import TYPE_AND_META
from fakeapi.machinery.structural.rule_sites import RuleChecker, RuleSite, Strictness
from fakeapi.machinery.structural.rules import SchemaRules
from fakeapi.machinery.structural.schema import Schema
from fakeapi.machinery.structural.structurality import conversion_error

TYPES = ("array", "boolean", "integer", "number", "object", "string")
_REASONS = ("FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired")
_CARDINALITY_MAX = (1 << 64) - 1
_LINE_BREAK = lazy_pattern(r"[\n\r]")


class Found(msgspec.Struct):
    """The errors of a schema, and separately the errors of its CEL rules, which upstream reports last."""

    schema: list[FieldError] = msgspec.field(default_factory=list)
    rules: list[FieldError] = msgspec.field(default_factory=list)

    def add(self, below: "Found") -> None:
        self.schema += below.schema
        self.rules += below.rules


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """The position of a schema node in a CustomResourceDefinition, and the checks that apply there.

    - `is_root`: whether the node is the root of the schema.
    - `has_rules`: whether CEL rules of the node are compiled. False within anyOf, allOf, oneOf, not,
      definitions and dependencies, and if the whole schema is not structural.
    - `cardinality`: how many JSON values of an object the node may describe at most; None if unlimited.
    - `inside_meta`: whether the node is within apiVersion, kind or metadata of a resource.
    - `forbids_defaults_because`: why the node must not have a default; None if defaults are allowed.
    - `forbids_old_self_within`: the path of a list or map whose items have no old values. CEL rules must then
      not use oldSelf. None if CEL rules may use oldSelf.
    """

    path: str
    is_root: bool = False
    has_rules: bool = True
    cardinality: int | None = 1
    inside_meta: bool = False
    forbids_defaults_because: str | None = None
    forbids_old_self_within: str | None = None


class DefinitionWalk(msgspec.Struct, frozen=True):
    strictness: Strictness
    rules: SchemaRules
    checker: RuleChecker | None

    def found(self, schema: Schema, place: Place) -> Found:
        """Returns the errors of a schema node and of all nodes below the node.

        `place`: the position of the node, and the checks that apply there
        """
        path = place.path
        errors = Found(list(self._standard_errors(schema, place)))
        if schema.unique_items:
            detail = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
            errors.schema.append(forbidden(f"{path}.uniqueItems", detail))
        self._additional_properties(schema, place, errors)
        for name in sorted(schema.properties):
            errors.add(self.found(schema.properties[name], self._of_property(schema, place, name)))
        for below, at in _branches(schema, path):
            errors.add(self.found(below, replace(place, path=at, is_root=False, has_rules=False)))
        self._items(schema, place, errors)
        for below, at in _dependencies(schema, path):
            errors.add(self.found(below, replace(place, path=at, is_root=False, has_rules=False)))
        errors.schema += self._extension_errors(schema, path)
        for index, rule in enumerate(schema.validations):
            errors.schema += self._rule_errors(schema, rule, f"{path}.x-kubernetes-validations[{index}]")
        if schema.validations and not errors.schema and place.has_rules and self.checker is not None:
            errors.rules += self.checker.check_rules(
                RuleSite(
                    schema=schema,
                    path=path,
                    is_resource=place.is_root or schema.embedded_resource,
                    cardinality=place.cardinality,
                    forbids_old_self_within=place.forbids_old_self_within,
                )
            )
        return errors

    def _standard_errors(self, schema: Schema, place: Place) -> Iterator[FieldError]:
        path = place.path
        if self.strictness.requires_known_types and schema.type and schema.type not in TYPES:
            yield not_supported(f"{path}.type", schema.type, TYPES)
        if schema.default is not None and place.forbids_defaults_because is not None:
            because = place.forbids_defaults_because
            yield forbidden(f"{path}.default", f"must not be set {because}" if because else "must not be set")
        unsupported = {
            "id": bool(schema.id),
            "additionalItems": schema.additional_items is not None,
            "patternProperties": bool(schema.pattern_properties),
            "definitions": bool(schema.definitions),
            "dependencies": bool(schema.dependencies),
            "$ref": schema.ref is not None,
        }
        for name, is_set in unsupported.items():
            if is_set:
                yield forbidden(f"{path}.{name}", f"{name} is not supported")
        if schema.type == "null":
            detail = "type cannot be set to null, use nullable as an alternative"
            yield forbidden(f"{path}.type", detail)
        if isinstance(schema.items, tuple) and schema.items:
            yield forbidden(f"{path}.items", "items must be a schema object and not an array")
        if place.inside_meta and schema.embedded_resource:
            detail = "must not be used inside of resource meta"
            yield forbidden(f"{path}.x-kubernetes-embedded-resource", detail)

    def _additional_properties(self, schema: Schema, place: Place, found: Found) -> None:
        others = schema.additional_properties
        if others is None:
            return
        at = f"{place.path}.additionalProperties"
        if schema.properties and others is not True:
            detail = "additionalProperties and properties are mutual exclusive"
            found.schema.append(forbidden(at, detail))
        if isinstance(others, Schema):
            below = self._below(schema, place, at)
            if place.inside_meta:
                reason = "inside additionalProperties applying to object metadata"
                below = replace(below, forbids_defaults_because=reason)
            found.add(self.found(others, below))

    def _of_property(self, schema: Schema, place: Place, name: str) -> Place:
        below = self._below(schema, place, f"{place.path}.properties[{name}]")
        if schema.map_type not in (None, "granular", "atomic"):
            below = _without_old_self(below, place.path)
        if (place.is_root or schema.embedded_resource) and name in TYPE_AND_META:
            below = replace(below, inside_meta=True)
            if place.is_root:
                below = replace(below, forbids_defaults_because=f"in top-level {name}")
        return below

    def _items(self, schema: Schema, place: Place, found: Found) -> None:
        several = schema.items if isinstance(schema.items, tuple) else (schema.items,)
        for index, items in enumerate(several):
            if items is None:
                continue
            at = f"{place.path}.items" + (f"[{index}]" if isinstance(schema.items, tuple) else "")
            below = self._below(schema, place, at)
            if schema.list_type != "map":
                below = _without_old_self(below, place.path)
            found.add(self.found(items, below))

    def _below(self, schema: Schema, place: Place, path: str) -> Place:
        return replace(
            place, path=path, is_root=False, cardinality=_times(place.cardinality, _most_elements(schema))
        )

    def _extension_errors(self, schema: Schema, path: str) -> Iterator[FieldError]:
        if schema.preserve_unknown_fields is False:
            at = f"{path}.x-kubernetes-preserve-unknown-fields"
            yield invalid(at, Dump("false"), "must be true or undefined")
        if schema.map_type is not None:
            if schema.type != "object":
                detail = "must be object if x-kubernetes-map-type is specified"
                at = f"{path}.type"
                yield invalid(at, schema.type, detail) if schema.type else required(at, detail)
            if schema.map_type not in ("atomic", "granular"):
                at = f"{path}.x-kubernetes-map-type"
                yield not_supported(at, schema.map_type, ("atomic", "granular"))
        yield from list_errors(schema, path, self.strictness, self.rules)
        if self.strictness.requires_usable_map_keys:
            yield from map_key_errors(schema, path)

    def _rule_errors(self, schema: Schema, rule: Object, path: str) -> Iterator[FieldError]:
        """Validates the fields of a CEL rule without compiling the CEL expressions."""
        text, message = _text(rule, "rule"), _text(rule, "message")
        expression, field_text = _text(rule, "messageExpression"), _text(rule, "fieldPath")

        def named(member: str, detail: str) -> str:
            return f"{member} {detail}" if self.rules.rule_errors_name_member else detail

        if not text.strip():
            yield required(f"{path}.rule", "rule is not specified")
        elif message and not message.strip():
            detail = named("message", "must be non-empty if specified")
            yield invalid(f"{path}.message", message, detail)
        elif _LINE_BREAK.search(message.strip()):
            yield invalid(f"{path}.message", message, named("message", "must not contain line breaks"))
        elif _LINE_BREAK.search(text.strip()) and not message.strip():
            detail = "message must be specified if rule contains line breaks"
            yield required(f"{path}.message", detail)
        if expression and not expression.strip():
            detail = "messageExpression must be non-empty if specified"
            yield required(f"{path}.messageExpression", detail)
        reason = rule.get("reason")
        if reason is not None and reason not in _REASONS:
            yield not_supported(f"{path}.reason", reason, _REASONS)
        at = f"{path}.fieldPath"
        if field_text and not field_text.strip():
            yield invalid(at, field_text, named("fieldPath", "must be non-empty if specified"))
        if _LINE_BREAK.search(field_text):
            yield invalid(at, field_text, named("fieldPath", "must not contain line breaks"))
        if field_text and not _leads_somewhere(field_text, schema):
            yield invalid(at, field_text, named("fieldPath", "must be a valid path"))


def _text(rule: Object, member: str) -> str:
    return rule.get(member) or ""


def _leads_somewhere(path: str, schema: Schema) -> bool:
    if conversion_error(schema):
        return True
    try:
        field_path(path, schema)
    except FieldPathError:
        return False
    return True


def _branches(schema: Schema, path: str) -> Iterator[tuple[Schema, str]]:
    if schema.not_ is not None:
        yield schema.not_, f"{path}.not"
    for junctor, branches in (("allOf", schema.all_of), ("oneOf", schema.one_of), ("anyOf", schema.any_of)):
        for index, branch in enumerate(branches):
            yield branch, f"{path}.{junctor}[{index}]"
    for name in sorted(schema.definitions):
        yield schema.definitions[name], f"{path}.definitions[{name}]"


def _dependencies(schema: Schema, path: str) -> Iterator[tuple[Schema, str]]:
    for name in sorted(schema.dependencies):
        below = schema.dependencies[name]
        if isinstance(below, Schema):
            yield below, f"{path}.dependencies[{name}]"


def _without_old_self(place: Place, path: str) -> Place:
    """Returns the `Place` of list items or map values that have no known old values.

    CEL rules cannot use oldSelf there.

    `path`: the path of the list or map, for errors; ignored if a list or map around it already forbids
    oldSelf
    """
    return (
        place if place.forbids_old_self_within is not None else replace(place, forbids_old_self_within=path)
    )


def _most_elements(schema: Schema) -> int | None:
    """Returns the value of maxItems or maxProperties: how many items or members a list or map may have.

    Returns None without a limit. Returns 1 for values that are not a list or map.
    """
    if schema.type == "object" and schema.additional_properties is not None:
        return None if schema.max_properties is None else max(schema.max_properties, 0)
    if schema.type == "array":
        return None if schema.max_items is None else max(schema.max_items, 0)
    return 1


def _times(cardinality: int | None, elements: int | None) -> int | None:
    if cardinality is None or elements is None:
        return None
    return min(cardinality * elements, _CARDINALITY_MAX)
