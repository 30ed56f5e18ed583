"""Evaluates planned CEL expressions with variables, and with limits on cost and memory.

Follows cel-go `program.go`.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from fakeapi.machinery.cel import allowance, limits
from fakeapi.machinery.cel.runtime import cost
from fakeapi.machinery.cel.runtime.attributes import Step
from fakeapi.machinery.cel.runtime.frame import CostLimitError, Frame
from fakeapi.machinery.cel.runtime.memory import Memory, MemoryLimitError
from fakeapi.machinery.cel.runtime.values import Err


class Dialect(msgspec.Struct, frozen=True, kw_only=True):
    """Differences between releases in evaluating CEL expressions.

    - `reads_affix`: changes the cost of `startsWith`, `endsWith` and `matches`, see `cost.cost_of`.
    - `binds_lazily`: whether the initial value of a loop, or the value of `cel.bind`, is evaluated on first
      read.
    - `variants`: names of function variants, from `functions.VARIANTS`.
    - `unpriced`: names of functions whose calls always cost 1 CEL cost unit at run time.
    """

    reads_affix: bool
    binds_lazily: bool
    variants: frozenset[str] = frozenset()
    unpriced: frozenset[str] = frozenset()


class Evaluation(msgspec.Struct, frozen=True):
    """The result of evaluating a CEL expression.

    `value`: the CEL value; an `Err` if the evaluation failed.
    `cost`: the total CEL cost units.
    `exceeded`: whether the cost or the memory exceeded its limit; `value` is then None.
    """

    value: Any
    cost: int
    exceeded: bool = False


class Program:
    """A planned CEL expression. You can evaluate it any number of times."""

    __slots__ = ("_step",)

    def __init__(self, step: Step) -> None:
        self._step = step

    def evaluate(
        self,
        variables: Mapping[str, Any],
        limit: int = limits.EVALUATION_COST_MAX,
        memory: Memory | None = None,
    ) -> Evaluation:
        """Evaluates the expression.

        Raises AllowanceSpent if the evaluation costs more than the current `Allowance` has left.

        `variables`: CEL values by variable name.
        `limit`: the limit in CEL cost units.
        `memory`: a memory limit shared with other evaluations; None for a limit only for this evaluation.
        """
        with memory or Memory():
            within = allowance.current()
            if within is None:
                return self._evaluated(variables, limit, limit)
            within.pay(allowance.EVALUATION_UNITS)
            result = self._evaluated(variables, limit, min(limit, within.left))
            within.pay(result.cost)
            return result

    def _evaluated(self, variables: Mapping[str, Any], limit: int, stops_at: int) -> Evaluation:
        """Evaluates the expression; stops if the cost exceeds `stops_at`. `stops_at` may be below `limit`.

        In the result, `exceeded` is True only if the cost exceeds `limit`, or the memory exceeds the memory
        limit.
        """
        frame = Frame(variables, stops_at)
        try:
            value = self._step(frame)
            frame.check()
        except CostLimitError:
            return Evaluation(None, frame.cost, exceeded=frame.cost > limit)
        except (MemoryLimitError, RecursionError):  # policy variables may nest values without limit
            return Evaluation(None, frame.cost, exceeded=True)
        except cost.UncountableError as error:
            return Evaluation(Err(f"internal error: {error}"), frame.cost)
        return Evaluation(value, frame.cost)
