"""Differences between a recorded response and the response in a replay, as values and as text."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.traces import fieldpaths

DIFFERENCES_MAX = 20
"""Maximum number of differences of one exchange. The comparison stops at this number."""

SHOWN_MAX = 300
"""Maximum length, in characters, of a value in a report."""


class DifferenceKind(StrEnum):
    """The kind of a Difference. The values are the texts in reports."""

    STATUS_CODE = "status code"
    REASON = "reason"
    MESSAGE = "message"
    VALUE = "value"
    FIELD_MISSING = "field missing"
    FIELD_ADDED = "field added"
    ITEM_MISSING = "item missing"
    ITEM_ADDED = "item added"
    BODY = "body"
    HEADER = "header"
    WARNING = "warning"
    EVENT = "event"
    EVENT_TYPE = "event type"
    EVENT_MISSING = "event missing"
    EVENT_ADDED = "event added"
    EVENT_ORDER = "event order"
    STREAM_BROKEN = "stream broken"


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference between a recorded response and the response in a replay.

    - `path`: the field, such as "metadata.labels.app"; "" for the whole response.
    - `recorded` and `now`: both values as JSON, cut to SHOWN_MAX characters; "" for a missing value.
    """

    kind: DifferenceKind
    path: str
    recorded: str = ""
    now: str = ""

    def __str__(self) -> str:
        where = f"{self.path}: " if self.path else ""
        return f"{where}{self.kind}: recorded {self.recorded or 'nothing'}, now {self.now or 'nothing'}"


_INDEX = lazy_pattern(r"\[\d+\]")
_WRAPPER = lazy_pattern(r"(?:items\.|object\.)+")
_OF_FIELDS = frozenset((DifferenceKind.VALUE, DifferenceKind.FIELD_MISSING, DifferenceKind.FIELD_ADDED))


def field_of(difference: Difference) -> str:
    """Returns the path of the field that differs, as for the option `ignore`; "" for other differences.

    The path has no indexes of lists, and starts at the object of a list or of a watch event.
    """
    if difference.kind not in _OF_FIELDS:
        return ""
    path = _INDEX.sub("", difference.path.rpartition(": ")[2])
    return path[match.end() :] if (match := _WRAPPER.match(path)) else path


def render(path: Iterable[str | int]) -> str:
    """Returns a path as text, such as `spec.containers[0].image`."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            rendered = fieldpaths.render((step,))
            text += rendered if rendered.startswith("[") or not text else f".{rendered}"
    return text


def show(value: Any) -> str:
    """Returns a value as compact JSON, cut to SHOWN_MAX characters."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text if len(text) <= SHOWN_MAX else text[: SHOWN_MAX - 1] + "…"
