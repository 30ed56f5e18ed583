"""CEL operators and `size`: arithmetic, order and membership.

Follows cel-go `common/stdlib` and `common/types`.
"""

import math
from collections.abc import Callable
from typing import Any

from fakeapi.machinery.cel.runtime.values import (
    INT_MAX,
    INT_MIN,
    NO_OVERLOAD,
    SECOND,
    UINT_MAX,
    Duration,
    Err,
    ListValue,
    MapValue,
    Timestamp,
    UInt,
    compare,
    is_ordered,
)

INT_OVERFLOW = Err("integer overflow")
UINT_OVERFLOW = Err("unsigned integer overflow")
DURATION_OVERFLOW = Err("duration overflow")
TIMESTAMP_OVERFLOW = Err("timestamp overflow")
_FIRST, _LAST = -62_135_596_800 * SECOND, 253_402_300_800 * SECOND
_RECEIVERS = frozenset((str, Duration, Timestamp))


def _refused(value: Any, function: str) -> Err:
    """Returns the error for an operand whose type does not support an operator.

    For strings, durations and timestamps, the error does not name the operator.
    """
    return NO_OVERLOAD if type(value) in _RECEIVERS else Err(f"no such overload: {function}")


def an_int(number: int) -> Any:
    return number if INT_MIN <= number <= INT_MAX else INT_OVERFLOW


def _a_uint(number: int) -> Any:
    return UInt(number) if 0 <= number <= UINT_MAX else UINT_OVERFLOW


def a_duration(nanoseconds: int) -> Any:
    return Duration(nanoseconds) if INT_MIN <= nanoseconds <= INT_MAX else DURATION_OVERFLOW


def a_timestamp(nanoseconds: int, offset: int = 0) -> Any:
    return Timestamp(nanoseconds, offset) if _FIRST <= nanoseconds < _LAST else TIMESTAMP_OVERFLOW


def add(one: Any, other: Any) -> Any:
    kind = type(one)
    if isinstance(one, ListValue):
        return one.plus(other)
    if kind is Duration and type(other) is Timestamp:
        return a_timestamp(other.nanoseconds + one.nanoseconds, other.offset)
    if kind is Timestamp:
        if type(other) is not Duration:
            return NO_OVERLOAD
        return a_timestamp(one.nanoseconds + other.nanoseconds, one.offset)
    if kind not in _SUMS:
        return _refused(one, "_+_")
    return _SUMS[kind](one, other) if type(other) is kind else NO_OVERLOAD


_SUMS: dict[type, Callable[[Any, Any], Any]] = {
    int: lambda one, other: an_int(one + other),
    UInt: lambda one, other: _a_uint(int(one) + int(other)),
    float: lambda one, other: one + other,
    str: lambda one, other: one + other,
    bytes: lambda one, other: one + other,
    Duration: lambda one, other: a_duration(one.nanoseconds + other.nanoseconds),
}


def _subtract(one: Any, other: Any) -> Any:
    kind = type(one)
    if kind is Timestamp:
        if type(other) is Duration:
            return a_timestamp(one.nanoseconds - other.nanoseconds, one.offset)
        return a_duration(one.nanoseconds - other.nanoseconds) if type(other) is Timestamp else NO_OVERLOAD
    if kind not in _DIFFERENCES:
        return _refused(one, "_-_")
    return _DIFFERENCES[kind](one, other) if type(other) is kind else NO_OVERLOAD


_DIFFERENCES: dict[type, Callable[[Any, Any], Any]] = {
    int: lambda one, other: an_int(one - other),
    UInt: lambda one, other: _a_uint(int(one) - int(other)),
    float: lambda one, other: one - other,
    Duration: lambda one, other: a_duration(one.nanoseconds - other.nanoseconds),
}


def _numeric(function: str, kinds: dict[type, Callable[[Any, Any], Any]]) -> Callable[[Any, Any], Any]:
    def calculate(one: Any, other: Any) -> Any:
        kind = type(one)
        if kind not in kinds:
            return _refused(one, function)
        return kinds[kind](one, other) if type(other) is kind else NO_OVERLOAD

    return calculate


def _quotient(one: int, other: int) -> int:
    """Divides integers; the result is rounded towards zero."""
    quotient = abs(one) // abs(other)
    return quotient if (one < 0) == (other < 0) else -quotient


def _divided_double(one: float, other: float) -> float:
    if other:
        return one / other
    if not one or math.isnan(one):
        return math.nan
    return math.copysign(math.inf, one) * math.copysign(1, other)


_DIVIDE_BY_ZERO, _MODULUS_BY_ZERO = Err("division by zero"), Err("modulus by zero")

_multiply = _numeric(
    "_*_",
    {
        int: lambda one, other: an_int(one * other),
        UInt: lambda one, other: _a_uint(int(one) * int(other)),
        float: lambda one, other: one * other,
    },
)
_divide = _numeric(
    "_/_",
    {
        int: lambda one, other: an_int(_quotient(one, other)) if other else _DIVIDE_BY_ZERO,
        UInt: lambda one, other: UInt(int(one) // int(other)) if other else _DIVIDE_BY_ZERO,
        float: _divided_double,
    },
)


def _remainder(one: int, other: int) -> Any:
    if not other:
        return _MODULUS_BY_ZERO
    return INT_OVERFLOW if one == INT_MIN and other == -1 else one - _quotient(one, other) * other


_modulo = _numeric(
    "_%_",
    {
        int: _remainder,
        UInt: lambda one, other: UInt(int(one) % int(other)) if other else _MODULUS_BY_ZERO,
    },
)


def _negate(value: Any) -> Any:
    match value:
        case bool():
            return NO_OVERLOAD
        case UInt():
            return Err("no such overload: -_")
        case int():
            return an_int(-value)
        case float():
            return -value
        case Duration():
            return a_duration(-value.nanoseconds)
        case _:
            return _refused(value, "-_")


def _not(value: Any) -> Any:
    return not value if type(value) is bool else NO_OVERLOAD


def _ordering(function: str, outcomes: tuple[int, ...]) -> Callable[[Any, Any], Any]:
    def order(one: Any, other: Any) -> Any:
        if type(one) is int and type(other) is int:
            return ((one > other) - (one < other)) in outcomes
        if not is_ordered(one):
            return Err(f"no such overload: {function}")
        outcome = compare(one, other)
        return outcome if type(outcome) is Err else outcome in outcomes

    return order


def contains(value: Any, container: Any) -> Any:
    if isinstance(container, ListValue):
        return container.contains(value)
    if isinstance(container, MapValue):
        return container.holds(value)
    return NO_OVERLOAD


def _size(value: Any) -> Any:
    if type(value) in {str, bytes} or isinstance(value, ListValue | MapValue):
        return len(value)
    return _refused(value, "size")


SINGLETONS: dict[str, Callable[..., Any]] = {
    "_+_": add,
    "_-_": _subtract,
    "_*_": _multiply,
    "_/_": _divide,
    "_%_": _modulo,
    "-_": _negate,
    "!_": _not,
    "_<_": _ordering("_<_", (-1,)),
    "_<=_": _ordering("_<=_", (-1, 0)),
    "_>_": _ordering("_>_", (1,)),
    "_>=_": _ordering("_>=_", (1, 0)),
    "@in": contains,
    "size": _size,
}
