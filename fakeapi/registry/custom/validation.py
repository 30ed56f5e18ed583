"""Validates custom objects against the schema of their version.

Follows k8s.io/apiextensions-apiserver `pkg/registry/customresource` (Validate, ValidateUpdate).
"""

from dataclasses import dataclass

from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.structural.schema import Schema
from fakeapi.registry.custom.kind import CustomKind
from fakeapi.releases.rules import ReleaseRules


@dataclass(frozen=True, slots=True)
class ObjectValidator:
    """What the schema of a version says of its objects."""

    schema: Schema | None

    def schema_errors(self, obj: Object, old: Object | None = None) -> list[FieldError]:
        """Errors of types, formats and bounds; with `old`, of what an update changed."""
        return []

    def status_errors(self, new: Object, old: Object) -> list[FieldError]:
        """`schema_errors` of the status alone."""
        return []

    def create_errors(self, obj: Object) -> list[FieldError]:
        """Errors of embedded resources, and of items that sets and maps have twice."""
        return []

    def update_errors(self, new: Object, old: Object) -> list[FieldError]:
        """`create_errors` of an update."""
        return self.list_errors(new, old)

    def list_errors(self, new: Object, old: Object) -> list[FieldError]:
        """Errors of items that sets and maps have twice, if the old object had none."""
        return []

    def with_rules(self, found: list[FieldError], obj: Object, old: Object | None) -> list[FieldError]:
        """`found` and the errors of x-kubernetes-validations."""
        return found


def validator_of(kind: CustomKind, rules: ReleaseRules) -> ObjectValidator:
    """The validator of a version of a definition."""
    return ObjectValidator(kind.version_specification.schema)
