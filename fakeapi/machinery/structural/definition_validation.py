"""Validates the schemas of CustomResourceDefinitions.

Follows k8s.io/apiextensions-apiserver `pkg/apis/apiextensions/validation`
(validateCustomResourceDefinitionValidation), including the relaxed checks for updates.
"""

from collections.abc import Callable, Iterable, Iterator

from fakeapi.machinery.field_errors import FieldError, forbidden, invalid
from fakeapi.machinery.golang.go_syntax import Dump
from fakeapi.machinery.schema.nodes import Struct
from fakeapi.machinery.structural.default_validation import default_errors, prune_defaults
from fakeapi.machinery.structural.definition_walk import TYPES, DefinitionWalk, Place
from fakeapi.machinery.structural.formats import knows_format
from fakeapi.machinery.structural.internal_form import MEMBERS, internal_json
from fakeapi.machinery.structural.internal_syntax import internal_syntax
from fakeapi.machinery.structural.list_definitions import has_set_of_changeable, map_key_errors
from fakeapi.machinery.structural.rule_sites import RuleChecker, RuleSite, Strictness
from fakeapi.machinery.structural.rules import NEWEST, SchemaRules
from fakeapi.machinery.structural.schema import EMPTY, Schema
from fakeapi.machinery.structural.structurality import conversion_error, structural_errors

__all__ = [
    "RuleChecker",
    "RuleSite",
    "Strictness",
    "strictness_of_update",
    "unrecognized_formats",
    "validate_definition_schema",
]

_AT_ROOT = "at the root of the schema if the status subresource is enabled"
_ROOT_MEMBERS = (
    "Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength "
    "Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example "
    "XPreserveUnknownFields XValidations"
)
"""Go names of the fields that the root of a schema may have if the status subresource is enabled.

An error message lists these names.
"""


def strictness_of_update(old_schemas: Iterable[Schema], object_meta: Struct) -> Strictness:
    """Returns the checks for an update of a CustomResourceDefinition.

    The update may keep errors that an old schema already has.

    `old_schemas`: the old schema of each version.
    """
    old = list(old_schemas)
    return Strictness(
        requires_known_types=not _any_has(old, lambda node: node.type not in ("", *TYPES)),
        requires_structural=not any(map(_is_not_structural, old)),
        requires_pruned_defaults=not any(_has_unpruned_defaults(schema, object_meta) for schema in old),
        requires_atomic_sets=not _any_has(old, has_set_of_changeable),
        requires_usable_map_keys=not _any_has(old, lambda node: any(map_key_errors(node, ""))),
    )


def unrecognized_formats(schema: Schema, rules: SchemaRules) -> list[str]:
    """Returns the unrecognized formats in a schema, each once.

    Returns [] for releases that do not warn about unrecognized formats.
    """
    if not rules.warns_of_formats:
        return []
    formats = {
        node.format: None
        for node in _nodes(schema)
        if node.format
        and (rules.formats_follow_types or node.type == "string")
        and not knows_format(node, (node.type,), rules)
    }
    return list(formats)


def validate_definition_schema(
    schema: Schema,
    path: str,
    object_meta: Struct,
    *,
    has_status: bool,
    strictness: Strictness,
    checker: RuleChecker | None = None,
    rules: SchemaRules = NEWEST,
) -> list[FieldError]:
    """Validates the schema of a CustomResourceDefinition, or of one of its versions.

    - `path`: `spec.validation` if all versions share the schema, otherwise `spec.versions[0].schema`.
    - `object_meta`: the schema node of ObjectMeta in the release.
    - `has_status`: whether the status subresource is enabled.
    - `checker`: compiles CEL rules. With None, CEL rules are not compiled.
    """
    at = f"{path}.openAPIV3Schema"
    errors = list(_root_errors(schema, path, rules)) if has_status else []
    if schema.nullable:
        errors.append(forbidden(f"{at}.nullable", "nullable cannot be true at the root"))
    unconvertible = conversion_error(schema) if strictness.requires_structural else ""
    compiles = strictness.requires_structural and not unconvertible
    if compiles:
        problems = structural_errors(schema, at, rules) or default_errors(
            schema, at, object_meta, rules, checker, requires_pruned=strictness.requires_pruned_defaults
        )
        errors += problems
        compiles = not problems
    walk = DefinitionWalk(strictness, rules, checker)
    because = strictness.forbids_defaults_because
    place = Place(path=at, is_root=True, has_rules=compiles, forbids_defaults_because=because)
    below = walk.found(schema, place)
    errors += [*below.schema, *below.rules]
    if not errors and unconvertible:
        errors.append(invalid(at, "", unconvertible))
    if compiles and checker is not None:
        errors += checker.check_total(at)
    return errors


def _root_errors(schema: Schema, path: str, rules: SchemaRules) -> Iterator[FieldError]:
    """Yields an error if a root schema has fields that are not allowed with the status subresource."""
    for go, name in MEMBERS.items():
        if getattr(schema, name) == getattr(EMPTY, name):
            continue
        if go == "Type":
            if schema.type != "object":
                detail = f'only "object" is allowed as the type {_AT_ROOT}'
                yield invalid(f"{path}.openAPIV3Schema.type", schema.type, detail)
                return
        elif go not in _ROOT_MEMBERS.split():
            detail = f"only [{_ROOT_MEMBERS}] fields are allowed {_AT_ROOT}"
            value = (internal_json if rules.words.json_values else internal_syntax)(schema)
            yield invalid(f"{path}.openAPIV3Schema", Dump(value), detail)
            return


def _any_has(schemas: Iterable[Schema], test: Callable[[Schema], bool]) -> bool:
    return any(test(node) for schema in schemas for node in _nodes(schema))


def _nodes(schema: Schema) -> Iterator[Schema]:
    """Yields a schema and all schemas within it, at any depth. Each schema comes before its inner schemas."""
    waiting = [schema]
    while waiting:
        node = waiting.pop()
        yield node
        below: list[object] = [
            node.items,
            *(node.items if isinstance(node.items, tuple) else ()),
            *node.all_of,
            *node.any_of,
            *node.one_of,
            node.not_,
            *node.properties.values(),
            node.additional_properties,
            *node.pattern_properties.values(),
            node.additional_items,
            *node.definitions.values(),
            *node.dependencies.values(),
        ]
        waiting += [inner for inner in reversed(below) if isinstance(inner, Schema)]


def _is_not_structural(schema: Schema) -> bool:
    return bool(conversion_error(schema) or structural_errors(schema, ""))


def _has_unpruned_defaults(schema: Schema, object_meta: Struct) -> bool:
    return not _is_not_structural(schema) and prune_defaults(schema, object_meta) != schema
