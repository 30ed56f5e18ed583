"""Finds the type and value of plain YAML scalars like go-yaml v2, and the strings that need quotes."""

import datetime as dt
import re
from math import isfinite
from typing import Any

from fakeapi.machinery.lazy_pattern import lazy_pattern

STRICT_PREFIX = "yaml: unmarshal errors:\n"
"""The first line of the strict error for a YAML text. The next lines report one duplicate key each."""

MAX_INT64, MAX_UINT64 = 2**63 - 1, 2**64 - 1
_DECIMAL_DIGITS = 20

_WORDS: dict[str, tuple[str, Any]] = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "on", "On", "ON"), ("bool", True)),
    **dict.fromkeys(("true", "True", "TRUE"), ("bool", True)),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "off", "Off", "OFF"), ("bool", False)),
    **dict.fromkeys(("false", "False", "FALSE"), ("bool", False)),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), ("null", None)),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), ("float", float("nan"))),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), ("float", float("inf"))),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), ("float", float("-inf"))),
}
_INTEGER = lazy_pattern(r"([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))")
_FLOAT = lazy_pattern(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_TIMESTAMP = lazy_pattern(
    r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})"
    r"(?:[Tt]([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.,][0-9]+)?(?:Z|[-+][0-9]{2}:[0-9]{2})"
    r"| +([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.,][0-9]+)?)?"
)
_BASE_60 = lazy_pattern(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?")


def resolved(text: str) -> tuple[str, Any]:
    """Returns the type (`str`, `int`, `float`, `bool`, `null`) and value of a plain scalar.

    Dates have the type `str`.
    """
    if text in _WORDS:
        return _WORDS[text]
    first = text[0]
    if first not in "+-.0123456789":
        return "str", text
    plain = text if first == "." else text.replace("_", "")
    integer = _INTEGER.fullmatch(plain)
    if integer and len(integer[5] or "") <= _DECIMAL_DIGITS:
        value = _integer(integer)
        if -MAX_INT64 - 1 <= value <= MAX_INT64 or (value <= MAX_UINT64 and not integer[1]):
            return "int", value
    if _FLOAT.fullmatch(plain) and isfinite(float(plain)):
        return "float", float(plain)
    return "str", text


def _integer(match: re.Match[str]) -> int:
    sign, *digits = match.groups()
    value = next(
        int(text, base) for text, base in zip(digits, (16, 2, 8, 10), strict=True) if text is not None
    )
    return -value if sign == "-" else value


def is_timestamp(text: str) -> bool:
    match = _TIMESTAMP.fullmatch(text)
    if match is None:
        return False
    year, month, day, *clock = (int(number or 0) for number in match.groups())
    hour, minute, second = (max(pair) for pair in zip(clock[:3], clock[3:], strict=True))
    try:
        dt.date(year or 4, month, day)
    except ValueError:
        return False
    return hour < 24 and minute < 60 and second < 60


def needs_quotes(text: str) -> bool:
    """Whether a string needs quotes, because a YAML parser could read it as another type."""
    return resolved(text)[0] != "str" or is_timestamp(text) or _BASE_60.fullmatch(text) is not None
