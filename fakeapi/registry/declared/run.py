"""Run: one validation of an object by declared rules, and the signatures of the functions that it calls."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from fakeapi.machinery.field_errors import FieldError


@dataclass(frozen=True, slots=True)
class Found:
    """An error with the stage of the rule that gave it; "" for one without."""

    error: FieldError
    level: str


@dataclass(slots=True)
class Run:
    """One validation: the errors so far, whether it is an update, and the options that rules ask for."""

    update: bool
    options: Mapping[str, bool]
    found: list[Found] = field(default_factory=list)


Body: TypeAlias = Callable[[Run, str, Any, Any], None]
"""(run, path, new value, old value): adds the errors of the new value; an absent old value is None."""

Rule: TypeAlias = Callable[[Run, str, Any, Any], Sequence[FieldError]]
"""(run, path, new value, old value): returns the errors of the new value."""
