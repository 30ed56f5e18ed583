"""Renders the results of a replay as an HTML page with a time line.

The time line has a lane for each client and a mark for each exchange. The page loads no other files.
"""

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from fakeapi.machinery.codec import encode
from fakeapi.traces.reporting.results import Mark, Outcome, Results
from fakeapi.traces.reporting.text import summary, verdict

_TEMPLATE = "timeline.html"
_PLACE = "/*DATA*/"
_LANES, _LANES_PLACE = "lanes.js", "/*LANES*/"
"""The module of the live page that draws lanes and marks, and its place in the template."""
WORDS = {
    Outcome.SAME: "as recorded",
    Outcome.DIVERGENCE: "divergence",
    Outcome.EXPLAINED: "explained divergence",
    Outcome.SKIPPED: "not compared in full",
    Outcome.UNSERVED: "not sent, because the target does not serve it",
}


def page(report: Results) -> str:
    """Returns the HTML page with the time line of a replay. Equal results give equal pages."""
    marks = report.marks or []
    actors = _Numbers()
    verbs = _Numbers()
    outcomes = _Numbers()
    rows = [_row(mark, actors, verbs, outcomes) for mark in marks]
    data = {
        "report": report.to_dict(),
        "summary": summary(report),
        "verdict": verdict(report),
        "words": WORDS,
        "actors": actors.names,
        "verbs": verbs.names,
        "outcomes": outcomes.names,
        "marks": rows,
    }
    # A closing tag would end the script element even inside a string.
    text = encode(data).decode().replace("<", "\\u003c")
    lanes = files("fakeapi.control.ui").joinpath("static", _LANES).read_text("utf-8")
    lanes = lanes.replace("export class", "class")
    return _template().replace(_LANES_PLACE, lanes).replace(_PLACE, text)


def style() -> str:
    """Returns the style sheet of the page, for other reports with the same look."""
    return _template().partition("<style>")[2].partition("</style>")[0]


def _template() -> str:
    return files("fakeapi.traces.reporting").joinpath(_TEMPLATE).read_text("utf-8")


def _row(mark: Mark, actors: "_Numbers", verbs: "_Numbers", outcomes: "_Numbers") -> Sequence[Any]:
    row: list[Any] = [
        round(mark.offset, 6),
        round(mark.duration, 6),
        actors[mark.actor],
        verbs[mark.verb],
        mark.what,
        mark.status,
        outcomes[mark.outcome],
        mark.id,
    ]
    if mark.events:
        row.append([round(offset, 6) for offset in mark.events])
    return row


class _Numbers:
    """Assigns the numbers 0, 1, … to names, in the order of their first use."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def __getitem__(self, name: str) -> int:
        return self._numbers.setdefault(name, len(self._numbers))

    @property
    def names(self) -> list[str]:
        return list(self._numbers)
