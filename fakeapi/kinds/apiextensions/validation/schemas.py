"""Validates the schemas of a CustomResourceDefinition."""

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from fakeapi.kinds.apiextensions.internal_form import InternalSpec
from fakeapi.kinds.apiextensions.validation.options import Options
from fakeapi.machinery.cel.rules.definition import DefinitionRules, preexisting
from fakeapi.machinery.field_errors import FieldError, invalid
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.structural.definition_validation import validate_definition_schema
from fakeapi.machinery.structural.schema import DEPTH_MAX, Schema
from fakeapi.releases.rule_settings import rule_settings
from fakeapi.releases.rules import ReleaseRules
from fakeapi.releases.schema_rules import schema_rules_of

OBJECT_META = "meta/v1.ObjectMeta"


class SchemaChecks:
    """Validates the schemas of one CustomResourceDefinition."""

    def __init__(self, internal: InternalSpec, options: Options, rules: ReleaseRules) -> None:
        self.internal = internal
        self.options = options
        self.rules = rules
        structural = not internal.spec.get("preserveUnknownFields") or any(
            has_defaults(schema) or has_extensions(schema) for schema in internal.schemas
        )
        strictness = options.strictness
        self._strictness = replace(
            strictness, requires_structural=strictness.requires_structural or structural
        )

    def schema_errors(self, holder: Object, path: str, version: str) -> list[FieldError]:
        """Validates the schema of a version, or the schema that all versions share.

        - `holder`: the version, or `InternalSpec.shared`
        - `path`: the path of the field that contains `openAPIV3Schema`
        - `version`: the name of the version
        """
        schema = self.internal.schema_of(holder)
        if schema is None:
            return []
        return validate_definition_schema(
            schema,
            path,
            self.rules.schemas.struct(OBJECT_META),
            has_status=self._has_status(holder),
            strictness=self._strictness,
            checker=self._checker(version),
            rules=schema_rules_of(self.rules.release),
        )

    def _checker(self, version: str) -> DefinitionRules:
        old = self.options.old_spec
        return DefinitionRules(
            rule_settings(self.rules),
            preexisting([] if old is None else old.schemas),
            suppresses_costs=version in self.options.unchanged and self.rules.quirks.rules.kept_may_cost,
        )

    def _has_status(self, holder: Object) -> bool:
        """Whether a version has `/status`. For `InternalSpec.shared`, whether any version has `/status`."""
        internal = self.internal
        if holder is internal.shared:
            holders = (internal.shared, *internal.versions)
            return any(_has_status(candidate) for candidate in holders)
        return _has_status(holder if internal.has("subresources") else internal.shared)


def _has_status(holder: Object) -> bool:
    return (holder.get("subresources") or {}).get("status") is not None


def has_defaults(schema: Schema) -> bool:
    return _any(schema, lambda node: node.default is not None)


def has_extensions(schema: Schema) -> bool:
    """Whether a schema uses Kubernetes' extensions to OpenAPI, such as x-kubernetes-int-or-string."""
    return _any(
        schema,
        lambda node: (
            node.embedded_resource
            or node.preserve_unknown_fields is not None
            or node.int_or_string
            or bool(node.list_map_keys)
            or node.list_type is not None
            or bool(node.validations)
        ),
    )


def too_deep() -> FieldError:
    """Returns the error for a schema with more than DEPTH_MAX levels. Upstream does not have this limit."""
    return invalid("spec.versions", "", f"fakeapi reads schemas of at most {DEPTH_MAX} levels")


def _any(schema: Schema, test: Callable[[Schema], bool]) -> bool:
    return any(test(part) for part in every(schema))


def every(schema: Schema) -> Iterator[Schema]:
    """Yields a schema and all schemas inside it, in the order of upstream's SchemaHas."""
    pending = [schema]
    while pending:
        current = pending.pop()
        yield current
        pending += reversed(_parts(current))


def _parts(schema: Schema) -> list[Schema]:
    items = schema.items if isinstance(schema.items, tuple) else (schema.items,)
    others = [
        *items,
        *schema.all_of,
        *schema.any_of,
        *schema.one_of,
        schema.not_,
        *schema.properties.values(),
        schema.additional_properties,
        *schema.pattern_properties.values(),
        schema.additional_items,
        *schema.definitions.values(),
        *schema.dependencies.values(),
    ]
    return [part for part in others if isinstance(part, Schema)]
