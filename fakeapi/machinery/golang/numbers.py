"""Parses and converts numbers like Go: 64-bit integers of strconv, and numbers of untyped JSON.

Python's `int` differs in two ways. It also accepts digits beyond ASCII. It rejects texts of more than 4,300
digits, even if most of them are leading zeros.
"""

from decimal import Decimal
from typing import Any

from fakeapi.machinery.codec import RawJson
from fakeapi.machinery.golang.strconv import quote

INT64_MIN, INT64_MAX = -(1 << 63), (1 << 63) - 1
UINT64_MAX = (1 << 64) - 1
_DIGITS = 20
_EXPONENT_FROM = 1e21
"""The smallest whole float that Go's JSON formats with an exponent; smaller whole floats become integers."""


def parse_int(text: str) -> int:
    """Parses an int64, with or without a sign.

    Raises ValueError with Go's message if the text is not an integer, or if the integer is beyond int64.
    """
    number = _natural(text[1:] if text[:1] in ("+", "-") else text, "ParseInt", text)
    if text.startswith("-"):
        number = -number
    if not INT64_MIN <= number <= INT64_MAX:
        raise _out_of_range("ParseInt", text)
    return number


def parse_uint(text: str) -> int:
    """Parses a uint64, which must not have a sign.

    Raises ValueError with Go's message if the text is not an integer, or if the integer is beyond uint64.
    """
    number = _natural(text, "ParseUint", text)
    if number > UINT64_MAX:
        raise _out_of_range("ParseUint", text)
    return number


def rewritten(value: Any) -> Any:
    """Normalizes a JSON value as if Go decoded it to `any` and encoded it again; returns a copy.

    Sorts keys. Integers beyond int64 are first converted to floats. Whole floats below 1e+21 become ints,
    because Go writes such floats without a decimal point. Raises ValueError with Go's message for a number
    beyond float64. Follows sigs.k8s.io/json and encoding/json.
    """
    match value:
        case dict():
            members = {}
            for key in sorted(value):  # a comprehension would need a second stack frame for each level
                item = value[key]
                members[key] = item if type(item) is str else rewritten(item)
            return members
        case list():
            items = []
            for item in value:
                items.append(rewritten(item))  # noqa: PERF401 - a comprehension would take a second stack frame
            return items
        case RawJson():
            return rewritten(value.value)
        case bool():
            return value
        case int() if not INT64_MIN <= value <= INT64_MAX:
            try:
                return _float_as_written(float(value))
            except OverflowError:
                words = f"json: cannot unmarshal number {value} into Go value of type float64"
                raise ValueError(words) from None
        case float():
            return _float_as_written(value)
        case _:
            return value


def _float_as_written(value: float) -> int | float:
    if abs(value) < _EXPONENT_FROM and value.is_integer():
        return int(Decimal(repr(value)))
    return value


def converted(value: float, bits: int) -> int:
    """Converts a whole number to a signed integer of `bits` bits, like Go on amd64.

    A number beyond int64 first becomes the smallest int64. The result is the lowest `bits` bits of the int64.
    """
    number = int(value) if INT64_MIN <= value <= INT64_MAX else INT64_MIN
    half = 1 << bits - 1
    return (number + half) % (2 * half) - half


def _natural(digits: str, function: str, text: str) -> int:
    if not (digits.isascii() and digits.isdigit()):
        raise ValueError(f"strconv.{function}: parsing {quote(text)}: invalid syntax")
    significant = digits.lstrip("0")
    if len(significant) > _DIGITS:
        raise _out_of_range(function, text)
    return int(significant or "0")


def _out_of_range(function: str, text: str) -> ValueError:
    return ValueError(f"strconv.{function}: parsing {quote(text)}: value out of range")
