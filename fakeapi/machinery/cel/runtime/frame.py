"""State of one evaluation: the values of variables, and the cost so far."""

from collections.abc import Mapping
from typing import Any


class CostLimitError(Exception):
    """The evaluation exceeded its cost limit."""


class Frame:
    """Variables and cost counter of one evaluation.

    Loops add and remove `variables` while they run. `cost` is the total so far; each step adds its own.
    """

    __slots__ = ("cost", "limit", "variables")

    def __init__(self, variables: Mapping[str, Any], limit: int) -> None:
        self.variables = dict(variables)
        self.cost = 0
        self.limit = limit

    def check(self) -> None:
        """Raises CostLimitError if the cost exceeds the limit.

        Loops call it in every iteration, so that the cost between two calls is bounded by the length of the
        expression.
        """
        if self.cost > self.limit:
            raise CostLimitError
