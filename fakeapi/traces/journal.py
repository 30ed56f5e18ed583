"""Writes into the report what became of each exchange."""

from collections import deque
from collections.abc import Sequence

from fakeapi.traces.compare import Difference, show
from fakeapi.traces.explain import Explainer
from fakeapi.traces.lanes import Work
from fakeapi.traces.order import Key
from fakeapi.traces.report import Divergence, Mark, Report
from fakeapi.traces.watches import Missed

CONTEXT = 4
"""Earlier exchanges that a divergence shows: of the same object, as far as they are among the last RECENT."""

RECENT = 200
MARKS_MAX = 200_000
"""On a time line; of a longer trace, the rest is not drawn."""


class Journal:
    """One for each report."""

    def __init__(self, report: Report, explainer: Explainer) -> None:
        self._report = report
        self._explainer = explainer
        self._recent: deque[tuple[Key, str, int]] = deque(maxlen=RECENT)

    def same(self, work: Work) -> None:
        self._report.same += 1
        self._note(work, "same")

    def unserved(self, work: Work, what: str) -> None:
        self._report.unserved[what] += 1
        self._note(work, "unserved")

    def uncompared(self, work: Work, why: str) -> None:
        self._report.uncompared[why] += 1
        self._note(work, "skipped")

    def differs(self, work: Work, found: Sequence[Difference], status: int) -> None:
        """`status`: of the answer now."""
        exchange, facts = work.exchange, work.facts
        explanation, follows = self._explainer.explain(exchange, facts, found, status)
        self._add(work, found, str(status), explanation, follows)

    def watched(self, work: Work, differences: Sequence[Difference], found: Missed) -> None:
        """The events of a watch."""
        if not differences:
            self.same(work)
            return
        explanation, follows = self._explainer.explain_watch(work.facts, differences, found)
        self._add(work, differences, "200", explanation, follows)

    def _add(
        self, work: Work, found: Sequence[Difference], status: str, explanation: str, follows: int
    ) -> None:
        exchange, facts = work.exchange, work.facts
        differences = tuple(found)
        whole = differences[0].kind == "status code"
        self._report.add(
            Divergence(
                place=work.place,
                id=exchange.id,
                offset=exchange.offset,
                actor=exchange.actor,
                request=f"{exchange.request.method} {exchange.request.target}",
                where=exchange.place,
                recorded=differences[0].recorded if whole else str(facts.status),
                now=differences[0].now if whole else status,
                differences=differences,
                explanation=explanation,
                follows=follows,
                context=self._context(work),
                sent=show(exchange.request.body.decode("utf-8", "replace")) if exchange.request.body else "",
            )
        )
        self._note(work, "explained" if explanation else "divergence")

    def _context(self, work: Work) -> tuple[str, ...]:
        key = work.facts.address.key
        of_object = [(text, place) for each, text, place in self._recent if each == key and each[3]]
        found = of_object[-CONTEXT:] or [(text, place) for _, text, place in self._recent][-CONTEXT:]
        return tuple(text for text, _ in found)

    def _note(self, work: Work, outcome: str) -> None:
        exchange, facts = work.exchange, work.facts
        if outcome != "unserved":
            line = (
                f"#{exchange.id} {exchange.actor}: {exchange.request.method} {exchange.request.target} "
                f"→ {facts.status or 'no answer'}"
            )
            self._recent.append((facts.address.key, line, work.place))
        marks = self._report.marks
        if marks is not None and len(marks) < MARKS_MAX:
            marks.append(
                Mark(
                    work.place,
                    exchange.offset,
                    exchange.duration,
                    exchange.actor,
                    facts.verb,
                    str(facts.address) if facts.address.resource else exchange.request.target,
                    facts.status,
                    outcome,
                    tuple(event.offset for event in exchange.events or ()),
                )
            )
