"""Errors that declarative validation finds in place of what is written by hand.

Follows `ValidateDeclarativelyWithMigrationChecks` of k8s.io/apiserver `pkg/registry/rest`: what a declaration
covers is reported after everything else, and an immutable field without its value.
"""

from collections.abc import Callable, Iterable
from typing import Any

from fakeapi.machinery.field_errors import FieldError
from fakeapi.registry.declared.checks import NOTHING
from fakeapi.releases.rules import ReleaseRules

REQUIRED = "FieldValueRequired"
TOO_MANY = "FieldValueTooMany"


def declared_last(
    errors: Iterable[FieldError], is_declared: Callable[[FieldError], bool], rules: ReleaseRules
) -> list[FieldError]:
    """The errors in the order of the release. `is_declared`: a declaration covers the error."""
    found = list(errors)
    if not rules.quirks.declared_rules_come_last:
        return found
    return sorted(found, key=is_declared)


def shown_immutable(value: Any, rules: ReleaseRules) -> Any:
    """What the error about a changed field shows of it."""
    return NOTHING if rules.quirks.declared_rules_come_last else value
