"""Evaluates comprehensions: loops over a list or map that compute an accumulator.

Follows cel-go `interpreter/interpretable.go` (evalFold).
"""

from typing import Any

import msgspec

from fakeapi.machinery.cel.runtime.attributes import Step
from fakeapi.machinery.cel.runtime.frame import Frame
from fakeapi.machinery.cel.runtime.memory import look
from fakeapi.machinery.cel.runtime.planned import Lazy
from fakeapi.machinery.cel.runtime.values import (
    Entries,
    Err,
    Growing,
    GrowingEntries,
    Items,
    ListValue,
    MapValue,
    type_name,
)

_UNSET = object()


def _growing(value: Any) -> Any:
    """Replaces an empty list or map with a list or map that the loop can extend in place.

    Returns other values unchanged.
    """
    if type(value) is Items and not len(value):
        return Growing([])
    return GrowingEntries() if type(value) is Entries and not len(value) else value


def _grown(value: Any) -> Any:
    if type(value) is GrowingEntries:
        return value.complete()
    return Items(value.items) if type(value) is Growing else value


class Loop(msgspec.Struct, frozen=True):
    """A comprehension: a loop over a list or map that computes an accumulator.

    - `accumulator`, `variables`: names of CEL variables.
    - `initial`, `condition`, `next`, `result`: functions that evaluate the parts of the loop.
    - `is_lazy`: whether `initial` is evaluated only when the accumulator is first read.
    """

    accumulator: str
    variables: tuple[str, ...]
    initial: Step
    condition: Step
    next: Step
    result: Step
    is_lazy: bool

    def run(self, frame: Frame, values: Any) -> Any:
        if not isinstance(values, ListValue | MapValue):
            return Err(f"got '{type_name(values)}', expected iterable type")
        variables = frame.variables
        names = (self.accumulator, *self.variables)
        outer = [variables.get(name, _UNSET) for name in names]
        variables[self.accumulator] = self._start(frame, dict(zip(names, outer, strict=True)))
        try:
            self._iterate(frame, values)
            for name, value in zip(names[1:], outer[1:], strict=True):
                _restore(variables, name, value)
            return _grown(self.result(frame))
        finally:
            for name, value in zip(names, outer, strict=True):
                _restore(variables, name, value)

    def _start(self, frame: Frame, outer: dict[str, Any]) -> Any:
        """Returns the accumulator's initial value; a `Lazy` value if the loop is lazy.

        The variables of the loop are not visible to the expression of the initial value. `outer`: the
        variables of the same names around the loop.
        """
        if not self.is_lazy:
            return _growing(self.initial(frame))

        def evaluate(frame: Frame) -> Any:
            hidden = {name: frame.variables.get(name, _UNSET) for name in outer}
            for name, value in outer.items():
                _restore(frame.variables, name, value)
            value = _growing(self.initial(frame))
            for name, before in hidden.items():
                _restore(frame.variables, name, before)
            return value

        return Lazy(evaluate)

    def _iterate(self, frame: Frame, values: Any) -> None:
        variables = frame.variables
        for bound in self._given(values):
            for name, value in zip(self.variables, bound, strict=True):
                variables[name] = value
            going = self.condition(frame)
            if going is False:
                return
            variables[self.accumulator] = self.next(frame)
            frame.check()

    def _given(self, values: Any) -> Any:
        if isinstance(values, MapValue):
            look(len(values))  # Iterating over a map lists all its keys, even if the loop ends early.
        if len(self.variables) == 1:
            return ((value,) for value in values)
        if isinstance(values, ListValue):
            return enumerate(values)
        return ((key, values.find(key)) for key in values)


def _restore(variables: dict[str, Any], name: str, value: Any) -> None:
    if value is _UNSET:
        variables.pop(name, None)
    else:
        variables[name] = value
