"""Converts planned syntax nodes (constants and attributes) to functions that evaluate them.

Follows cel-go `interpreter/interpretable.go`.
"""

from typing import Any

import msgspec

from fakeapi.machinery.cel.runtime.attributes import Attribute, Step, native
from fakeapi.machinery.cel.runtime.frame import Frame
from fakeapi.machinery.cel.runtime.values import Err, Optional


class Constant(msgspec.Struct):
    value: Any


Planned = Constant | Attribute | Step


class Lazy:
    """The value of a CEL variable that no expression has read yet. The first read evaluates `step`."""

    __slots__ = ("step",)

    def __init__(self, step: Step) -> None:
        self.step = step


def step_of(planned: Planned) -> Step:
    """Returns a function that evaluates a planned syntax node and charges its cost."""
    if isinstance(planned, Constant):
        value = planned.value
        return lambda frame: value
    if not isinstance(planned, Attribute):
        return planned
    if planned.weight and planned.variable and not planned.qualifiers:
        return variable(planned.variable, weight=planned.weight)
    resolve = planned.resolver()
    if planned.weight == 0 or planned.branches is not None:
        return resolve

    def evaluate(frame: Frame) -> Any:
        value = resolve(frame)
        frame.cost += 1
        return value

    return evaluate


def variable(name: str, *, weight: int) -> Step:
    """Returns a function that reads a CEL variable, at a cost of `weight` CEL cost units.

    The function returns an `Err` for an unknown variable.
    """
    missing = Err(f"no such attribute(s): {name}")

    def find(frame: Frame) -> Any:
        value = frame.variables.get(name, missing)
        frame.cost += weight
        kind = type(value)
        if kind is Lazy:
            value = frame.variables[name] = value.step(frame)
            kind = type(value)
        if kind is Optional and value.present:
            return Optional(native(value.value))
        return value

    return find
