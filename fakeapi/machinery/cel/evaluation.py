"""The possible outcomes of evaluating a CEL expression."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Value:
    """A successful evaluation; `value` is the CEL value of the expression."""

    value: Any


@dataclass(frozen=True, slots=True)
class Failed:
    """A failed evaluation; `reason` is cel-go's error message."""

    reason: str


@dataclass(frozen=True, slots=True)
class Unsupported:
    """The expression cannot be evaluated by this package; `reason` says why."""

    reason: str


Outcome = Value | Failed | Unsupported
