"""Parses the times in queries: RFC 3339, a time of the day, or a duration before now."""

from datetime import UTC, datetime

from fakeapi.clock.adjustable import seconds_of
from fakeapi.control.errors import refused
from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.option import seconds_of_duration

_TIME_OF_DAY = lazy_pattern(r"\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?")


def moment_of(name: str, text: str, now: float) -> float:
    """Returns the time in a query parameter, in seconds since the epoch.

    `text` is one of these:

    - a time in RFC 3339, such as `2026-11-29T12:30:00Z`
    - a time of the current day in UTC, such as `12:30` or `12:30:05.250`
    - a duration before `now`, such as `10m`

    Raises ApiError 400 for any other text. `name`: the parameter in the error message.
    """
    is_time_of_day = _TIME_OF_DAY.fullmatch(text) is not None
    time = f"{datetime.fromtimestamp(now, UTC):%Y-%m-%d}T{text}Z" if is_time_of_day else text.upper()
    try:
        return seconds_of(time) if "T" in time else now - seconds_of_duration(text)
    except (ValueError, OverflowError):
        examples = "2026-11-29T12:30:00Z, 12:30 or 10m"
        raise refused(400, f"{name}: {text[:40]!r} is not a time or duration such as {examples}") from None
