"""Validates numbers by the minimum, maximum, multipleOf and format of a schema.

Follows numberValidator of k8s.io/kube-openapi `pkg/validation/validate`, and github.com/go-openapi/swag.
"""

import math
from collections.abc import Iterator
from decimal import Decimal

from fakeapi.machinery.golang.fmt import printed
from fakeapi.machinery.golang.numbers import INT64_MAX, INT64_MIN
from fakeapi.machinery.structural.results import Problem, Reporter
from fakeapi.machinery.structural.schema import Schema

_WHOLE_MAX = float((1 << 53) - 1)
_EPSILON = 1e-9
_FLOAT32_MAX = 3.4028235677973366e38
"""The smallest number that is too large for a float32."""
_INT32 = (-(1 << 31), (1 << 31) - 1)


def number_problems(
    value: float,
    schema: Schema,
    path: str,
    report: Reporter,
    kind: str,
    format_: str,
) -> Iterator[Problem]:
    """Yields the problems of a number that does not fit the bounds or the format of a schema.

    - `report`: creates the problems
    - `kind`: "integer" or "number"; "" if the schema has neither type, or the release checks no ranges
    - `format_`: the format whose range is checked; "" for none
    """
    message = _out_of_range(value, kind, format_, "Checked", path)
    if message:
        yield report.unplaced(message)
    bounds = (
        (schema.multiple_of, "MultipleOf", _multiple),
        (schema.minimum, "Minimum boundary", _minimum),
        (schema.maximum, "Maximum boundary", _maximum),
    )
    for bound, name, check in bounds:
        if bound is None:
            continue
        message = _out_of_range(bound, kind, format_, name, path)
        if message:
            yield report.unplaced(message)
        if isinstance(value, int) and not message:
            problem = check(value, _as_int64(bound), schema, path, report)
        else:
            problem = check(float(value), bound, schema, path, report)
        if problem is not None:
            yield problem


def is_whole(value: float) -> bool:
    """Whether a float counts as an integer: at most 53 bits, and whole except for rounding errors."""
    if not math.isfinite(value) or abs(value) > _WHOLE_MAX:
        return False
    whole = math.trunc(value)
    if value == whole:
        return True
    return value >= 1 and (value - whole) / (value + whole) < _EPSILON


def _maximum(value: float, bound: float, schema: Schema, path: str, report: Reporter) -> Problem | None:
    exclusive = schema.exclusive_maximum
    if value < bound or (value == bound and not exclusive):
        return None
    word = "less than" if exclusive else "less than or equal to"
    return report.invalid(path, value, f"{path} in body should be {word} {printed(bound)}")


def _minimum(value: float, bound: float, schema: Schema, path: str, report: Reporter) -> Problem | None:
    exclusive = schema.exclusive_minimum
    if value > bound or (value == bound and not exclusive):
        return None
    word = "greater than" if exclusive else "greater than or equal to"
    return report.invalid(path, value, f"{path} in body should be {word} {printed(bound)}")


def _multiple(value: float, factor: float, schema: Schema, path: str, report: Reporter) -> Problem | None:
    if factor <= 0:
        message = f"factor MultipleOf declared for {path} must be positive: {printed(factor)}"
        return report.invalid(path, factor, message)
    if isinstance(value, int) and isinstance(factor, int):
        fits = value % factor == 0
    else:
        fits = is_whole(1 / factor * value if factor < 1 else value / factor)
    if fits:
        return None
    return report.invalid(path, value, f"{path} in body should be a multiple of {printed(factor)}")


def _as_int64(bound: float) -> int:
    """Converts a float to an int64 like Go on amd64.

    Drops the fraction; numbers out of range become the smallest int64.
    """
    if not math.isfinite(bound):
        return INT64_MIN
    whole = math.trunc(bound)
    return whole if INT64_MIN <= whole <= INT64_MAX else INT64_MIN


def _out_of_range(value: float, kind: str, format_: str, what: str, path: str) -> str:
    """Returns the error for a number that is out of range for its type and format; "" if it is in range.

    - `kind`: "integer" or "number"; "" counts as "number"
    - `what`: the first word of the error, which names the number
    """
    if kind == "integer":
        least, most = _INT32 if format_ == "int32" else (INT64_MIN, INT64_MAX)
        exact = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
        if exact == exact.to_integral_value() and least <= exact <= most:
            return ""
    elif format_ != "float" or abs(value) < _FLOAT32_MAX:
        return ""
    kind = kind or "number"
    if format_:
        return f"{what} value must be of type {kind} with format {format_} in {path}"
    return f"{what} value must be of type {kind} (default format) in {path}"
