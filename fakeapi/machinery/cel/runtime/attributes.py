"""Evaluates variables, and selections of fields, keys and indices.

Follows cel-go `interpreter/attributes.go`: a chain of selections is evaluated as a whole. The evaluation
costs 1 CEL cost unit for each selection and 1 for the chain.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import msgspec

from fakeapi.machinery.cel.runtime.frame import Frame
from fakeapi.machinery.cel.runtime.texts import text_of
from fakeapi.machinery.cel.runtime.values import (
    INT_MAX,
    MISSING,
    NO_OVERLOAD,
    NONE,
    Err,
    ListValue,
    MapValue,
    Optional,
    UInt,
    type_name,
)

Step: TypeAlias = Callable[[Frame], Any]
"""A function that evaluates one syntax node of an expression: (frame with the variables) -> CEL value."""


class Qualifier(msgspec.Struct):
    """A selection of a field, key or index: the constant `key`, or the result of `dynamic`.

    `optional`: whether the selection is written `.?` or `[?]`.
    `tests`: whether the selection is within `has()`, and only tests whether the field exists.
    """

    key: Any = None
    dynamic: Step | None = None
    optional: bool = False
    tests: bool = False


class Attribute(msgspec.Struct):
    """A variable or other expression, and a chain of selections on it.

    - `start`: evaluates the operand; for a conditional, evaluates the condition.
    - `branches`: the two branches of a conditional; None for other expressions.
    - `weight`: the CEL cost units without the selections.
    - `variable`: the name of the operand if it is a variable without selections, otherwise "".
    """

    start: Step
    qualifiers: list[Qualifier] = msgspec.field(default_factory=list)
    branches: "tuple[Attribute, Attribute] | None" = None
    weight: int = 1
    variable: str = ""

    def add(self, qualifier: Qualifier) -> None:
        if self.branches is None:
            self.qualifiers.append(qualifier)
        else:
            for branch in self.branches:
                branch.add(qualifier)

    def resolver(self) -> Step:
        """Returns the function that evaluates the attribute. The function does not charge `weight`.

        Call this method after the last call of `add`.
        """
        if self.branches is not None:
            return _conditional(self.start, self.branches[0].resolver(), self.branches[1].resolver())
        if not self.qualifiers:
            return _unqualified(self.start)
        return _qualified(self.start, tuple(self.qualifiers))


def _conditional(condition: Step, truthy: Step, falsy: Step) -> Step:
    def resolve(frame: Frame) -> Any:
        value = condition(frame)
        if value is True:
            return truthy(frame)
        if value is False:
            return falsy(frame)
        return value if type(value) is Err else NO_OVERLOAD

    return resolve


def _unqualified(start: Step) -> Step:
    def resolve(frame: Frame) -> Any:
        value = start(frame)
        if type(value) is Optional and value.present:
            return Optional(native(value.value))
        return value

    return resolve


def _qualified(start: Step, qualifiers: tuple[Qualifier, ...]) -> Step:
    def resolve(frame: Frame) -> Any:
        value = start(frame)
        kind = type(value)
        if kind is Err:
            return value
        is_optional = False
        if kind is Optional:
            if not value.present:
                return value
            is_optional = True
            value = native(value.value)
        for qualifier in qualifiers:
            is_optional = is_optional or qualifier.optional
            key = qualifier.key
            if qualifier.dynamic is not None:
                key = qualifier.dynamic(frame)
                if type(key) is Err:
                    frame.cost += 1
                    return key
            selected = select(value, key, tests=is_optional or qualifier.tests)
            if qualifier.tests:
                frame.cost += 1
                if type(selected) is Err:
                    return selected
                value = selected is not MISSING
                continue
            if selected is MISSING:
                return NONE
            frame.cost += 1
            if type(selected) is Err:
                return selected
            value = selected
        return Optional(value) if is_optional and not qualifiers[-1].tests else value

    return resolve


def native(value: Any) -> Any:
    """Returns a CEL list or map without the types of its schema; returns other values unchanged.

    cel-go converts the values of optionals in this way.
    """
    return value.native() if isinstance(value, ListValue | MapValue) else value


def select(value: Any, key: Any, *, tests: bool) -> Any:
    """Returns the value at a key or index. If the value does not exist, returns an `Err`.

    If `tests` is true, as for `has()` and optional selections, returns MISSING instead of this `Err`.
    """
    if isinstance(value, MapValue):
        member = value.find(key)
        if member is MISSING and not tests:
            return Err(f"no such key: {text_of(key)}")
        return member
    if isinstance(value, ListValue):
        index = _index(key)
        if type(index) is Err:
            return index
        if 0 <= index < len(value):
            return value.at(index)
        return MISSING if tests else Err(f"index out of bounds: {text_of(key)}")
    if type(value) is Err:
        return value
    return MISSING if tests else Err(f"no such key: {text_of(key)}")


def _index(key: Any) -> Any:
    kind = type(key)
    if kind is int:
        return key
    if kind is UInt or kind is float:
        if abs(key) <= INT_MAX and int(key) == key:
            return int(key)
        return Err(f"unsupported index value {text_of(key)} in list")
    return Err(f"unsupported index type '{type_name(key)}' in list")
