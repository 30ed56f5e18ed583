"""Interface between the validation of CRD schemas and the compiler of CEL rules."""

from dataclasses import dataclass
from typing import Protocol

from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.structural.schema import Schema


@dataclass(frozen=True, slots=True, kw_only=True)
class Strictness:
    """Checks that apply to the schemas of a definition.

    A create makes all checks; an update may keep the faults of the old definition.
    """

    forbids_defaults_because: str | None = None
    """None if defaults are allowed; else the end of the error message, which may be empty."""

    requires_known_types: bool = True
    requires_structural: bool = True
    requires_pruned_defaults: bool = True
    requires_atomic_sets: bool = True
    requires_usable_map_keys: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSite:
    """A schema node that has x-kubernetes-validations.

    `path` is the node's in the definition. `is_resource`: the node is the root or an embedded resource.
    `cardinality` is the maximum number of values of the node in an object, at most 2**64 - 1; None if a list
    or map above it has no maxItems or maxProperties. `forbids_old_self_within` is the path of the list or map
    above whose items cannot be correlated with old ones, so that rules may not use oldSelf; None if they may.
    """

    schema: Schema
    path: str
    is_resource: bool
    cardinality: int | None
    forbids_old_self_within: str | None


class RuleChecker(Protocol):
    """Compiles and evaluates the CEL rules of one schema; use a new one for each schema."""

    exhausted: bool
    """Whether validating defaults used up the cost budget; further defaults are not validated."""

    def check_default(self, schema: Schema, path: str, *, is_resource_root: bool) -> list[FieldError]:
        """Validates `schema.default` by the rules of `schema` and below. `path`: the path of the default."""
        ...

    def check_rules(self, site: RuleSite) -> list[FieldError]:
        """Validates the node's own rules: compilation, cost, use of oldSelf.

        The fields of the rules (empty, line breaks, reasons, field paths) have been checked before.
        """
        ...

    def check_total(self, path: str) -> list[FieldError]:
        """Checks the total cost of all rules that `check_rules` has seen. `path`: the path of the schema."""
        ...
