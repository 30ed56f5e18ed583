"""Figures: the load and the contents of a server in one response, for clients that poll every second."""

import os
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import msgspec

from fakeapi.control.handlers.objects import KindView, kinds
from fakeapi.control.route import Call, Route
from fakeapi.faults.armed import ArmedFault
from fakeapi.journal.entry import Record
from fakeapi.version import __version__


class FiguresQuery(msgspec.Struct, forbid_unknown_fields=True):
    """`after` is the number of a request; only later ones are counted."""

    after: int = 0


class RequestCount(msgspec.Struct, rename="camel"):
    """The number of requests with one verb and one code; `code` is 0 if no response was sent."""

    verb: str
    code: int
    requests: int


class Latency(msgspec.Struct, rename="camel"):
    """Seconds from a request's head to its response, without watches; 0 without requests."""

    p50: float
    p99: float
    requests: int


class FaultFigure(msgspec.Struct, rename="camel"):
    name: str
    matched: int
    fired: int


class Figures(msgspec.Struct, rename="camel"):
    """The load and the contents of a server.

    - `last` is the number of the newest request.
    - `uncounted` requests after the one in the query are no longer in the journal.
    - `memory_bytes` is the resident memory of the process; 0 if it is unknown.
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
        behind=max((entry.watch.behind for entry in open_watches if entry.watch is not None), default=0),
        kinds=await kinds(call),
        faults=[] if faults is None else [_fault(fault) for fault in faults.armed],
        memory_bytes=_resident_bytes(),
    )


def _counts(records: Iterable[Record]) -> list[RequestCount]:
    counted = Counter((record.verb or record.method.lower(), record.code) for record in records)
    return [RequestCount(verb, code, count) for (verb, code), count in sorted(counted.items())]


def _latency(records: Iterable[Record]) -> Latency:
    seconds = sorted(record.seconds for record in records if record.watch is None)
    if not seconds:
        return Latency(0.0, 0.0, 0)
    return Latency(_quantile(seconds, 0.5), _quantile(seconds, 0.99), len(seconds))


def _quantile(ordered: list[float], part: float) -> float:
    """Returns the smallest value that is not below this fraction of the values."""
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
    """Returns the peak memory of the process, for systems that do not report the current memory."""
    try:
        import resource  # noqa: PLC0415 - exists only on POSIX
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


ROUTES = (
    Route(
        "GET",
        "/figures",
        read,
        "The figures of `fakeapi top`: requests by verb and code, latency, watches, objects, memory.",
        answer=Figures,
        query=FiguresQuery,
    ),
)
