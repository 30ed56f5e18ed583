"""Collects the outcome of each exchange of a replay in a report."""

from collections import Counter, deque
from collections.abc import Callable, Sequence

from fakeapi.traces.analysis.causal_order import Key
from fakeapi.traces.analysis.plan import Step
from fakeapi.traces.comparing.differences import Difference, DifferenceKind, show
from fakeapi.traces.comparing.events import EventComparison
from fakeapi.traces.comparing.reasons import Explainer, Explanation
from fakeapi.traces.model import StreamEvent
from fakeapi.traces.reporting.report import Report
from fakeapi.traces.reporting.results import Divergence, Mark, NotCompared, Outcome

CONTEXT = 4
"""Maximum number of earlier exchanges that a report lists with a divergence.

If some of the last RECENT exchanges are about the same object, the report lists only these.
"""

RECENT = 200
MARKS_MAX = 200_000
"""Maximum number of exchanges on a time line. Later exchanges are omitted."""


class ReportBuilder:
    """Adds the outcomes of exchanges to a report."""

    def __init__(self, report: Report, explainer: Explainer) -> None:
        self._report = report
        self.explainer = explainer
        self._recent: deque[tuple[Key, str, float]] = deque(maxlen=RECENT)

    def same(self, step: Step) -> None:
        """Adds an exchange whose response equals the recorded response."""
        self._report.same += 1
        self._note(step, Outcome.SAME)

    def unserved(self, step: Step, what: str) -> None:
        """Adds an exchange that was not sent, because the replay target does not serve its resource.

        `what`: the resource and the reason, for the report.
        """
        self._report.unserved[what] += 1
        self._note(step, Outcome.UNSERVED)

    def unsent(self, step: Step) -> None:
        """Adds an exchange that was not sent, because the trace lacks its request body."""
        self.explainer.note_unsent(step.facts)
        self.uncompared(step, NotCompared.NOT_SENT)

    def uncompared(self, step: Step, why: NotCompared, detail: str = "") -> None:
        """Adds an exchange whose response was not compared completely, with the reason and a detail."""
        self._report.uncompared[f"{why.value} ({detail})" if detail else why.value] += 1
        self._note(step, Outcome.SKIPPED)

    def differs(self, step: Step, found: Sequence[Difference], status: int, shown: str = "") -> None:
        """Adds an exchange with differences.

        - `found`: the differences.
        - `status`: the status code of the response in the replay.
        - `shown`: the URL fragment at which the target's live page displays the object; "" for none.
        """
        exchange, facts = step.exchange, step.facts
        explanation, follows = self.explainer.explain(exchange, facts, found, status)
        self._add(step, found, str(status), explanation, follows, exchange.offset, {facts.path.key}, shown)

    def watched(
        self,
        step: Step,
        differences: Sequence[Difference],
        found: EventComparison,
        shown: Callable[[Key, StreamEvent | None], str] = lambda key, event: "",
    ) -> None:
        """Adds a watch with the result of comparing its events.

        - `differences`: all differences of the watch; empty if the watch equals the recorded one.
        - `found`: the result of comparing the events.
        - `shown`: returns the URL fragment at which the live page displays the object of an event.
        """
        if not differences:
            self.same(step)
            return
        explanation, follows = self.explainer.explain_watch(step.facts, differences, found)
        group, resource, namespace, _ = step.facts.path.key
        keys = [(group, resource, name[0] or namespace, name[1]) for name in found.names]
        events = step.exchange.events or ()
        first = events[found.first] if 0 <= found.first < len(events) else None
        offset = step.exchange.offset if first is None else first.offset
        place = shown(keys[0], first) if keys else ""
        self._add(step, differences, "200", explanation, follows, offset, set(keys), place)

    def _add(
        self,
        step: Step,
        found: Sequence[Difference],
        status: str,
        explanation: Explanation | None,
        follows: int,
        offset: float,
        keys: set[Key],
        shown: str,
    ) -> None:
        exchange, facts = step.exchange, step.facts
        differences = tuple(found)
        whole = differences[0].kind is DifferenceKind.STATUS_CODE
        self._report.add(
            Divergence(
                place=step.place,
                id=exchange.id,
                offset=offset,
                actor=exchange.actor,
                request=f"{exchange.request.method} {exchange.request.target}",
                where=exchange.place,
                recorded=differences[0].recorded if whole else str(facts.status),
                now=differences[0].now if whole else status,
                differences=differences,
                group=_group(step),
                explanation=explanation,
                follows=follows,
                context=self._context(keys, offset),
                sent=show(exchange.request.body.decode("utf-8", "replace")) if exchange.request.body else "",
                shown=shown,
            )
        )
        self._note(step, Outcome.DIVERGENCE if explanation is None else Outcome.EXPLAINED)

    def _context(self, keys: set[Key], offset: float) -> tuple[str, ...]:
        """Returns the latest exchanges about these objects that started before `offset`, as text.

        If no recent exchange is about these objects, returns the latest exchanges about any objects.
        """
        before = [(key, text) for key, text, at in self._recent if at <= offset]
        of_objects = [text for key, text in before if key in keys and key[3]]
        return tuple((of_objects or [text for _, text in before])[-CONTEXT:])

    def _note(self, step: Step, outcome: Outcome) -> None:
        exchange, facts = step.exchange, step.facts
        self._report.groups.setdefault(_group(step), Counter())[outcome] += 1
        if outcome is not Outcome.UNSERVED:
            line = (
                f"#{exchange.id} {exchange.actor}: {exchange.request.method} {exchange.request.target} "
                f"→ {facts.status or 'no answer'}"
            )
            self._recent.append((facts.path.key, line, exchange.offset))
        marks = self._report.marks
        if marks is not None and len(marks) < MARKS_MAX:
            marks.append(
                Mark(
                    step.place,
                    exchange.id,
                    exchange.offset,
                    exchange.duration,
                    exchange.actor,
                    facts.verb,
                    str(facts.path) if facts.path.resource else exchange.request.target,
                    facts.status,
                    outcome,
                    tuple(event.offset for event in exchange.events or ()),
                )
            )


def _group(step: Step) -> str:
    """Returns the verb and resource of a step's request, such as "update pods/status".

    Returns the verb and path if the request has no resource.
    """
    path = step.facts.path
    return f"{step.facts.verb} {path.full_resource or step.exchange.request.target.partition('?')[0]}"
