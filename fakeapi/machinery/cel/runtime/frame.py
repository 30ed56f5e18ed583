"""State of one evaluation: what variables stand for, and what has been spent."""

from collections.abc import Mapping
from typing import Any


class CostLimitError(Exception):
    """The evaluation costs more than it may."""


class Frame:
    """`variables` may be added to and taken from while loops run. `cost` is what has been spent so far:
    whoever spends adds to it.
    """

    __slots__ = ("cost", "limit", "variables")

    def __init__(self, variables: Mapping[str, Any], limit: int) -> None:
        self.variables = dict(variables)
        self.cost = 0
        self.limit = limit

    def check(self) -> None:
        """Raises CostLimitError once more is spent than may be. Loops ask each time round, so that what is
        spent between is bounded by the length of the expression.
        """
        if self.cost > self.limit:
            raise CostLimitError
