"""Run: the state of one declarative validation, and the signatures of rule functions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from fakeapi.machinery.field_errors import FieldError


@dataclass(frozen=True, slots=True)
class Found:
    """An error, and the stage of its rule: "alpha", "beta", or "" for a rule without a stage."""

    error: FieldError
    level: str


@dataclass(slots=True)
class Run:
    """The state of one validation.

    `update`: whether the validated write is an update.
    `options`: whether each option of declarative validation is on.
    `found`: the errors so far.
    """

    update: bool
    options: Mapping[str, bool]
    found: list[Found] = field(default_factory=list)


Body: TypeAlias = Callable[[Run, str, Any, Any], None]
"""A function that validates a value and adds its errors to the run.

Its arguments are the run, the path, the new value and the old value. An absent old value is None.
"""

Rule: TypeAlias = Callable[[Run, str, Any, Any], Sequence[FieldError]]
"""A function that validates a value and returns its errors.

Its arguments are the run, the path, the new value and the old value. An absent old value is None.
"""
