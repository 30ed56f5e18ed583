"""Parses and formats metav1.Time (seconds) and metav1.MicroTime (microseconds), both in UTC.

Accepts all texts that Go's time.Parse accepts for metav1.Time and metav1.MicroTime. Go accepts more than RFC
3339: an hour of one digit, a comma before the fraction, offsets up to 24:60. Errors have Go's messages.
Follows Go 1.23 and later, which Kubernetes 1.29 is built with; earlier releases of Go did not limit offsets.
"""

import re
import time
from calendar import monthrange
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from math import floor
from typing import NamedTuple, NoReturn

from fakeapi.machinery.lazy_pattern import lazy_pattern

_LAYOUT = "2006-01-02T15:04:05Z07:00"
_MICRO_LAYOUT = "2006-01-02T15:04:05.000000Z07:00"
_DATE_LAYOUT = "2006-01-02"
_LOCAL_LAYOUT = "2006-01-02T15:04:05"
_ZERO = "0001-01-01T00:00:00Z"
_ZERO_MICRO = "0001-01-01T00:00:00.000000Z"
_CYCLE = 400
"""Number of years after which the Gregorian calendar repeats."""
_CYCLE_DAYS = 146_097
"""Number of days in a cycle."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ANY_YEAR = lazy_pattern("^(-?[0-9]{4,})(?=-)")


def canonical(text: str) -> str | None:
    """Normalizes a metav1.Time to UTC, without fractions of a second: `2024-01-02T03:04:05Z`.

    Returns None for Go's zero time, which Go encodes as null. Raises ValueError with Go's message for text
    that is not a time.
    """
    if _is_usual(text) and text != _ZERO:
        return text
    moment = _parse(text, _LAYOUT)
    written = _utc(moment) + "Z"
    return None if written == _ZERO and not moment.nanosecond else written


def canonical_micro(text: str) -> str | None:
    """Normalizes a metav1.MicroTime to UTC, with microseconds: `2024-01-02T03:04:05.000006Z`.

    Returns None for Go's zero time, which Go encodes as null. Raises ValueError with Go's message for text
    that is not a time.
    """
    if _is_usual_micro(text) and text != _ZERO_MICRO:
        return text
    moment = _parse(text, _MICRO_LAYOUT)
    written = _utc(moment)
    if not moment.nanosecond and written + "Z" == _ZERO:
        return None
    return f"{written}.{moment.nanosecond // 1000:06}Z"


def now_text(seconds: float) -> str:
    """Formats seconds since 1970 as a metav1.Time, rounded down: `2024-01-02T03:04:05Z`."""
    return _second_text(floor(seconds))


def micro_text(seconds: float) -> str:
    """Formats seconds since 1970 as a metav1.MicroTime, rounded down: `2024-01-02T03:04:05.000006Z`."""
    return f"{now_text(seconds)[:-1]}.{int(seconds % 1 * 1e6):06d}Z"


@lru_cache(2)
def _second_text(second: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(second))


def since_epoch(text: str) -> timedelta:
    """Returns the time from 1970 to a canonical metav1.Time or metav1.MicroTime; negative before 1970.

    `text` can have a year before 1 or after 9999, as `canonical` returns it.
    """
    try:
        return datetime.fromisoformat(text) - EPOCH
    except ValueError:
        _, year, rest = _ANY_YEAR.split(text, maxsplit=1)
        cycles, stand_in = divmod(int(year), _CYCLE)
        at = datetime.fromisoformat(f"{_CYCLE + stand_in:04}{rest}")
        return at - EPOCH + timedelta(days=(cycles - 1) * _CYCLE_DAYS)


def seconds_of(text: str) -> float:
    """Returns a canonical metav1.Time or metav1.MicroTime in seconds since 1970."""
    return since_epoch(text).total_seconds()


def later(text: str, seconds: int) -> str:
    """Adds seconds, which may be negative, to a canonical metav1.Time.

    As in Go, the seconds are converted to int64 nanoseconds, which wrap around after about 292 years.
    """
    span = (seconds * _SECOND + (1 << 63)) % (1 << 64) - (1 << 63)
    at = datetime.fromisoformat(text) + timedelta(microseconds=span // 1000)
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


_SECOND = 10**9


class _Moment(NamedTuple):
    """The parts of a parsed time; `offset` is in minutes east of UTC."""

    year: int
    month: int
    day: int
    hour: int
    minute: int
    second: int
    nanosecond: int
    offset: int


class _Element(NamedTuple):
    """A number in a time layout.

    - `prefix`: the text before the number.
    - `layout`: how Go's layout writes the number; used in error messages.
    - `digits`: the regular expression of the number.
    - `least`, `most`: the range of the number.
    - `name`: the name of the number in "out of range" errors.
    """

    prefix: str
    layout: str
    digits: re.Pattern[str]
    least: int = 0
    most: int = 9999
    name: str = ""


_TWO_DIGITS = lazy_pattern("[0-9]{2}")
_ELEMENTS = (
    _Element("", "2006", re.compile("[0-9]{4}")),
    _Element("-", "01", _TWO_DIGITS, 1, 12, "month"),
    _Element("-", "02", _TWO_DIGITS),
    _Element("T", "15", re.compile("[0-9]{1,2}"), 0, 23, "hour"),
    _Element(":", "04", _TWO_DIGITS, 0, 59, "minute"),
    _Element(":", "05", _TWO_DIGITS, 0, 59, "second"),
)
_FRACTION = lazy_pattern("[.,]([0-9]+)")
_MICRO_FRACTION = lazy_pattern("[.,]([+-][0-9]{5}|[0-9]{6})")
_OFFSET = lazy_pattern("(.)(..):(..)", re.DOTALL)
# Matches texts that are already canonical, except the 29th of February, which depends on the year.
_USUAL = (
    "[0-9]{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)"
    "T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
)
_is_usual: Callable[[str], re.Match[str] | None] = re.compile(_USUAL + "Z").fullmatch
_is_usual_micro: Callable[[str], re.Match[str] | None] = re.compile(_USUAL + r"\.[0-9]{6}Z").fullmatch


class _Reader:
    """A parser of a time text in one of Go's layouts; `rest` is the part that is not read yet.

    Each character of `rest` stands for one UTF-8 byte of the text.
    """

    def __init__(self, text: str, layout: str) -> None:
        self.text = text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("latin-1")
        self.layout = layout
        self.rest = self.text

    def number(self, element: _Element) -> int:
        if not self.rest.startswith(element.prefix):
            self._refuse(self.rest, element.prefix)
        self.rest = self.rest[len(element.prefix) :]
        match = element.digits.match(self.rest)
        if match is None:
            self._refuse(self.rest, element.layout)
        number = int(match[0])
        if not element.least <= number <= element.most:
            self.out_of_range(element.name)
        self.rest = self.rest[match.end() :]
        return number

    def nanoseconds(self) -> int:
        """Reads an optional fraction of a second, as nanoseconds; ignores digits after the ninth."""
        match = _FRACTION.match(self.rest)
        if match is None:
            return 0
        self.rest = self.rest[match.end() :]
        return int(match[1][:9].ljust(9, "0"))

    def microseconds(self) -> int:
        """Reads a fraction of exactly six digits and returns nanoseconds.

        Like Go, accepts a sign in place of the first digit. Raises ValueError for a negative number, and
        for text that does not begin with a fraction of six digits.
        """
        match = _MICRO_FRACTION.match(self.rest)
        if match is None:
            self._refuse(self.rest, ".000000")
        number = int(match[1])
        if number < 0:
            self.out_of_range("fractional second")
        self.rest = self.rest[match.end() :]
        return number * 1000

    def offset(self) -> int:
        """Reads the time zone, `Z` or `+hh:mm`; returns minutes east of UTC.

        Raises ValueError for other text.
        """
        if self.rest.startswith("Z"):
            self.rest = self.rest[1:]
            return 0
        match = _OFFSET.match(self.rest)
        if match is None:
            self._refuse(self.rest, "Z07:00")
        sign, hour, minute = match.groups()
        hours = int(hour) if _TWO_DIGITS.match(hour) else None
        minutes = int(minute) if hours is not None and _TWO_DIGITS.match(minute) else None
        if minutes is not None and minutes > 60:
            self.out_of_range("time zone offset minute")
        if hours is not None and hours > 24:
            self.out_of_range("time zone offset hour")
        if hours is None or minutes is None or sign not in "+-":
            self._refuse(self.rest, "Z07:00")
        self.rest = self.rest[match.end() :]
        return (hours * 60 + minutes) * (-1 if sign == "-" else 1)

    def end(self) -> None:
        if self.rest:
            raise ValueError(f"parsing time {_quote(self.text)}: extra text: {_quote(self.rest)}")

    def out_of_range(self, name: str) -> NoReturn:
        raise ValueError(f"parsing time {_quote(self.text)}: {name} out of range")

    def _refuse(self, value: str, element: str) -> NoReturn:
        whole = f"parsing time {_quote(self.text)} as {_quote(self.layout)}"
        raise ValueError(f"{whole}: cannot parse {_quote(value)} as {_quote(element)}")


def _parse(text: str, layout: str) -> _Moment:
    reader = _Reader(text, layout)
    year, month, day, hour, minute, second = map(reader.number, _ELEMENTS)
    nanosecond = reader.nanoseconds() if layout is _LAYOUT else reader.microseconds()
    offset = reader.offset()
    reader.end()
    if not 1 <= day <= monthrange(_CYCLE + year % _CYCLE, month)[1]:
        reader.out_of_range("day")
    return _Moment(year, month, day, hour, minute, second, nanosecond, offset)


def parsed_date(text: str) -> int:
    """Parses a date, `2024-01-02`, to seconds since 1970.

    Raises ValueError with Go's message for other text.
    """
    reader = _Reader(text, _DATE_LAYOUT)
    year, month, day = map(reader.number, _ELEMENTS[:3])
    return _seconds(reader, year, month, day)


def parsed_local(text: str) -> int:
    """Parses a time without a zone, `2024-01-02T03:04:05`, as UTC to seconds since 1970.

    Raises ValueError with Go's message for other text.
    """
    reader = _Reader(text, _LOCAL_LAYOUT)
    year, month, day, hour, minute, second = map(reader.number, _ELEMENTS)
    reader.nanoseconds()
    return _seconds(reader, year, month, day) + hour * 3600 + minute * 60 + second


def _seconds(reader: _Reader, year: int, month: int, day: int) -> int:
    reader.end()
    if not 1 <= day <= monthrange(_CYCLE + year % _CYCLE, month)[1]:
        reader.out_of_range("day")
    if year == 0:
        return int(datetime(400, month, day, tzinfo=UTC).timestamp()) - _CYCLE_DAYS * 86_400
    return int(datetime(year, month, day, tzinfo=UTC).timestamp())


def _utc(moment: _Moment) -> str:
    """Formats a time in UTC without its fraction and zone; years before 0 and after 9999 have Go's format."""
    stand_in = 5 * _CYCLE + moment.year % _CYCLE
    local = datetime(stand_in, *moment[1:6], tzinfo=UTC)
    at = local - timedelta(minutes=moment.offset)
    year = moment.year + at.year - stand_in
    written = f"{year:04}" if year >= 0 else f"-{-year:04}"
    return written + at.strftime("-%m-%dT%H:%M:%S")


def _quote(text: str) -> str:
    """Quotes a text like Go's package time, which escapes all bytes beyond ASCII."""
    inner = "".join(map(_escaped, text)) if _NEEDS_ESCAPE.search(text) else text
    return f'"{inner}"'


_NEEDS_ESCAPE = lazy_pattern(r'[^ -\x7f]|["\\]')


def _escaped(character: str) -> str:
    if character in ('"', "\\"):
        return "\\" + character
    return character if " " <= character < "\x80" else f"\\x{ord(character):02x}"
