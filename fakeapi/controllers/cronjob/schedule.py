"""Schedule: calculates the times of a cron schedule.

Follows github.com/robfig/cron/v3, the library that Kubernetes uses: five fields, descriptors such as
`@daily`, and `@every DURATION`. Skips times that do not exist because clocks are set forward.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from fakeapi.kinds.batch.validation.schedules import InvalidSchedule, check_schedule
from fakeapi.machinery.lazy_pattern import lazy_pattern

YEARS_MAX = 5
"""Number of years to search for the next time of a schedule. If these years have no such time, the schedule
has no next time.
"""

_DESCRIPTORS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
_NAMES = {name: number for number, name in enumerate(_MONTHS, 1)} | {
    name: number for number, name in enumerate(_DAYS)
}
_BOUNDS = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 6))
_PART = lazy_pattern(r"([0-9.]+)(h|m|s|ms|us|µs|ns)")
_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}


class _Field(NamedTuple):
    """The values of one field of a schedule. `is_star`: whether the field has `*` or `?` without a step."""

    values: frozenset[int]
    is_star: bool


@dataclass(frozen=True, slots=True)
class Schedule:
    """A parsed cron schedule in a time zone.

    - `fields`: minutes, hours, days of the month, months and days of the week.
    - `every`: the seconds between two times of an `@every` schedule; 0 for other schedules.
    """

    zone: ZoneInfo | None
    fields: tuple[_Field, ...]
    every: float = 0.0

    def after(self, seconds: float) -> float | None:
        """Returns the first scheduled time after `seconds`, both in seconds since the epoch.

        Returns None if the next YEARS_MAX years have no such time.
        """
        if self.every:
            return float(int(seconds + self.every))
        return next((time for time in self._times(seconds) if time > seconds), None)

    def _times(self, seconds: float) -> Iterator[float]:
        minutes, hours = (sorted(self.fields[number].values) for number in (0, 1))
        zone = self.zone or UTC
        first = datetime.fromtimestamp(seconds, zone).date()
        for number in range(366 * YEARS_MAX):
            day = first + timedelta(days=number)
            if not self._has_day(day):
                continue
            for hour in hours:
                for minute in minutes:
                    local = datetime(day.year, day.month, day.day, hour, minute, tzinfo=zone)
                    moment = local.astimezone(UTC)
                    if moment.astimezone(zone).replace(tzinfo=None) == local.replace(tzinfo=None):
                        yield moment.timestamp()

    def _has_day(self, day: date) -> bool:
        _, _, days, months, weekdays = self.fields
        if day.month not in months.values:
            return False
        matches = day.day in days.values, day.isoweekday() % 7 in weekdays.values
        return all(matches) if days.is_star or weekdays.is_star else any(matches)


def parsed(text: str, zone: str = "") -> Schedule:
    """Parses a cron schedule. `zone`: the name of a time zone; "" for UTC. A prefix of the schedule, such as
    `TZ=Europe/Berlin`, takes precedence.

    Raises InvalidSchedule for an invalid schedule, and KeyError for an unknown time zone.
    """
    if text.startswith(("TZ=", "CRON_TZ=")):
        check_schedule(text)
        zone, _, text = text.partition("=")[2].partition(" ")
    text = text.strip()
    check_schedule(text)
    place = ZoneInfo(zone) if zone not in {"", "UTC", "Local"} else None
    if text.startswith("@every "):
        parts = _PART.findall(text.removeprefix("@every "))
        seconds = sum(float(number) * _UNITS[unit] for number, unit in parts)
        return Schedule(place, (), max(float(int(seconds)), 1.0))
    fields = _DESCRIPTORS.get(text, text).split()
    try:
        pairs = zip(fields, _BOUNDS, strict=True)
        return Schedule(place, tuple(_field(field, *bounds) for field, bounds in pairs))
    except ValueError as problem:
        raise InvalidSchedule(str(problem)) from None


def _field(text: str, low: int, high: int) -> _Field:
    values: set[int] = set()
    is_star = False
    for expression in filter(None, text.split(",")):
        ends, _, step_text = expression.partition("/")
        step = int(step_text or 1)
        first, _, last = ends.partition("-")
        if first in {"*", "?"}:
            start, end = low, high
            is_star = is_star or step == 1
        else:
            start = _number(first)
            end = _number(last) if last else (high if step_text else start)
        values.update(range(start, end + 1, step))
    return _Field(frozenset(values), is_star)


def _number(text: str) -> int:
    return _NAMES[text.lower()] if text.lower() in _NAMES else int(text)
