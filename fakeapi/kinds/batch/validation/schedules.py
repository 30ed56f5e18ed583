"""Validates the schedules and time zones of CronJobs.

Schedules follow `parser.go` of github.com/robfig/cron/v3. Time zones follow Go's time.LoadLocation.
"""

from collections.abc import Mapping
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

import msgspec

from fakeapi.machinery.golang.duration import duration_error
from fakeapi.machinery.golang.numbers import parse_int
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.lazy_pattern import lazy_pattern

SCHEDULE_FIELDS = 5
_DESCRIPTORS = frozenset(("@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"))
_EVERY = "@every "
_ZONE = lazy_pattern(r"[A-Za-z.\-_0-9+]{1,14}\Z")


class InvalidSchedule(ValueError):
    """Raised for a malformed cron schedule. Has upstream's message."""


class _Bounds(msgspec.Struct, frozen=True):
    low: int
    high: int
    names: Mapping[str, int] = msgspec.field(default_factory=dict)


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_BOUNDS = (
    _Bounds(0, 59),
    _Bounds(0, 23),
    _Bounds(1, 31),
    _Bounds(1, 12, {name: index + 1 for index, name in enumerate(_MONTHS)}),
    _Bounds(0, 6, {name: index for index, name in enumerate(_DAYS)}),
)


def check_schedule(text: str) -> None:
    """Raises InvalidSchedule unless the text has five valid cron fields or a descriptor like `@hourly`.

    A time zone may come first, such as `TZ=UTC`.
    """
    if text.startswith(("TZ=", "CRON_TZ=")):
        zone, space, rest = text.partition("=")[2].partition(" ")
        if not space:
            raise InvalidSchedule("invalid schedule format: runtime error: slice bounds out of range [:-1]")
        if (problem := zone_problem(zone)) is not None:
            raise InvalidSchedule(f"provided bad location {zone}: {problem}")
        text = rest.strip()
    if text.startswith("@"):
        _check_descriptor(text)
        return
    fields = text.split()
    if len(fields) != SCHEDULE_FIELDS:
        joined = " ".join(fields)
        raise InvalidSchedule(f"expected exactly {SCHEDULE_FIELDS} fields, found {len(fields)}: [{joined}]")
    for value, bounds in zip(fields, _BOUNDS, strict=True):
        for expression in filter(None, value.split(",")):
            _check_range(expression, bounds)


def _check_descriptor(text: str) -> None:
    if text in _DESCRIPTORS:
        return
    if not text.startswith(_EVERY):
        raise InvalidSchedule(f"unrecognized descriptor: {text}")
    problem = duration_error(text.removeprefix(_EVERY))
    if problem:
        raise InvalidSchedule(f"failed to parse duration {text}: {problem}")


def _check_range(expression: str, bounds: _Bounds) -> None:
    """Checks one range of a cron field. Raises InvalidSchedule if the range is invalid.

    Syntax: `VALUE`, `VALUE-VALUE`, `*` or `?`, each optionally followed by `/STEP`. A value is a number, or a
    name such as `mon`.
    """
    steps = expression.split("/")
    ends = steps[0].split("-")
    start, end = _ends(expression, ends, bounds)
    step = 1
    if len(steps) == 2:
        step = _number(steps[1])
        if len(ends) == 1:
            end = bounds.high
    elif len(steps) > 2:
        raise InvalidSchedule(f"too many slashes: {expression}")
    if start < bounds.low:
        raise InvalidSchedule(f"beginning of range ({start}) below minimum ({bounds.low}): {expression}")
    if end > bounds.high:
        raise InvalidSchedule(f"end of range ({end}) above maximum ({bounds.high}): {expression}")
    if start > end:
        raise InvalidSchedule(f"beginning of range ({start}) beyond end of range ({end}): {expression}")
    if step == 0:
        raise InvalidSchedule(f"step of range should be a positive number: {expression}")


def _ends(expression: str, ends: list[str], bounds: _Bounds) -> tuple[int, int]:
    if ends[0] in ("*", "?"):
        return bounds.low, bounds.high
    start = _number(ends[0], bounds.names)
    if len(ends) == 1:
        return start, start
    if len(ends) > 2:
        raise InvalidSchedule(f"too many hyphens: {expression}")
    return start, _number(ends[1], bounds.names)


def _number(text: str, names: Mapping[str, int] | None = None) -> int:
    if names and text.lower() in names:
        return names[text.lower()]
    try:
        number = parse_int(text)
    except ValueError:
        problem = f"strconv.Atoi: parsing {quote(text)}: invalid syntax"
        raise InvalidSchedule(f"failed to parse int from {text}: {problem}") from None
    if number < 0:
        raise InvalidSchedule(f"negative number ({number}) not allowed: {text}")
    return number


def is_zone_name(text: str) -> bool:
    """Whether a text has the syntax of a time zone name."""
    return all(
        part not in (".", "..") and not part.startswith("-") and _ZONE.match(part) is not None
        for part in text.split("/")
    )


def zone_problem(name: str) -> str | None:
    """Returns Go's error text for an unknown time zone; None for a valid time zone.

    Accepts every name if Python has no time zone database.
    """
    if name in ("", "UTC", "Local") or not _zones():
        return None
    problem = f"unknown time zone {name}"
    if not is_zone_name(name):
        return "time: invalid location name"
    try:
        ZoneInfo(name)
    except (OSError, ValueError, KeyError):
        return problem
    return None


@cache
def _zones() -> bool:
    return bool(available_timezones())
