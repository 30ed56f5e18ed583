"""The results of a replay: the outcome of each exchange, and the differences in responses."""

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from fakeapi.traces.comparing.differences import Difference, field_of
from fakeapi.traces.comparing.reasons import Explanation

DIVERGENCES_MAX = 1000
"""Maximum number of divergences in `Results.divergences`, which keeps the earliest.

`Results.divergent` counts all divergences.
"""


class Outcome(StrEnum):
    """The outcome of one exchange in a replay. JSON and time lines contain the values."""

    SAME = "same"
    DIVERGENCE = "divergence"
    EXPLAINED = "explained"
    SKIPPED = "skipped"
    UNSERVED = "unserved"


class NotCompared(StrEnum):
    """The reason why a response was not compared completely. Reports print the values."""

    NOT_SENT = "not sent: the trace lacks the request's body"
    NOT_HTTP = "not sent: the request is not valid HTTP"
    NOT_REWRITTEN = "sent without rewriting its identities"
    NO_RESPONSE = "the trace lacks the response"
    NO_BODY = "the trace lacks the response's body"
    NO_EVENTS = "the trace lacks the watch's events"
    CUT_OFF = "the trace lacks the response's end"
    SELF_DESCRIPTION = "discovery, version and health describe the server"
    FORMAT = "a body that is neither JSON nor YAML"
    PAGE = "a page of a list, whose order follows generated names"


@dataclass(frozen=True, slots=True)
class RestoredObject:
    """An object or namespace that existed before the trace, so that the replay creates it first.

    - `what`: the resource and name.
    - `how`: the evidence that the object existed, as text.
    - `exact`: whether the trace contains the object's fields; false if they are inferred.
    - `problem`: the reason why the object could not be created; "" if it was created.
    """

    what: str
    how: str
    exact: bool = True
    problem: str = ""

    def __str__(self) -> str:
        text = f"{self.what}: {self.how}" + ("" if self.exact else "; its earlier state is inferred")
        return f"{text}; could not be created: {self.problem}" if self.problem else text


