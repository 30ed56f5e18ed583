"""The state of one evaluation of a CEL expression: the values of variables, and the cost so far."""

from collections.abc import Mapping
from typing import Any


class CostLimitError(Exception):
    """The evaluation of a CEL expression exceeded its cost limit."""


class Frame:
    """The variables and the cost counter of one evaluation.

    `variables`: CEL values by variable name; loops add their own variables while they run.
    `cost`: the CEL cost units so far; each evaluated part of the expression adds its cost.
    """

    __slots__ = ("cost", "limit", "variables")

    def __init__(self, variables: Mapping[str, Any], limit: int) -> None:
        self.variables = dict(variables)
        self.cost = 0
        self.limit = limit

    def check(self) -> None:
        """Raises CostLimitError if the cost exceeds the limit.

        Loops call this method in every iteration. The length of the expression therefore limits the number of
        operations between two calls.
        """
        if self.cost > self.limit:
            raise CostLimitError
