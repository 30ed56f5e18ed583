"""A planned expression, which is evaluated with variables and within a cost limit.

Follows cel-go `program.go`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fakeapi.machinery.cel import allowance, limits
from fakeapi.machinery.cel.runtime import cost
from fakeapi.machinery.cel.runtime.attributes import Step
from fakeapi.machinery.cel.runtime.frame import CostLimitError, Frame
from fakeapi.machinery.cel.runtime.memory import Memory, MemoryLimitError
from fakeapi.machinery.cel.runtime.values import Err


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """Differences between releases in how expressions are evaluated.

    `reads_affix`: see `cost.cost_of`. `binds_lazily`: the initial value of a loop, such as the value of
    `cel.bind`, is evaluated when it is first read. `variants`: the function variants in use, of
    `functions.VARIANTS`. `unpriced`: functions that cost 1 at run time.
    """

    reads_affix: bool
    binds_lazily: bool
    variants: frozenset[str] = frozenset()
    unpriced: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The result of an evaluation.

    `value` is an Err if the expression failed. `cost` is the total. `exceeded`: the cost or the memory went
    over its limit; `value` is None.
    """

    value: Any
    cost: int
    exceeded: bool = False


class Program:
    """A planned expression, which can be evaluated any number of times."""

    __slots__ = ("_step",)

    def __init__(self, step: Step) -> None:
        self._step = step

    def evaluate(
        self,
        variables: Mapping[str, Any],
        limit: int = limits.EVALUATION_COST_MAX,
        memory: Memory | None = None,
    ) -> Evaluation:
        """Evaluates the expression. Raises AllowanceSpent if it needs more than the running `Allowance` has
        left.

        `memory`: shared with other evaluations; otherwise the evaluation has its own.
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
        """Evaluates until the cost goes over `stops_at`, which may be less than `limit`."""
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
