"""A report for people: in a terminal, and in the message of a failed test."""

from collections import Counter
from collections.abc import Iterator

from fakeapi.traces.reporting.report import Divergence, Report

LISTED = 10
"""Divergences, and seeds, that are told of one by one."""

DIFFERENCES = 8
"""Of one divergence."""


def summary(report: Report) -> str:
    """One line."""
    parts = [f"{report.replayed} of {report.exchanges} exchanges replayed", f"{report.same} as recorded"]
    if report.unexplained:
        parts.append(f"{report.unexplained} diverge")
    if report.explained:
        parts.append(f"{report.explained} diverge for a known reason")
    if report.unserved:
        parts.append(f"{report.unserved.total()} not served here")
    return ", ".join(parts)


def text(report: Report) -> str:
    """The whole report, as many lines."""
    return "\n".join(_lines(report))


def _lines(report: Report) -> Iterator[str]:
    release = f" (Kubernetes {report.release})" if report.release else ""
    yield f"{report.trace}{release}"
    yield f"against {report.target}, {_ORDERS[report.order]}"
    yield summary(report)
    if report.stopped:
        yield f"Stopped {report.stopped}."
    if report.reordered and report.order == "recorded":
        yield f"{report.reordered} exchanges went in the order of their resourceVersions, not of their start."
    yield from _seeded(report)
    yield from _counted("Not served here, so not sent", report.unserved)
    yield from _counted("Not compared in full", report.uncompared)
    yield from _counted("What the trace's source concluded, or could not tell", report.notes)
    yield from _divergences(report)
    yield ""
    yield verdict(report)


_ORDERS = {
    "recorded": "in the order in which the requests took effect",
    "actors": "each actor in its own order",
    "fast": "as fast as can be",
}


def verdict(report: Report) -> str:
    """What it comes to, as a sentence."""
    if report.ok and not report.divergent:
        return "No divergence."
    if report.ok:
        return "Every divergence has a reason that lies in the trace."
    if report.unexplained:
        what = "divergence has" if report.unexplained == 1 else "divergences have"
        return f"{report.unexplained} {what} no explanation."
    return "Not everything is as recorded, and --strict asks for that."


def _seeded(report: Report) -> Iterator[str]:
    if not report.seeded:
        return
    yield ""
    yield f"Made before the replay, as the trace takes it for granted ({len(report.seeded)}):"
    for each in report.seeded[:LISTED]:
        yield f"  {each}"
    if len(report.seeded) > LISTED:
        yield f"  and {len(report.seeded) - LISTED} more"


def _counted(title: str, found: Counter[str]) -> Iterator[str]:
    if not found:
        return
    yield ""
    yield f"{title} ({found.total()}):"
    width = len(str(max(found.values())))
    for name, count in sorted(found.items(), key=lambda pair: (-pair[1], pair[0])):
        yield f"  {count:{width}}  {name}"


def _divergences(report: Report) -> Iterator[str]:
    first = report.first
    if first is None:
        return
    yield ""
    yield "First divergence:"
    yield from _told(first)
    if first.sent:
        yield f"    sent: {first.sent}"
    if first.context:
        yield "    before that:"
        yield from (f"      {line}" for line in first.context)
    yield from _counted("Kinds of difference", report.kinds)
    yield from _counted("Reasons", report.explanations)
    others = [each for each in report.divergences if each is not first]
    if others:
        yield ""
        yield f"Further divergences ({report.divergent - 1}):"
    for each in others[:LISTED]:
        yield from _told(each)
    if report.divergent - 1 > LISTED:
        yield f"  and {report.divergent - 1 - LISTED} more"


def _told(divergence: Divergence) -> Iterator[str]:
    yield (
        f"  #{divergence.id} at {divergence.offset:.3f} s, by {divergence.actor}"
        + (f", {divergence.where}" if divergence.where else "")
    )
    yield f"    {divergence.request}"
    if divergence.recorded != divergence.now:
        yield f"    recorded {divergence.recorded}, now {divergence.now}"
    for each in divergence.differences[:DIFFERENCES]:
        if each.kind != "status code":
            yield f"      {each}"
    if len(divergence.differences) > DIFFERENCES:
        yield f"      and {len(divergence.differences) - DIFFERENCES} more differences"
    if divergence.explanation:
        yield f"    reason: {divergence.explanation}"
    if divergence.follows >= 0:
        yield f"    may follow from #{divergence.follows}"
