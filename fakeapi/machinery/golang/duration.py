"""Validates durations like Go's `time.ParseDuration`."""

import re

from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.lazy_pattern import lazy_pattern

_UNITS = {"ns": 1, "us": 10**3, "µs": 10**3, "μs": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9}
_UNITS["h"] = 60 * _UNITS["m"]
_LONGEST = 1 << 63
_DIGITS_MAX = 19
_STEP = lazy_pattern(r"([0-9]*+)(\.?)([0-9]*+)([^.0-9]*+)", re.DOTALL)


def duration_error(text: str) -> str:
    """Returns Go's error message if a text is not a duration such as `1h30m`; otherwise ""."""
    negative = text.startswith("-")
    at = 1 if text[:1] in ("-", "+") else 0
    if text[at:] == "0":
        return ""
    invalid = f"time: invalid duration {quote(text)}"
    if at == len(text):
        return invalid
    total = 0
    while at < len(text):
        step = _STEP.match(text, at)
        if step is None or not (step[1] or step[3]):
            return invalid
        at = step.end()
        whole = _whole(step[1])
        if whole > _LONGEST:
            return invalid
        unit = step[4]
        if not unit:
            return f"time: missing unit in duration {quote(text)}"
        if unit not in _UNITS:
            return f"time: unknown unit {quote(unit)} in duration {quote(text)}"
        total += whole * _UNITS[unit] + int(float(f"0.{step[3][:_DIGITS_MAX] or 0}") * _UNITS[unit])
        if total > _LONGEST or (total == _LONGEST and not negative):
            return invalid
    return ""


def _whole(digits: str) -> int:
    """Parses decimal digits. Numbers of more than 19 digits become _LONGEST + 1, which is over the limit."""
    significant = digits.lstrip("0")
    return int(significant or "0") if len(significant) <= _DIGITS_MAX else _LONGEST + 1
