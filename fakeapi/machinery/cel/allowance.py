"""Bounds the time that a step on the event loop spends evaluating expressions.

Kubernetes allows the rules of one object a cost of about a second. The interpreter of this package takes ten
times as long for the same cost. A step within an `Allowance` ends with `AllowanceSpent` when its allowance is
used up. The caller then repeats the step without an allowance, off the event loop. Therefore the step must
not change its arguments.
"""

from contextvars import ContextVar, Token
from types import TracebackType
from typing import Self

EVALUATION_UNITS = 5
"""Cost units charged for each evaluation, because a long list may evaluate a cheap rule for every item."""

_current: ContextVar["Allowance | None"] = ContextVar("allowance", default=None)


def current() -> "Allowance | None":
    """Returns the `Allowance` of the current context; None if only the limits of expressions apply."""
    return _current.get()


class AllowanceSpent(Exception):
    """An evaluation exceeded the running `Allowance`; the caller must repeat its work without one."""


class Allowance:
    """Context manager that limits the total cost of the expressions evaluated in it to `left` units."""

    __slots__ = ("_token", "left")

    def __init__(self, units: int) -> None:
        self.left = units

    def __enter__(self) -> Self:
        self._token: Token[Allowance | None] = _current.set(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _current.reset(self._token)

    def pay(self, units: int) -> None:
        """Deducts cost units. Raises AllowanceSpent if fewer than `units` are left."""
        self.left -= units
        if self.left < 0:
            raise AllowanceSpent
