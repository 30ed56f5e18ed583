"""Validates an object by the rules of its schema.

Follows k8s.io/apiextensions-apiserver `pkg/apiserver/schema/cel/validation.go`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from fakeapi.machinery.cel.rules.settings import RuleSettings
from fakeapi.machinery.field_errors import FieldError, invalid
from fakeapi.machinery.structural.schema import Schema

BUDGET = 10_000_000
"""Cost units that the rules of one object may take together."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """`warnings` are errors that an update may keep. `remaining` of the budget is -1 once it is used up."""

    errors: list[FieldError]
    warnings: list[str]
    remaining: int


class RuleValidator(Protocol):
    """The rules of one schema, each compiled when it is first evaluated. Serves any number of objects."""

    def validate(self, obj: Any, old: Any = None, path: str = "", budget: int = BUDGET) -> Outcome:
        """What the rules find wrong with `obj`, pruned and defaulted; `old` is what an update replaces, in
        the same version. Neither is changed. Only where `hindrance` of the other errors is None.
        """
        ...


def rule_validator(
    schema: Schema, settings: RuleSettings, *, is_resource_root: bool = True
) -> RuleValidator | None:
    """The validator of a schema; None where it has no rules, and without the extra `cel`.

    Cheap, but worth keeping beside the schema, as it keeps the compiled rules.
    """
    return None


_HINDERING = frozenset((
    "FieldValueNotSupported",
    "FieldValueRequired",
    "FieldValueTooLong",
    "FieldValueTooMany",
    "FieldValueTypeInvalid",
))  # fmt: skip


def hindrance(errors: Sequence[FieldError]) -> FieldError | None:
    """The error that stands for those of rules where `errors` keep them from being evaluated."""
    if not any(error.reason in _HINDERING for error in errors):
        return None
    return invalid(
        "<nil>",
        None,
        "some validation rules were not checked because the object was invalid; correct the existing errors"
        " to complete validation",
    )
