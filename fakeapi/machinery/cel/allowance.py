"""Bounds the time that a step on the event loop spends evaluating expressions.

Kubernetes allows the rules of one object a cost of about a second, and this package's interpreter takes ten
times as long for the same cost. A step that runs within an `Allowance` ends with `AllowanceSpent` once its
allowance is used up. The caller then runs the step again without an allowance, off the event loop. Therefore
the step must not change its arguments.
"""

from contextvars import ContextVar, Token
from types import TracebackType
from typing import Self

EVALUATION_UNITS = 5
"""Cost units charged for starting an evaluation, because every item of a list may have a cheap rule."""

_current: ContextVar["Allowance | None"] = ContextVar("allowance", default=None)


def current() -> "Allowance | None":
    """The allowance of the running step; None if only the cost limits of the expressions themselves apply."""
    return _current.get()


class AllowanceSpent(Exception):
    """The step went over its allowance; it was abandoned and has to run again without one."""


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
        """Deducts cost units. Raises AllowanceSpent when none are left."""
        self.left -= units
        if self.left < 0:
            raise AllowanceSpent
