"""Renders the results of a replay as text, for a terminal and for the message of a failed test."""

from collections import Counter
from collections.abc import Iterator

from fakeapi.machinery.printable import printable
from fakeapi.traces.comparing.differences import DifferenceKind
from fakeapi.traces.reporting.results import Divergence, Results

LISTED = 10
"""Maximum number of created objects, and of divergences after the first, that the text lists."""

FIELDS = 10
"""Maximum number of fields that differ in several exchanges that the text lists."""

DIFFERENCES = 8
"""Maximum number of differences that the text shows for one divergence."""


def summary(report: Results) -> str:
    """Returns a line with the numbers of replayed exchanges and of each outcome.

    The numbers of the outcomes add up to the number of exchanges, if the replay did not end early.
    """
    parts = [f"{report.replayed} of {report.exchanges} exchanges replayed", f"{report.same} as recorded"]
    if report.unexplained:
        parts.append(f"{report.unexplained} diverge")
    if report.explained:
        parts.append(f"{report.explained} diverge for a known reason")
    if report.uncompared:
        parts.append(f"{report.uncompared.total()} not compared in full")
    if report.unserved:
        parts.append(f"{report.unserved.total()} not served here")
    return ", ".join(parts)


def text(report: Results) -> str:
    """Returns the complete report as text, with escaped control characters."""
    return "\n".join(map(printable, _lines(report)))


def _lines(report: Results) -> Iterator[str]:
    release = f" (Kubernetes {report.release})" if report.release else ""
    yield f"{report.trace}{release}"
    yield f"against {report.target}, {_ORDERS[report.order]}"
    yield summary(report)
    if report.stopped:
        yield f"Stopped {report.stopped}."
    if report.reordered and report.order == "recorded":
        yield f"{report.reordered} exchanges were sent in the order of their resourceVersions, not by time."
    yield from _seeded(report)
    yield from _counted("Not sent, because the target does not serve them", report.unserved)
    yield from _counted("Not compared in full", report.uncompared)
    yield from _counted("Inferred by the trace's source, or missing in it", report.notes)
    yield from _divergences(report)
    yield ""
    yield verdict(report)


_ORDERS = {
    "recorded": "in the order in which the requests took effect",
    "actors": "each actor in its own order",
    "fast": "as many requests at a time as possible",
}


def verdict(report: Results) -> str:
    """Returns a sentence that says whether the replay has divergences, and whether they are explained."""
    if report.ok and not report.divergent:
        return "No divergence."
    if report.ok:
        return "Every divergence has an explanation in the trace."
    if report.unexplained:
        subject = "divergence has" if report.unexplained == 1 else "divergences have"
        return f"{report.unexplained} {subject} no explanation."
    return "--strict: there are explained divergences, or requests that were not sent."


def _seeded(report: Results) -> Iterator[str]:
    if not report.seeded:
        return
    yield ""
    yield f"Needed before the replay, because the trace uses them ({len(report.seeded)}):"
    for restored in report.seeded[:LISTED]:
        yield f"  {restored}"
    if len(report.seeded) > LISTED:
        yield f"  and {len(report.seeded) - LISTED} more"


def _counted(title: str, counts: Counter[str]) -> Iterator[str]:
    if not counts:
        return
    yield ""
    yield f"{title} ({counts.total()}):"
    width = len(str(max(counts.values())))
    for name, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])):
        yield f"  {count:{width}}  {name}"


def _divergences(report: Results) -> Iterator[str]:
    first = report.first
    if first is None:
        return
    yield ""
    yield "First divergence:"
    yield from _divergence(first, report.page)
    if first.sent:
        yield f"    sent: {first.sent}"
    if first.context:
        yield "    before that:"
        yield from (f"      {line}" for line in first.context)
    yield from _counted("Kinds of difference", report.kinds)
    yield from _counted("Reasons", report.explanations)
    yield from _fields(report)
    others = [divergence for divergence in report.divergences if divergence is not first]
    if others:
        yield ""
        yield f"Further divergences ({report.divergent - 1}):"
    for other in others[:LISTED]:
        yield from _divergence(other, report.page)
    if report.divergent - 1 > LISTED:
        yield f"  and {report.divergent - 1 - LISTED} more"


def _fields(report: Results) -> Iterator[str]:
    """Yields the fields that differ in several exchanges, and how to leave out the first of them."""
    fields = [(name, count) for name, count in report.fields.most_common(FIELDS) if count > 1]
    if not fields:
        return
    yield from _counted("Fields that differ in several exchanges", Counter(dict(fields)))
    yield f"  --ignore FIELD leaves a field out of the comparison, such as --ignore '{fields[0][0]}'."


def _divergence(divergence: Divergence, page: str) -> Iterator[str]:
    yield (
        f"  #{divergence.id} at {divergence.offset:.3f} s, by {divergence.actor}"
        + (f", {divergence.where}" if divergence.where else "")
    )
    yield f"    {divergence.request}"
    if divergence.recorded != divergence.now:
        yield f"    recorded {divergence.recorded}, now {divergence.now}"
    for difference in divergence.differences[:DIFFERENCES]:
        if difference.kind is not DifferenceKind.STATUS_CODE:
            yield f"      {difference}"
    if len(divergence.differences) > DIFFERENCES:
        yield f"      and {len(divergence.differences) - DIFFERENCES} more differences"
    if divergence.explanation is not None:
        yield f"    reason: {divergence.explanation}"
    if divergence.follows >= 0:
        yield f"    may follow from #{divergence.follows}"
    if page and divergence.shown:
        yield f"    see {page}{divergence.shown}"
