"""The interface between the validation of schemas in CustomResourceDefinitions and the CEL rule compiler."""

from typing import Protocol

import msgspec

from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.structural.schema import Schema


class Strictness(msgspec.Struct, frozen=True, kw_only=True):
    """The checks that apply to the schemas of a CustomResourceDefinition.

    A create must pass all checks. An update skips checks that an old schema did not pass.

    - `requires_known_types`: whether types must be types of OpenAPI.
    - `requires_structural`: whether schemas must be structural.
    - `requires_pruned_defaults`: whether defaults must not have unknown fields.
    - `requires_atomic_sets`: whether the items of lists of type set must be atomic.
    - `requires_usable_map_keys`: whether items of sets and list maps, and list map keys, must not be
      nullable. The keys must then also be required or have a default.
    """

    forbids_defaults_because: str | None = None
    """Why a schema must not have defaults: the end of the error, which may be "".

    None if defaults are allowed.
    """

    requires_known_types: bool = True
    requires_structural: bool = True
    requires_pruned_defaults: bool = True
    requires_atomic_sets: bool = True
    requires_usable_map_keys: bool = True


class RuleSite(msgspec.Struct, frozen=True, kw_only=True):
    """A schema node with x-kubernetes-validations.

    - `path`: the path of the schema node in the CustomResourceDefinition.
    - `is_resource`: whether the node is the root or an embedded resource.
    - `cardinality`: how many JSON values of an object the node may describe, at most 2**64 - 1. None if a
      list or map around the node has no maxItems or maxProperties.
    - `forbids_old_self_within`: the path of a list or map around the node whose items have no old values. CEL
      rules must then not use oldSelf. None if CEL rules may use oldSelf.
    """

    schema: Schema
    path: str
    is_resource: bool
    cardinality: int | None
    forbids_old_self_within: str | None


class RuleChecker(Protocol):
    """Checks the CEL rules of one schema; create a new checker for each schema."""

    exhausted: bool
    """Whether the CEL cost budget for defaults is used up; further defaults are then not validated."""

    def check_default(self, schema: Schema, path: str, *, is_resource_root: bool) -> list[FieldError]:
        """Validates the default of a schema by the CEL rules of the schema and of all schemas within it.

        `path`: the path of the default, for errors.
        `is_resource_root`: whether the schema describes a whole object.
        """
        ...

    def check_rules(self, site: RuleSite) -> list[FieldError]:
        """Returns errors of the CEL rules of one schema node: compilation, cost and forbidden use of oldSelf.

        The caller must have validated the other fields of the rules, such as message, reason and fieldPath.
        """
        ...

    def check_total(self, path: str) -> list[FieldError]:
        """Returns errors if the rules that `check_rules` received cost too much together.

        `path`: the path of the schema.
        """
        ...
