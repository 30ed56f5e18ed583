"""The interface between the validation of CRD schemas and the compiler of CEL rules."""

from dataclasses import dataclass
from typing import Protocol

from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.structural.schema import Schema


@dataclass(frozen=True, slots=True, kw_only=True)
class Strictness:
    """The checks that apply to the schemas of a definition.

    A create makes all checks; an update may keep errors of the old schemas.

    - `requires_known_types`: types must be types of OpenAPI.
    - `requires_structural`: the schemas must be structural.
    - `requires_pruned_defaults`: defaults must not have unknown fields.
    - `requires_atomic_sets`: the items of lists of type set must be atomic.
    - `requires_usable_map_keys`: items of sets and list maps, and their keys, must not be nullable; keys must
      be required or have a default.
    """

    forbids_defaults_because: str | None = None
    """The reason in the error for defaults, which may be ""; None if defaults are allowed."""

    requires_known_types: bool = True
    requires_structural: bool = True
    requires_pruned_defaults: bool = True
    requires_atomic_sets: bool = True
    requires_usable_map_keys: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSite:
    """A schema node with x-kubernetes-validations.

    - `path`: the path of the node in the definition.
    - `is_resource`: the node is the root or an embedded resource.
    - `cardinality`: the maximum number of values of the node in an object, at most 2**64 - 1; None if a list
      or map above the node has no maxItems or maxProperties.
    - `forbids_old_self_within`: the path of a list or map above the node whose items have no old values, so
      rules must not use oldSelf; None if they may.
    """

    schema: Schema
    path: str
    is_resource: bool
    cardinality: int | None
    forbids_old_self_within: str | None


class RuleChecker(Protocol):
    """A checker of the CEL rules of one schema; create a new one for each schema."""

    exhausted: bool
    """Whether the cost budget for validating defaults is used up; further defaults are not validated."""

    def check_default(self, schema: Schema, path: str, *, is_resource_root: bool) -> list[FieldError]:
        """Validates the default of a schema by the rules of the schema and below.

        `path`: the path of the default, for errors.
        `is_resource_root`: the schema is that of a whole object.
        """
        ...

    def check_rules(self, site: RuleSite) -> list[FieldError]:
        """Returns the errors of the rules of one schema node: compilation, cost, use of oldSelf.

        The caller must have validated the fields of the rules: empty texts, line breaks, reasons, field
        paths.
        """
        ...

    def check_total(self, path: str) -> list[FieldError]:
        """Checks the total cost of all rules passed to `check_rules`; `path` is the path of the schema."""
        ...
