"""Decimal numbers in texts, read as Go's strconv reads them into 64 bits.

Python's own `int` takes more than ASCII digits, and refuses texts of some thousands, leading zeros too.
"""

from fakeapi.machinery.gotext import quote

INT64_MIN, INT64_MAX = -(1 << 63), (1 << 63) - 1
UINT64_MAX = (1 << 64) - 1
_DIGITS = 20


def parse_int(text: str) -> int:
    """An int64, with a sign or without. Raises ValueError in Go's words."""
    number = _natural(text[1:] if text[:1] in ("+", "-") else text, "ParseInt", text)
    if text.startswith("-"):
        number = -number
    if not INT64_MIN <= number <= INT64_MAX:
        raise _out_of_range("ParseInt", text)
    return number


def parse_uint(text: str) -> int:
    """A uint64, without a sign. Raises ValueError in Go's words."""
    number = _natural(text, "ParseUint", text)
    if number > UINT64_MAX:
        raise _out_of_range("ParseUint", text)
    return number


def _natural(digits: str, function: str, text: str) -> int:
    if not (digits.isascii() and digits.isdigit()):
        raise ValueError(f"strconv.{function}: parsing {quote(text)}: invalid syntax")
    significant = digits.lstrip("0")
    if len(significant) > _DIGITS:
        raise _out_of_range(function, text)
    return int(significant or "0")


def _out_of_range(function: str, text: str) -> ValueError:
    return ValueError(f"strconv.{function}: parsing {quote(text)}: value out of range")
