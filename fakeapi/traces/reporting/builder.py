"""Writes into the report what became of each exchange."""

from collections import Counter, deque
from collections.abc import Sequence

from fakeapi.traces.comparing.reasons import Explainer
from fakeapi.traces.comparing.responses import Difference, show
from fakeapi.traces.replay.causal_order import Key
from fakeapi.traces.replay.scheduler import Work
from fakeapi.traces.replay.watches import Missed
from fakeapi.traces.reporting.report import Divergence, Mark, Report

CONTEXT = 4
"""Earlier exchanges that a divergence shows: of the same object, as far as they are among the last RECENT."""

RECENT = 200
MARKS_MAX = 200_000
"""On a time line; of a longer trace, the rest is not drawn."""


class Journal:
    """One for each report."""

    def __init__(self, report: Report, explainer: Explainer) -> None:
        self._report = report
        self.explainer = explainer
        self._recent: deque[tuple[Key, str, float]] = deque(maxlen=RECENT)

    def same(self, work: Work) -> None:
        self._report.same += 1
        self._note(work, "same")

    def unserved(self, work: Work, what: str) -> None:
        self._report.unserved[what] += 1
        self._note(work, "unserved")

    def unsent(self, work: Work) -> None:
        self.explainer.note_unsent(work.facts)
        self.uncompared(work, "not sent: the trace lacks the request's body")

    def uncompared(self, work: Work, why: str) -> None:
        self._report.uncompared[why] += 1
        self._note(work, "skipped")

    def differs(self, work: Work, found: Sequence[Difference], status: int) -> None:
        """`status`: of the answer now."""
        exchange, facts = work.exchange, work.facts
        explanation, follows = self.explainer.explain(exchange, facts, found, status)
        address = facts.address
        self._add(work, found, str(status), explanation, follows, exchange.offset, {address.key})

    def watched(self, work: Work, differences: Sequence[Difference], found: Missed) -> None:
        """The events of a watch."""
        if not differences:
            self.same(work)
            return
        explanation, follows = self.explainer.explain_watch(work.facts, differences, found)
        group, resource, namespace, _ = work.facts.address.key
        keys = {(group, resource, name[0] or namespace, name[1]) for name in found.names}
        events = work.exchange.events or ()
        offset = events[found.first].offset if 0 <= found.first < len(events) else work.exchange.offset
        self._add(work, differences, "200", explanation, follows, offset, keys)

    def _add(
        self,
        work: Work,
        found: Sequence[Difference],
        status: str,
        explanation: str,
        follows: int,
        offset: float,
        keys: set[Key],
    ) -> None:
        exchange, facts = work.exchange, work.facts
        differences = tuple(found)
        whole = differences[0].kind == "status code"
        self._report.add(
            Divergence(
                place=work.place,
                id=exchange.id,
                offset=offset,
                actor=exchange.actor,
                request=f"{exchange.request.method} {exchange.request.target}",
                where=exchange.place,
                recorded=differences[0].recorded if whole else str(facts.status),
                now=differences[0].now if whole else status,
                differences=differences,
                group=_group(work),
                explanation=explanation,
                follows=follows,
                context=self._context(keys, offset),
                sent=show(exchange.request.body.decode("utf-8", "replace")) if exchange.request.body else "",
            )
        )
        self._note(work, "explained" if explanation else "divergence")

    def _context(self, keys: set[Key], offset: float) -> tuple[str, ...]:
        """What was asked before, of the same objects where there was something."""
        before = [(key, text) for key, text, at in self._recent if at <= offset]
        of_objects = [text for key, text in before if key in keys and key[3]]
        return tuple((of_objects or [text for _, text in before])[-CONTEXT:])

    def _note(self, work: Work, outcome: str) -> None:
        exchange, facts = work.exchange, work.facts
        self._report.groups.setdefault(_group(work), Counter())[outcome] += 1
        if outcome != "unserved":
            line = (
                f"#{exchange.id} {exchange.actor}: {exchange.request.method} {exchange.request.target} "
                f"→ {facts.status or 'no answer'}"
            )
            self._recent.append((facts.address.key, line, exchange.offset))
        marks = self._report.marks
        if marks is not None and len(marks) < MARKS_MAX:
            marks.append(
                Mark(
                    work.place,
                    exchange.id,
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


def _group(work: Work) -> str:
    address = work.facts.address
    if not address.resource:
        return f"{work.facts.verb} {work.exchange.request.target.partition('?')[0]}"
    subresource = f"/{address.subresource}" if address.subresource else ""
    return f"{work.facts.verb} {address.resource}{subresource}"