@dataclass(frozen=True, slots=True)
class Divergence:
    """An exchange whose response in the replay differs from the recorded response.

    - `place` and `id`: the index of the exchange in the trace, and its id.
    - `offset`: the time of the request, or of the first watch event that differs, in seconds from the start
      of the trace.
    - `where`: the position of the exchange in the trace, as "file:line".
    - `recorded` and `now`: short forms of the recorded and the replayed response, such as "409 Conflict".
    - `group`: the verb and resource, such as "update pods/status".
    - `explanation`: why the trace, and not the replay target, causes the differences; None if unknown.
    - `follows`: the id of an earlier divergence of the same object that can be the cause; -1 for none.
    - `context`: earlier exchanges as text, the latest last.
    - `sent`: the body of the recorded request.
    - `shown`: the URL fragment at which the target's live page displays the object; "" for none.
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
    explanation: Explanation | None = None
    follows: int = -1
    context: tuple[str, ...] = ()
    sent: str = ""
    shown: str = ""

    @property
    def is_unexplained(self) -> bool:
        return self.explanation is None

    def to_dict(self, page: str = "") -> dict[str, Any]:
        """Returns the divergence as a mapping for JSON.

        `page`: the address of the target's live page, for a link to the object; "" for no link.
        """
        fields: dict[str, Any] = {
            "id": self.id,
            "offset": round(self.offset, 6),
            "actor": self.actor,
            "request": self.request,
            "where": self.where,
            "recorded": self.recorded,
            "now": self.now,
            "differences": [
                {
                    "kind": difference.kind,
                    "path": difference.path,
                    "recorded": difference.recorded,
                    "now": difference.now,
                }
                for difference in self.differences
            ],
            "explanation": None if self.explanation is None else str(self.explanation),
        }
        if self.follows >= 0:
            fields["follows"] = self.follows
        if page and self.shown:
            fields["page"] = page + self.shown
        return fields


@dataclass(frozen=True, slots=True)
class Mark:
    """An exchange on the time line of the HTML report.

    - `place`: the index of the exchange in the trace.
    - `offset` and `duration`: the start of the request in the trace, and its duration, in seconds.
    - `what`: the object, or the path of a request without a resource.
    - `events`: the times of the events of a watch, in seconds from the start of the trace.
    """

    place: int
    id: int
    offset: float
    duration: float
    actor: str
    verb: str
    what: str
    status: int
    outcome: Outcome
    events: tuple[float, ...] = ()


@dataclass(slots=True)
class Results:
    """The results of one replay.

    `to_dict` contains no clock times or uids, so that two replays give equal results.

    The replay:

    - `trace`: the path of the trace.
    - `release`: the Kubernetes release in the header of the trace.
    - `target`: the URL of the replay target.
    - `order`: the order of the requests: "recorded", "actors" or "fast".
    - `strict`: whether explained divergences and unserved resources count as failures.
    - `stopped`: the reason why the replay ended early; "" for a complete replay.
    - `seeded`: the objects that existed before the trace, and whether the replay could create them.
    - `page`: the address of the target's live page, for links in divergences; "" for no links.

    Numbers:

    - `exchanges`: the number of exchanges to replay.
    - `replayed`: the number of exchanges that the replay tried to send.
    - `same`: the number of exchanges whose response equals the recorded response.
    - `divergent`: the number of divergent exchanges: exchanges whose response differs.
    - `explained`: the number of divergent exchanges with a known reason.
    - `watches`: the number of watches that were accepted in the trace and in the replay.
    - `events`: the number of recorded events in the compared watches.
    - `reordered`: the number of exchanges that did not take effect in the order in which they started.

    Numbers by key:

    - `kinds`: the number of differences of each kind, in all divergent exchanges.
    - `explanations`: the number of divergent exchanges with each reason.
    - `unserved`: the number of unsent requests for each resource that the target does not serve.
    - `uncompared`: the number of exchanges whose response was not compared completely, by reason.
    - `notes`: texts about missing or inferred data of the trace, each with its count.
    - `groups`: the number of exchanges with each outcome, by verb and resource, such as "update pods/status".

    Lists of exchanges:

    - `divergences`: the earliest divergences, at most DIVERGENCES_MAX after `finish`.
    - `marks`: the exchanges on the time line of the HTML report; None if the replay collects no marks.
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
    seeded: list[RestoredObject] = field(default_factory=list)
    groups: dict[str, Counter[str]] = field(default_factory=dict)
    marks: list[Mark] | None = None
    page: str = ""
    seconds: float = 0.0
    """The duration of the replay in seconds. `to_dict` leaves it out."""

    @property
    def unexplained(self) -> int:
        """The number of divergences without an explanation."""
        return self.divergent - self.explained

    @property
    def ok(self) -> bool:
        """Whether the replay passes.

        - Without `strict`: passes if all divergences have an explanation.
        - With `strict`: passes without any divergences, if the target serves all requested resources.
        """
        if self.strict:
            return not self.divergent and not self.unserved
        return not self.unexplained

    @property
    def first(self) -> Divergence | None:
        """The first divergence without an explanation; None without divergences.

        If all divergences have an explanation, the first divergence.
        """
        unexplained = (divergence for divergence in self.divergences if divergence.is_unexplained)
        return next(unexplained, next(iter(self.divergences), None))

    @property
    def fields(self) -> Counter[str]:
        """The number of kept divergences in which each field differs, by field path.

        The paths are as for the option `ignore`: without the indexes of lists.
        """
        return Counter(
            name
            for divergence in self.divergences
            for name in dict.fromkeys(filter(None, map(field_of, divergence.differences)))
        )

    def add(self, divergence: Divergence) -> None:
        """Counts a divergence and keeps it. `finish` drops all except the first DIVERGENCES_MAX."""
        self.divergent += 1
        self.kinds.update(difference.kind.value for difference in divergence.differences)
        if divergence.explanation is not None:
            self.explained += 1
            self.explanations[divergence.explanation.reason.value] += 1
        self.divergences.append(divergence)
        if len(self.divergences) > 2 * DIVERGENCES_MAX:
            self._shorten()

    def finish(self) -> None:
        """Sorts the divergences and the marks of the time line. Call this method after the last exchange.

        Keeps only the first DIVERGENCES_MAX divergences.
        """
        self._shorten()
        if self.marks is not None:
            self.marks.sort(key=lambda mark: mark.place)

    def _shorten(self) -> None:
        self.divergences.sort(key=lambda each: (each.offset, each.place))
        del self.divergences[DIVERGENCES_MAX:]

    def to_dict(self) -> dict[str, Any]:
        """Returns the results as a mapping for JSON."""
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
            "first": None if first is None else {**first.to_dict(self.page), "context": list(first.context)},
            "groups": {name: dict(sorted(counts.items())) for name, counts in sorted(self.groups.items())},
            "fields": dict(sorted(self.fields.items())),
            "kinds": dict(sorted(self.kinds.items())),
            "explanations": dict(sorted(self.explanations.items())),
            "unserved": dict(sorted(self.unserved.items())),
            "uncompared": dict(sorted(self.uncompared.items())),
            "notes": dict(sorted(self.notes.items())),
            "seeded": [str(restored) for restored in self.seeded],
            "divergences": [divergence.to_dict(self.page) for divergence in self.divergences],
        }
