"""Merges the errors of declarative validation with the errors of handwritten validation.

Follows `ValidateDeclarativelyWithMigrationChecks` of k8s.io/apiserver `pkg/registry/rest` and the filters of
k8s.io/apimachinery `pkg/api/validate`. If an enforced beta rule and handwritten validation find the same
error, the handwritten error is dropped. While declarative validation takes over (releases 1.33 to 1.35), this
also holds for stable rules. The errors of declared rules come last.

Upstream's code marks the handwritten errors that rules replace. Here, the error of a rule replaces the
handwritten errors with the same type and field. An error about a change replaces only errors about changes.
An error about a comparison of two fields replaces only errors about such comparisons.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

import msgspec

from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.machinery.schema.empty_values import without_omitted_lists
from fakeapi.registry.declared.checks import CHANGES
from fakeapi.registry.declared.program import BETA, Program, Steps
from fakeapi.registry.declared.run import Body, Found, Run
from fakeapi.releases import Kind
from fakeapi.releases.gates import Gates
from fakeapi.releases.rules import ReleaseRules
from fakeapi.releases.tables import ReleaseTables

BETA_GATE: Final = "DeclarativeValidationBeta"
TAKEOVER_GATES: Final = ("DeclarativeValidation", "DeclarativeValidationTakeover")

_BOUND_BY_FIELD: Final = lazy_pattern("must be (?:greater|less) than or equal to `")

Paths = Sequence[tuple[re.Pattern[str], str]]
"""(pattern, replacement) pairs that convert field paths of one version of a kind to another version."""


class _Options(dict[str, bool]):
    """The options of declared rules: whether each option is on, by its name.

    Options that the kind does not set are feature gates of the release.
    """

    def __init__(self, gates: Gates, stated: Mapping[str, bool]) -> None:
        super().__init__(stated)
        self._gates = gates

    def __missing__(self, name: str) -> bool:
        return self._gates.enabled(name)


class DeclaredValidation:
    """The declarative validation of one kind in one API version."""

    def __init__(self, kind: Kind, tables: ReleaseTables, rules: ReleaseRules, paths: Paths = ()) -> None:
        self._type_name = kind.type_name
        self._schema = kind.schema
        self._gates = rules.gates
        self._tables = tables
        self._takes_over = rules.quirks.declared_rules == "taken over"
        self._paths = paths

    def merged(
        self,
        found: list[FieldError],
        new: Object,
        old: Object | None,
        subresource: str = "",
        options: Mapping[str, bool] | None = None,
    ) -> list[FieldError]:
        """Returns the handwritten errors `found` merged with the errors of declarative validation.

        - `new`, `old`: the objects in this API version; `old` is None for a create.
        - `options`: the options of declared rules that the kind sets itself; None for no options.
        """
        if not self._takes_over:
            # This drops duplicate handwritten errors, as the aggregate in the filter of 1.36 and newer does.
            found = list(dict.fromkeys(found))
        if self._body is None or subresource not in self._subresources:
            return found
        stated = _Options(self._gates, options or {})
        if not self._errors(self._body, new, old, stated):
            return found
        # Only an error prints values. It prints them in the form of encoding/json.
        errors = self._errors(self._body, without_omitted_lists(new, self._schema), old, stated)
        covered = set(self._covered(errors))
        kept = [error for error in found if self._identity(error) not in covered]
        return kept + [entry.error for entry in errors]

    @staticmethod
    def _errors(body: Body, new: Object, old: Object | None, options: Mapping[str, bool]) -> list[Found]:
        run = Run(old is not None, options)
        body(run, "", new, old)
        return run.found

    def _covered(self, errors: Iterable[Found]) -> Iterable[tuple[str, str, str]]:
        for entry in errors:
            if entry.level == BETA or self._takes_over:
                yield self._identity(entry.error)

    def _identity(self, error: FieldError) -> tuple[str, str, str]:
        """Returns (reason, field, topic) of an error; errors with the same tuple count as equal.

        The topic is "change" for errors about changes, "field" for comparisons with another field, otherwise
        "".
        """
        about = "change" if error.body.endswith(CHANGES) else ""
        if _BOUND_BY_FIELD.search(error.body):
            about = "field"
        return error.reason, self._path(error.field), about

    def _path(self, path: str) -> str:
        for pattern, replacement in self._paths:
            other = pattern.sub(replacement, path)
            if other != path:
                return other
        return path

    @cached_property
    def _subresources(self) -> frozenset[str]:
        package, _, short = self._type_name.rpartition(".")
        return frozenset(self._tables.declared(package).kinds.get(short, ()))

    @cached_property
    def _body(self) -> Any:
        if not self._subresources:
            return None
        beta = self._gates.enabled(BETA_GATE) or self._takes_over
        return Program(self._steps, beta=beta).of_type(self._type_name)

    def _steps(self, name: str) -> Steps:
        package, _, short = name.rpartition(".")
        steps: Steps = msgspec.json.decode(self._tables.declared(package).types[short])
        return steps


def enforces_declared(rules: ReleaseRules, *, has_no_others: bool) -> bool:
    """Whether a release enforces the declarative validation of a kind.

    `has_no_others`: whether the kind has had declarative validation since its first release.
    """
    match rules.quirks.declared_rules:
        case "enforced":
            return True
        case "of new kinds":
            return has_no_others
        case "taken over":
            return all(rules.gates.get(gate, False) for gate in TAKEOVER_GATES)
    return False
