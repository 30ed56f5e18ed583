"""Formats decoded JSON for messages, like `%v` of Go's package fmt."""

import struct
from decimal import Decimal
from typing import Any


def printed(value: Any) -> str:
    """Formats a JSON value like Go's `%v` and `%+v`: `map[a:1 b:[x <nil>]]`, with sorted keys."""
    match value:
        case None:
            return "<nil>"
        case True:
            return "true"
        case False:
            return "false"
        case str():
            return value
        case float():
            return shortest_float(value)
        case dict():
            return f"map[{' '.join(f'{key}:{printed(item)}' for key, item in sorted(value.items()))}]"
        case list():
            return f"[{' '.join(map(printed, value))}]"
        case _:
            return str(value)


def shortest_float(value: float, *, bits: int = 64) -> str:
    """Formats a finite float with the fewest digits, like Go's FormatFloat with format `g`.

    Numbers get an exponent if their absolute value is at least 1e+06, or below 1e-04 and not 0. `bits` is 32
    or 64.
    """
    number = Decimal(repr(value)) if bits == 64 else _shortest_float32(value)
    sign, digits, exponent = number.normalize().as_tuple()
    assert isinstance(exponent, int)
    text = "".join(map(str, digits))
    power = len(text) + exponent - 1
    minus = "-" if sign else ""
    if value == 0:
        return f"{minus}0"
    if -4 <= power < 6:
        return minus + format(abs(number.normalize()), "f")
    point = "." if len(text) > 1 else ""
    return f"{minus}{text[0]}{point}{text[1:]}e{power:+03d}"


def _shortest_float32(value: float) -> Decimal:
    packed = struct.pack("f", value)
    (rounded,) = struct.unpack("f", packed)
    texts = (f"{rounded:.{precision}e}" for precision in range(9))
    return Decimal(next(text for text in texts if struct.pack("f", float(text)) == packed))


def type_name(value: Any) -> str:
    """Returns the Go type of a decoded JSON value, as `%s` prints its reflect.Type."""
    return "%!s(<nil>)" if value is None else go_type(value)


def go_type(value: Any) -> str:
    """Returns the Go type of a decoded JSON value, as `%T` prints it."""
    match value:
        case bool():
            return "bool"
        case str():
            return "string"
        case int():
            return "int64"
        case float():
            return "float64"
        case dict():
            return "map[string]interface {}"
        case list():
            return "[]interface {}"
        case _:
            return "<nil>"
