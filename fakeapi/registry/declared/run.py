"""Run: the state of one validation by declared rules, and the signatures of rule functions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from fakeapi.machinery.field_errors import FieldError


@dataclass(frozen=True, slots=True)
class Found:
    """An error, and the stage of its rule: alpha, beta, or "" for a rule without a stage."""

    error: FieldError
    level: str


@dataclass(slots=True)
class Run:
    """The state of one validation: its errors so far, whether it is an update, and the options for rules."""

    update: bool
    options: Mapping[str, bool]
    found: list[Found] = field(default_factory=list)


Body: TypeAlias = Callable[[Run, str, Any, Any], None]
"""(run, path, new value, old value): adds the errors of the new value; an absent old value is None."""

Rule: TypeAlias = Callable[[Run, str, Any, Any], Sequence[FieldError]]
"""(run, path, new value, old value): returns the errors of the new value."""
