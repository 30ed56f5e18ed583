"""What a replay found."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from fakeapi.traces.comparing.responses import Difference
from fakeapi.traces.replay.restore import Seeded

DIVERGENCES_MAX = 1000
"""That are kept, the earliest; all are counted."""


@dataclass(frozen=True, slots=True)
class Divergence:
    """An exchange whose answer is not as recorded.

    `offset`: of the request, or of a watch's first event that differs.
    `recorded` and `now`: in a few words, "409 Conflict". `explanation`: why it is so for a reason that lies
    in the trace and not in the server; "" where there is none. `follows`: the id of an earlier divergence of
    the same object, of which this may be a consequence; -1 without one. `context`: earlier exchanges, the
    latest last. `sent`: the body of the recorded request. `group`: see `Report.groups`.
    """

    place: int
    id: int
    offset: float
    actor: str
    request: str
    where: str
    recorded: str
    now: str
    differences: tuple[Difference, ...]
    group: str = ""
    explanation: str = ""
    follows: int = -1
    context: tuple[str, ...] = ()
    sent: str = ""

    @property
    def is_unexplained(self) -> bool:
        return not self.explanation

    def to_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "id": self.id,
            "offset": round(self.offset, 6),
            "actor": self.actor,
            "request": self.request,
            "where": self.where,
            "recorded": self.recorded,
            "now": self.now,
            "differences": [
                {"kind": each.kind, "path": each.path, "recorded": each.recorded, "now": each.now}
                for each in self.differences
            ],
            "explanation": self.explanation or None,
        }
        if self.follows >= 0:
            found["follows"] = self.follows
        return found


@dataclass(frozen=True, slots=True)
class Mark:
    """One exchange on the time line. `outcome`: same, divergence, explained, unserved, skipped."""

    place: int
    id: int
    offset: float
    duration: float
    actor: str
    verb: str
    what: str
    status: int
    outcome: str
    events: tuple[float, ...] = ()


@dataclass(slots=True)
class Report:
    """Filled while a replay goes on. It tells nothing of this run alone (times, uids): twice gives the same.

    `unserved`: requests that were not sent, as the server does not serve what they are about, by resource.
    `uncompared`: exchanges whose answers were not compared in full, by reason. `notes`: what the trace's
    source concluded or could not tell, counted. `groups`: outcomes (see Mark) by what was asked, such as
    "update pods/status".
    """

    trace: str
    release: str
    target: str
    order: str
    strict: bool = False
    exchanges: int = 0
    replayed: int = 0
    same: int = 0
    watches: int = 0
    events: int = 0
    reordered: int = 0
    divergent: int = 0
    explained: int = 0
    stopped: str = ""
    divergences: list[Divergence] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)
    explanations: Counter[str] = field(default_factory=Counter)
    unserved: Counter[str] = field(default_factory=Counter)
    uncompared: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)
    seeded: list[Seeded] = field(default_factory=list)
    groups: dict[str, Counter[str]] = field(default_factory=dict)
    marks: list[Mark] | None = None
    seconds: float = 0.0
    """How long the requests took; not part of what is reported."""

    def __str__(self) -> str:
        """The report for people."""
        from fakeapi.traces.reporting.text import text  # noqa: PLC0415 - it renders what this module defines

        return text(self)

    @property
    def unexplained(self) -> int:
        return self.divergent - self.explained

    @property
    def ok(self) -> bool:
        """Whether every answer was as recorded, or differs for a reason; when strict, without exception."""
        if self.strict:
            return not self.divergent and not self.unserved
        return not self.unexplained

    @property
    def first(self) -> Divergence | None:
        """The first divergence that nothing explains, or else the first."""
        return next((each for each in self.divergences if each.is_unexplained), None) or next(
            iter(self.divergences), None
        )

    def add(self, divergence: Divergence) -> None:
        self.divergent += 1
        self.kinds.update(each.kind for each in divergence.differences)
        if divergence.explanation:
            self.explained += 1
            self.explanations[_sort_of(divergence.explanation)] += 1
        self.divergences.append(divergence)
        if len(self.divergences) > 2 * DIVERGENCES_MAX:
            self._shorten()

    def finish(self) -> None:
        """Puts everything into its order, whatever came first."""
        self._shorten()
        if self.marks is not None:
            self.marks.sort(key=lambda mark: mark.place)

    def _shorten(self) -> None:
        self.divergences.sort(key=lambda each: (each.offset, each.place))
        del self.divergences[DIVERGENCES_MAX:]

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON has it."""
        first = self.first
        return {
            "trace": self.trace,
            "release": self.release,
            "target": self.target,
            "order": self.order,
            "strict": self.strict,
            "ok": self.ok,
            "exchanges": self.exchanges,
            "replayed": self.replayed,
            "same": self.same,
            "watches": self.watches,
            "events": self.events,
            "divergent": self.divergent,
            "explained": self.explained,
            "stopped": self.stopped or None,
            "first": None if first is None else {**first.to_dict(), "context": list(first.context)},
            "groups": {name: dict(sorted(found.items())) for name, found in sorted(self.groups.items())},
            "kinds": dict(sorted(self.kinds.items())),
            "explanations": dict(sorted(self.explanations.items())),
            "unserved": dict(sorted(self.unserved.items())),
            "uncompared": dict(sorted(self.uncompared.items())),
            "notes": dict(sorted(self.notes.items())),
            "seeded": [str(each) for each in self.seeded],
            "divergences": [each.to_dict() for each in self.divergences],
        }


def _sort_of(explanation: str) -> str:
    """An explanation without what is special to one exchange."""
    return explanation.partition(" (")[0].partition(" #")[0]
