"""Bounds the time that a function on the event loop spends evaluating CEL expressions.

Kubernetes limits the cost of one object's CEL rules to about a second. The interpreter of this package takes
ten times as long for the same cost. On its event loop, the server calls functions that evaluate CEL in an
`Allowance` context. An evaluation that uses up the allowance raises `AllowanceSpent`, and the server calls
the function again in another thread. Therefore these functions must not change their arguments.
"""

from contextvars import ContextVar, Token
from types import TracebackType
from typing import Self

EVALUATION_UNITS = 5
"""Cost units that each CEL evaluation deducts from the `Allowance`, in addition to its CEL cost.

The units bound the time of many cheap evaluations, such as evaluations of one rule for every item of a long
list.
"""

_current: ContextVar["Allowance | None"] = ContextVar("allowance", default=None)


def current() -> "Allowance | None":
    """Returns the `Allowance` of the current context; None if the context has no allowance.

    Without an allowance, only the limits of each CEL expression apply.
    """
    return _current.get()


class AllowanceSpent(Exception):
    """The current `Allowance` is used up; the caller must repeat the work without an allowance."""


class Allowance:
    """Context manager: limits the total cost of the CEL evaluations inside it to `units` cost units.

    `left`: the cost units that are left.
    """

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
