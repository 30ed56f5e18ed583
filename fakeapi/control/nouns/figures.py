"""Figures: how much a server is asked and has, in one answer, for those who look every second."""

import os
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import msgspec

from fakeapi.control.nouns.objects import KindView, kinds
from fakeapi.control.route import Call, Route
from fakeapi.faults.armed import ArmedFault
from fakeapi.journal.entry import Record
from fakeapi.version import __version__


class FiguresQuery(msgspec.Struct, forbid_unknown_fields=True):
    """`after` is a request's number: those that came later are counted."""

    after: int = 0


class RequestCount(msgspec.Struct, rename="camel"):
    """Requests of one verb with one code. `code` is 0 where no answer was sent."""

    verb: str
    code: int
    requests: int


class Latency(msgspec.Struct, rename="camel"):
    """Seconds from a request's head to its answer, without watches; 0 where there was none."""

    p50: float
    p99: float
    requests: int


class FaultFigure(msgspec.Struct, rename="camel"):
    name: str
    matched: int
    fired: int


class Figures(msgspec.Struct, rename="camel"):
    """`last` is the newest request's number. Of those after the one that was named, `uncounted` are no
    longer kept. `memory_bytes` is what the process has of the machine, 0 where that is not known.
    """

    version: str
    release: str
    now: float
    resource_version: str
    last: int
    uncounted: int
    requests: list[RequestCount]
    latency: Latency
    watches: int
    behind: int
    kinds: list[KindView]
    faults: list[FaultFigure]
    memory_bytes: int


async def read(call: Call) -> Figures:
    cluster = call.server.cluster
    journal = cluster.journal
    after: int = call.query.after if 0 <= call.query.after <= journal.last else 0
    records = list(journal.records(after))
    open_watches = journal.open_watches()
    faults = cluster.armed_faults
    return Figures(
        version=__version__,
        release=cluster.settings.release or "",
        now=cluster.clock.now(),
        resource_version=str(cluster.storage.revision),
        last=journal.last,
        uncounted=journal.last - after - len(records),
        requests=_counts(records),
        latency=_latency(records),
        watches=len(open_watches),
        behind=max((each.watch.behind for each in open_watches if each.watch is not None), default=0),
        kinds=await kinds(call),
        faults=[] if faults is None else [_fault(each) for each in faults.armed],
        memory_bytes=_resident_bytes(),
    )


def _counts(records: Iterable[Record]) -> list[RequestCount]:
    counted = Counter((each.verb or each.method.lower(), each.code) for each in records)
    return [RequestCount(verb, code, count) for (verb, code), count in sorted(counted.items())]


def _latency(records: Iterable[Record]) -> Latency:
    seconds = sorted(each.seconds for each in records if each.watch is None)
    if not seconds:
        return Latency(0.0, 0.0, 0)
    return Latency(_quantile(seconds, 0.5), _quantile(seconds, 0.99), len(seconds))


def _quantile(ordered: list[float], part: float) -> float:
    """The smallest value that at least this part of all does not exceed."""
    return ordered[max(0, -(-len(ordered) * int(part * 100) // 100) - 1)]


def _fault(fault: ArmedFault) -> FaultFigure:
    return FaultFigure(fault.name, fault.matched, fault.fired)


def _resident_bytes() -> int:
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return _peak_bytes()
    return pages * os.sysconf("SC_PAGE_SIZE")


def _peak_bytes() -> int:
    """The most that the process had, where the present is not told."""
    try:
        import resource  # noqa: PLC0415 - exists on POSIX alone
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


ROUTES = (
    Route(
        "GET",
        "/figures",
        read,
        "How much the server is asked and has: requests by verb and code, latency, watches, objects, memory.",
        answer=Figures,
        query=FiguresQuery,
    ),
)
