"""Plans CEL calls: creates functions that evaluate the arguments, return the first error and charge the cost.

Follows cel-go `interpreter/interpretable.go`. The rules for errors differ between operators.
"""

from collections.abc import Callable, Sequence
from sys import getsizeof
from typing import Any

from fakeapi.machinery.cel.runtime import cost
from fakeapi.machinery.cel.runtime.attributes import Step
from fakeapi.machinery.cel.runtime.frame import Frame
from fakeapi.machinery.cel.runtime.memory import take
from fakeapi.machinery.cel.runtime.planned import Constant
from fakeapi.machinery.cel.runtime.values import MISSING, NO_OVERLOAD, Entries, Err, Optional, UInt, equal


def logical(steps: Sequence[Step], *, decisive: bool) -> Step:
    """Plans `&&` or `||`. If an operand equals `decisive`, it is the result, even if other operands fail.

    `steps`: evaluate the operands
    `decisive`: False for `&&`, True for `||`
    """

    def evaluate(frame: Frame) -> Any:
        error: Any = None
        for step in steps:
            value = step(frame)
            if value is decisive:
                return decisive
            if type(value) is not bool and error is None:
                error = value if type(value) is Err else NO_OVERLOAD
        return not decisive if error is None else error

    return evaluate


def either(first: Step, second: Step, *, unwraps: bool) -> Step:
    """Plans `or` and `orValue`: evaluates `second` only if the first optional is empty.

    `unwraps`: whether the result is the value inside the first optional, as for `orValue`.
    """

    def evaluate(frame: Frame) -> Any:
        value = first(frame)
        if type(value) is Err:
            return value
        if type(value) is not Optional:
            return NO_OVERLOAD
        if value.present:
            return value.value if unwraps else value
        return second(frame)

    return evaluate


def charged(implementation: Callable[..., Any], steps: list[Step], charge: cost.Cost) -> Step:
    """Plans a call. The first argument that is an error is the result.

    - `implementation`: the implementation of the function
    - `steps`: evaluate the arguments
    - `charge`: computes the cost of the call
    """
    if len(steps) == 2:
        return _strict_binary(implementation, steps[0], steps[1], charge)
    if len(steps) == 1:
        return _strict_unary(implementation, steps[0], charge)
    return dispatched(implementation, steps, charge)


def differ(one: Any, other: Any) -> bool:
    return equal(one, other) is not True


def not_strictly_false(value: Any) -> Any:
    return value if type(value) is bool else True


def membership(values: Any, step: Step, *, forgives: bool) -> Constant | Step | None:
    """Plans `x in values` for a constant list of scalars; returns None for other lists.

    The call has no cost, except the cost of evaluating `x`.

    `step`: evaluates `x`.
    `forgives`: whether the result is false if `x` is an error.
    """
    items = list(values)
    if not items:
        return Constant(False)
    if any(type(item) not in {bool, int, UInt, float, str, type(None)} for item in items):
        return None
    present = Entries((item, True) for item in items)

    def evaluate(frame: Frame) -> Any:
        value = step(frame)
        if type(value) is Err:
            return False if forgives else value
        return present.find(value) is not MISSING

    return evaluate


def lenient(implementation: Callable[..., Any], step: Step, charge: cost.Cost) -> Step:
    """Plans a call of a function with one argument. The function also receives arguments that are errors.

    - `implementation`: the implementation of the function
    - `step`: evaluates the argument
    - `charge`: computes the cost of the call
    """

    def evaluate(frame: Frame) -> Any:
        argument = step(frame)
        value = implementation(argument)
        frame.cost += charge((argument,), value)
        return value

    return evaluate


_SMALL = 256
"""Maximum length of results (strings and bytes) that do not count against the memory limit.

The cost limit bounds the number of these short results.
"""


def _counted(value: Any) -> Any:
    """Counts the result of a call against the memory limit; returns the result.

    Only strings and bytes with more than _SMALL characters or bytes count.
    """
    kind = type(value)
    if (kind is str or kind is bytes) and len(value) > _SMALL:
        take(getsizeof(value))
    return value


def _strict_unary(implementation: Callable[..., Any], step: Step, charge: cost.Cost) -> Step:
    def evaluate(frame: Frame) -> Any:
        argument = step(frame)
        value = argument if type(argument) is Err else implementation(argument)
        if value is not argument:
            _counted(value)
        frame.cost += charge((argument,), value)
        return value

    return evaluate


def _strict_binary(implementation: Callable[..., Any], first: Step, second: Step, charge: cost.Cost) -> Step:
    def evaluate(frame: Frame) -> Any:
        one = first(frame)
        other = second(frame)
        if type(one) is Err:
            value: Any = one
        elif type(other) is Err:
            value = other
        else:
            value = _counted(implementation(one, other))
        frame.cost += charge((one, other), value)
        return value

    def evaluate_at_one(frame: Frame) -> Any:
        one = first(frame)
        other = second(frame)
        frame.cost += 1
        if type(one) is Err:
            return one
        return other if type(other) is Err else _counted(implementation(one, other))

    return evaluate_at_one if charge is cost.one else evaluate


def dispatched(implementation: Callable[..., Any], steps: Sequence[Step], charge: cost.Cost) -> Step:
    """Plans a call that stops evaluating its arguments at the first error.

    If the error is in the last argument, the call still charges its cost; otherwise it charges nothing.

    - `implementation`: the implementation of the function
    - `steps`: evaluate the arguments
    - `charge`: computes the cost of the call
    """
    last = len(steps) - 1

    def evaluate(frame: Frame) -> Any:
        arguments = []
        for position, step in enumerate(steps):
            argument = step(frame)
            arguments.append(argument)
            if type(argument) is Err:
                if position == last:
                    frame.cost += charge(arguments, argument)
                return argument
        value = _counted(implementation(*arguments))
        frame.cost += charge(arguments, value)
        return value

    return evaluate
