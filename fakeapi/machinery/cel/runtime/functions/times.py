"""CEL functions that parse durations and timestamps, and functions that return their parts.

Follows cel-go `common/stdlib` and `common/types`, and Go's package time.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from fakeapi.machinery.cel.runtime.texts import moment
from fakeapi.machinery.cel.runtime.values import SECOND, Duration, Err, Timestamp
from fakeapi.machinery.golang.duration import duration_error
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.lazy_pattern import lazy_pattern

_UNITS = {
    "ns": 1,
    "us": 1_000,
    "\u00b5s": 1_000,
    "\u03bcs": 1_000,
    "ms": 1_000_000,
    "s": SECOND,
    "m": 60 * SECOND,
    "h": 3600 * SECOND,
}
_STEP = lazy_pattern(r"([0-9]*)\.?([0-9]*)([^.0-9]+)")
_STAMP = lazy_pattern(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:[.,]([0-9]+))?"
    r"(?:Z|([+-])([0-9]{2}):([0-9]{2}))"
)


def parsed_duration(text: str) -> Duration:
    """Parses a duration like Go's ParseDuration. Raises ValueError with Go's message if it is not valid."""
    error = duration_error(text)
    if error:
        raise ValueError(error)
    total = 0
    for whole, fraction, unit in _STEP.findall(text.lstrip("+-")):
        scale = _UNITS[unit]
        total += int(whole or 0) * scale + (int(fraction) * scale // 10 ** len(fraction) if fraction else 0)
    return Duration(-total if text.startswith("-") else total)


def parsed_timestamp(text: str) -> Timestamp:
    """Parses an RFC 3339 timestamp like Go's time.Parse. Raises ValueError if the text is not valid."""
    match = _STAMP.fullmatch(text)
    if match is None:
        raise ValueError(text)
    year, month, day, hour, minute, second = map(int, match.groups()[:6])
    fraction, sign, hours, minutes = match.groups()[6:]
    offset = 0
    if sign:
        if int(hours) > 24 or int(minutes) > 60:
            raise ValueError(text)
        offset = (int(hours) * 3600 + int(minutes) * 60) * (-1 if sign == "-" else 1)
    at = datetime(year or 1, month, day, hour, minute, second, tzinfo=UTC)
    seconds = int((at - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(seconds=1))
    if not year:
        raise ValueError(text)
    return Timestamp((seconds - offset) * SECOND + int((fraction or "0")[:9].ljust(9, "0")), offset)


_Part = Callable[[datetime, int], int]
"""A function that returns a part of a time: (time, nanoseconds of its second) -> number."""

_PARTS: dict[str, _Part] = {
    "timestamp_to_year": lambda at, fine: at.year,
    "timestamp_to_month": lambda at, fine: at.month - 1,
    "timestamp_to_day_of_year": lambda at, fine: at.timetuple().tm_yday - 1,
    "timestamp_to_day_of_month": lambda at, fine: at.day - 1,
    "timestamp_to_day_of_month_1_based": lambda at, fine: at.day,
    "timestamp_to_day_of_week": lambda at, fine: (at.weekday() + 1) % 7,
    "timestamp_to_hours": lambda at, fine: at.hour,
    "timestamp_to_minutes": lambda at, fine: at.minute,
    "timestamp_to_seconds": lambda at, fine: at.second,
    "timestamp_to_milliseconds": lambda at, fine: fine // 1_000_000,
}


def _in_utc(part: _Part) -> Callable[[Timestamp], int]:
    return lambda stamp: part(moment(stamp, 0), stamp.nanoseconds % SECOND)


def _in_zone(part: _Part) -> Callable[[Timestamp, str], Any]:
    def of(stamp: Timestamp, zone: str) -> Any:
        try:
            local = _located(stamp, zone)
        except ValueError as error:
            return Err(str(error))
        return part(local, stamp.nanoseconds % SECOND)

    return of


def _located(stamp: Timestamp, zone: str) -> datetime:
    hours, colon, minutes = zone.partition(":")
    if colon:
        east = _atoi(hours) * 60
        east += -_atoi(minutes) if zone.startswith("-") else _atoi(minutes)
        return moment(stamp, east * 60)
    if zone in {"", "UTC"}:
        return moment(stamp, 0)
    if ".." in zone or zone.startswith(("/", "\\")):
        raise ValueError("time: invalid location name")
    try:
        return moment(stamp, 0).astimezone(ZoneInfo(zone))
    except (ZoneInfoNotFoundError, OSError, ValueError):
        raise ValueError(f"unknown time zone {zone}") from None


def _atoi(text: str) -> int:
    if not re.fullmatch(r"[+-]?[0-9]+", text):
        raise ValueError(f"strconv.Atoi: parsing {quote(text)}: invalid syntax")
    return int(text)


def _whole(unit: int) -> Callable[[Duration], int]:
    """Returns a function that counts the whole units in a duration, rounded towards zero.

    `unit`: the length of the unit in nanoseconds.
    """

    def of(duration: Duration) -> int:
        count = abs(duration.nanoseconds) // unit
        return count if duration.nanoseconds >= 0 else -count

    return of


OVERLOADS: dict[str, Callable[..., Any]] = {
    **{overload: _in_utc(part) for overload, part in _PARTS.items()},
    **{f"{overload}_with_tz": _in_zone(part) for overload, part in _PARTS.items()},
    "duration_to_hours": _whole(3600 * SECOND),
    "duration_to_minutes": _whole(60 * SECOND),
    "duration_to_seconds": _whole(SECOND),
    "duration_to_milliseconds": _whole(1_000_000),
}
