"""Formats CEL values: for error messages, and for `string()` of doubles, durations and timestamps."""

import math
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from fakeapi.machinery.cel.runtime.memory import ITEM_BYTES, take
from fakeapi.machinery.cel.runtime.values import (
    SECOND,
    Duration,
    ListValue,
    MapValue,
    Optional,
    Timestamp,
    TypeValue,
)
from fakeapi.machinery.golang.fmt import shortest_float


def text_of(value: Any) -> str:
    """Formats a CEL value for error messages, like Go's `%v`.

    Raises MemoryLimitError for a list or map whose text is too long.
    """
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return value
        case bytes():
            return value.decode("utf-8", "replace")
        case float():
            return double_text(value)
        case Duration():
            return duration_go_text(value.nanoseconds)
        case Timestamp():
            return timestamp_text(value)
        case TypeValue():
            return value.name
        case Optional():
            return f"optional({text_of(value.value)})" if value.present else "optional.none()"
        case ListValue():
            return f"[{_joined(map(text_of, value))}]"
        case MapValue():
            return f"{{{_joined(f'{text_of(key)}: {text_of(value.find(key))}' for key in value)}}}"
        case _:
            return str(value)


def _joined(texts: Iterable[str]) -> str:
    """Joins the texts of items or entries, and counts their bytes against the memory limit."""
    parts = []
    for text in texts:
        take(ITEM_BYTES + len(text))
        parts.append(text)
    return ", ".join(parts)


def double_text(value: float) -> str:
    """Formats a double like Go's `%g`."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return shortest_float(value)


def _expanded(value: float) -> str:
    return format(Decimal(repr(value)).normalize(), "f")


def duration_text(nanoseconds: int) -> str:
    """Formats a duration like CEL's `string()`, in seconds with a fraction if needed: `1.5s`."""
    seconds, rest = divmod(abs(nanoseconds), SECOND)
    value = float(seconds) + rest / 1e9
    value = -value if nanoseconds < 0 else value
    text = repr(value)
    if "e" in text or text.endswith(".0"):
        text = _expanded(value) if value else "0"
    return f"{text}s"


def duration_go_text(nanoseconds: int) -> str:
    """Formats a duration like Go's Duration.String: `1h0m0s`."""
    sign, rest = ("-", -nanoseconds) if nanoseconds < 0 else ("", nanoseconds)
    if rest == 0:
        return "0s"
    for unit, size in (("ns", 1), ("µs", 1_000), ("ms", 1_000_000)):
        if rest < size * 1_000:
            return f"{sign}{_fraction(rest, size)}{unit}"
    minutes, seconds = divmod(rest, 60 * SECOND)
    hours, minutes = divmod(minutes, 60)
    text = f"{_fraction(seconds, SECOND)}s"
    if hours:
        return f"{sign}{hours}h{minutes}m{text}"
    return f"{sign}{minutes}m{text}" if minutes else f"{sign}{text}"


def _fraction(number: int, unit: int) -> str:
    whole, rest = divmod(number, unit)
    return f"{whole}.{str(rest).rjust(len(str(unit)) - 1, '0').rstrip('0')}" if rest else str(whole)


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def moment(stamp: Timestamp, offset: int | None = None) -> datetime:
    """Returns the date and time of a timestamp, without fractions of a second.

    `offset`: seconds east of UTC; None for the offset of the timestamp itself.
    """
    seconds = stamp.nanoseconds // SECOND + (stamp.offset if offset is None else offset)
    return _EPOCH + timedelta(seconds=seconds)


def timestamp_text(stamp: Timestamp) -> str:
    """Formats a timestamp in Go's layout RFC3339Nano: `2024-01-02T03:04:05.006Z`."""
    local = moment(stamp)
    fraction = stamp.nanoseconds % SECOND
    digits = f".{fraction:09d}".rstrip("0") if fraction else ""
    if stamp.offset == 0:
        zone = "Z"
    else:
        minutes = abs(stamp.offset) // 60
        zone = f"{'-' if stamp.offset < 0 else '+'}{minutes // 60:02d}:{minutes % 60:02d}"
    return f"{local:%Y-%m-%dT%H:%M:%S}".rjust(19, "0") + digits + zone
