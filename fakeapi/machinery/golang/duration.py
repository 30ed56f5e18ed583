"""Checks durations as Go's `time.ParseDuration` does."""

import re

from fakeapi.machinery.golang.strconv import quote

_UNITS = {"ns": 1, "us": 10**3, "µs": 10**3, "μs": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9}
_UNITS["h"] = 60 * _UNITS["m"]
_LONGEST = 1 << 63
_STEP = re.compile(r"([0-9]*)(\.?)([0-9]*)([^.0-9]*)", re.DOTALL)


def duration_error(text: str) -> str:
    """Go's error for text that is not a duration; empty if it is one."""
    negative = text.startswith("-")
    rest = text[1:] if text[:1] in ("-", "+") else text
    if rest == "0":
        return ""
    invalid = f"time: invalid duration {quote(text)}"
    if not rest:
        return invalid
    total = 0
    while rest:
        step = _STEP.match(rest)
        if step is None or not (step[1] or step[3]):
            return invalid
        rest = rest[step.end() :]
        unit = step[4]
        if not unit:
            return f"time: missing unit in duration {quote(text)}"
        if unit not in _UNITS:
            return f"time: unknown unit {quote(unit)} in duration {quote(text)}"
        size = _UNITS[unit]
        total += int(step[1] or "0") * size + int(float(f"0.{step[3] or 0}") * size)
        if total > _LONGEST or (total == _LONGEST and not negative):
            return invalid
    return ""
