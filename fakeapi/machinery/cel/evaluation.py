"""The outcomes of a CEL expression."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Value:
    """The result of an expression, a CEL value."""

    value: Any


@dataclass(frozen=True, slots=True)
class Failed:
    """The expression failed, in cel-go's words."""

    reason: str


@dataclass(frozen=True, slots=True)
class Unsupported:
    """The expression cannot be evaluated here, for the reason in `reason`."""

    reason: str


Outcome = Value | Failed | Unsupported
