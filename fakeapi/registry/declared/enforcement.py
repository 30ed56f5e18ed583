"""Merges the errors of declarative validation with those of handwritten validation.

Follows `ValidateDeclarativelyWithMigrationChecks` of k8s.io/apiserver `pkg/registry/rest` and the filters of
k8s.io/apimachinery `pkg/api/validate`: a handwritten error is dropped if an enforced rule of the stage beta
found the same, and the errors of rules come last. Upstream marks in its code which errors are covered; here
an error is if it has the type and field of a rule's error, and both or neither are about a change, or about
another field.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

import msgspec

from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.json_types import Object
from fakeapi.registry.declared.checks import CHANGES
from fakeapi.registry.declared.program import BETA, Program, Steps
from fakeapi.registry.declared.run import Found, Run
from fakeapi.releases import Kind
from fakeapi.releases.gates import Gates
from fakeapi.releases.rules import ReleaseRules
from fakeapi.releases.tables import ReleaseTables

BETA_GATE: Final = "DeclarativeValidationBeta"
TAKEOVER_GATES: Final = ("DeclarativeValidation", "DeclarativeValidationTakeover")

_BOUND_BY_FIELD: Final = re.compile("must be (?:greater|less) than or equal to `")

Paths = Sequence[tuple[re.Pattern[str], str]]
"""Patterns of paths in one version of a kind, and what stands for them in another."""


class _Options(dict[str, bool]):
    """What rules ask for: the gates of the release, but for what the kind says otherwise."""

    def __init__(self, gates: Gates, stated: Mapping[str, bool]) -> None:
        super().__init__(stated)
        self._gates = gates

    def __missing__(self, name: str) -> bool:
        return self._gates.enabled(name)


class DeclaredValidation:
    """The declared rules of one kind in one version."""

    def __init__(self, kind: Kind, tables: ReleaseTables, rules: ReleaseRules, paths: Paths = ()) -> None:
        self._type_name = kind.type_name
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
        """`found` by hand in an object of this version, to be created or updated, and what rules find."""
        # What is said twice by hand is said once: upstream's filter goes through an aggregate.
        found = list(dict.fromkeys(found))
        if self._body is None or subresource not in self._subresources:
            return found
        run = Run(old is not None, _Options(self._gates, options or {}))
        self._body(run, "", new, old)
        if not run.found:
            return found
        covered = set(self._covered(run.found))
        kept = [error for error in found if self._identity(error) not in covered]
        return kept + [each.error for each in run.found]

    def _covered(self, found: Iterable[Found]) -> Iterable[tuple[str, str, str]]:
        for each in found:
            if each.level == BETA or self._takes_over:
                yield self._identity(each.error)

    def _identity(self, error: FieldError) -> tuple[str, str, str]:
        """Identity of an error: reason, field, and whether it is about a change or about another field."""
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
    """Whether a release shows what declared rules find; `has_no_others`: of a kind that had them from its
    beginning.
    """
    match rules.quirks.declared_rules:
        case "enforced":
            return True
        case "of new kinds":
            return has_no_others
        case "taken over":
            return all(rules.gates.get(gate, False) for gate in TAKEOVER_GATES)
    return False
