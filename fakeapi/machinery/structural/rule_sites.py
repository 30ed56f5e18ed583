"""What checking the schema of a definition asks for: how strict it is, and who knows the rules of CEL."""

from dataclasses import dataclass
from typing import Protocol

from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.structural.schema import Schema


@dataclass(frozen=True, slots=True, kw_only=True)
class Strictness:
    """What is asked of a schema: all of it when a definition is created; an update may keep what the old
    definition got away with.
    """

    forbids_defaults_because: str | None = None
    """None where defaults are allowed; else how the error goes on, which may be with nothing."""

    requires_known_types: bool = True
    requires_structural: bool = True
    requires_pruned_defaults: bool = True
    requires_atomic_sets: bool = True
    requires_usable_map_keys: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSite:
    """A node of a schema that has x-kubernetes-validations.

    `path` is the node's in the definition. `is_resource`: the node is the root or an embedded resource.
    `cardinality` is how many values of the node an object may hold, None where no maxItems or maxProperties
    above it says; at most 2**64 - 1. `forbids_old_self_within` is the path of the list or map above whose
    items are not told apart, so that rules may not ask for oldSelf; None where they may.
    """

    schema: Schema
    path: str
    is_resource: bool
    cardinality: int | None
    forbids_old_self_within: str | None


class RuleChecker(Protocol):
    """Compiles and tries the x-kubernetes-validations of one schema; made anew for each."""

    exhausted: bool
    """Checking defaults has used up the budget: the rest is not checked."""

    def check_default(self, schema: Schema, path: str, *, is_resource_root: bool) -> list[FieldError]:
        """The errors of `schema.default` by the rules of `schema` and below; `path` is the default's own."""
        ...

    def check_rules(self, site: RuleSite) -> list[FieldError]:
        """The errors of the node's own rules: that they compile, what they cost, oldSelf. The text of the
        rules (empty, line breaks, reasons, field paths) has been checked.
        """
        ...

    def check_total(self, path: str) -> list[FieldError]:
        """The errors of the cost of all the rules that `check_rules` has seen; `path` is the schema's."""
        ...
