"""Run: the data of one declarative validation of an object. Also defines the types of rule functions."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import msgspec

from fakeapi.machinery.field_errors import FieldError


class Found(msgspec.Struct, frozen=True):
    """An error of declarative validation, with the stage of its rule (`level`).

    The stage is "alpha", "beta", or "" for a stable rule.
    """

    error: FieldError
    level: str


class Run(msgspec.Struct):
    """The data of one declarative validation of an object.

    - `update`: whether the validated write is an update.
    - `options`: whether each option of declarative validation is on, by its name.
    - `found`: the errors so far.
    """

    update: bool
    options: Mapping[str, bool]
    found: list[Found] = msgspec.field(default_factory=list)


Body: TypeAlias = Callable[[Run, str, Any, Any], None]
"""A function that validates a value and appends its errors to `Run.found`.

Its arguments are the Run, the field path, the new value and the old value. The old value is None if absent.
"""

Rule: TypeAlias = Callable[[Run, str, Any, Any], Sequence[FieldError]]
"""A function that validates a value and returns its errors.

Its arguments are the Run, the field path, the new value and the old value. The old value is None if absent.
"""
