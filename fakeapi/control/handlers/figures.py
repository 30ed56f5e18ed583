"""Returns the load of the server and the number of its objects, for clients that poll."""

import os
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import msgspec

from fakeapi.cluster import Cluster
from fakeapi.control.devices.claim_states import ClaimState, claim_views, pending_pods, pods_by_claim
from fakeapi.control.devices.pools import node_views
from fakeapi.control.devices.reading import read_objects
from fakeapi.control.handlers.devices import DriverView, drivers_of
from fakeapi.control.handlers.objects import KindView, stored_kinds
from fakeapi.control.route import Call, Route
from fakeapi.faults.armed import ArmedFault
from fakeapi.journal.entry import Record
from fakeapi.version import __version__


class FiguresQuery(msgspec.Struct, forbid_unknown_fields=True):
    """The query of /figures.

    `after`: the number of a request. The response counts only later requests. A number that the journal has
    not reached counts all requests.
    """

    after: int = 0


class RequestCount(msgspec.Struct, rename="camel"):
    """The number of requests with one verb and one status code. Code 0 means that the server sent no
    response.
    """

    verb: str
    code: int
    requests: int


class Latency(msgspec.Struct, rename="camel"):
    """The median and 99th percentile of the latency of requests, in seconds, without watches; 0 without
    requests.
    """

    p50: float
    p99: float
    requests: int


AGENTS_MAX = 20
"""Maximum number of user agents in the figures. The name "others" counts all further user agents."""

WAITING_MAX = 20
"""Maximum number of waiting pods and claims in the figures; `waiting_more` counts the omitted pods and
claims.
"""


class AgentCount(msgspec.Struct, rename="camel"):
    """The number of requests of one client. `agent`: the first part of the User-Agent, before "/"."""

    agent: str
    requests: int
    failed: int


class Waiting(msgspec.Struct, rename="camel"):
    """A pod or claim that waits. `kind`: Pod or ResourceClaim. `reason`: "" if no condition has one."""

    kind: str
    namespace: str
    name: str
    reason: str


class FaultFigure(msgspec.Struct, rename="camel"):
    name: str
    matched: int
    fired: int


class Figures(msgspec.Struct, rename="camel"):
    """The load and the contents of a server.

    - `last`: the number of the newest request.
    - `uncounted`: the number of requests after `after` that the journal has dropped. `requests` omits them.
    - `watches`: the number of open watches.
    - `behind`: the number of events that the slowest watch still has to send.
    - `agents`: the requests by client, the busiest client first.
    - `claims`: the number of claims in each state.
    - `drivers`: the devices of each driver by state.
    - `waiting`: pending pods, and pending claims that no pod uses, with reasons; `waiting_more` is the number
      of omitted pods and claims.
    - `memory_bytes`: the resident memory of the process; its peak on systems that report only the peak; 0 if
      unknown.
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
    agents: list[AgentCount]
    claims: dict[str, int]
    drivers: list[DriverView]
    waiting: list[Waiting]
    waiting_more: int


async def read(call: Call) -> Figures:
    cluster = call.server.cluster
    journal = cluster.journal
    after: int = call.query.after if 0 <= call.query.after <= journal.last else 0
    records = list(journal.records(after))
    open_watches = journal.open_watches()
    faults = cluster.armed_faults
    claims, drivers, waiting = await _devices(cluster)
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
        kinds=stored_kinds(cluster),
        faults=[] if faults is None else [_fault(fault) for fault in faults.armed],
        memory_bytes=_resident_bytes(),
        agents=_agents(records),
        claims=claims,
        drivers=drivers,
        waiting=waiting[:WAITING_MAX],
        waiting_more=max(0, len(waiting) - WAITING_MAX),
    )


def _counts(records: Iterable[Record]) -> list[RequestCount]:
    counted = Counter((record.verb or record.method.lower(), record.code) for record in records)
    return [RequestCount(verb, code, count) for (verb, code), count in sorted(counted.items())]


def _agents(records: Iterable[Record]) -> list[AgentCount]:
    requests: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    for record in records:
        agent = record.agent.partition(b"/")[0].decode("utf-8", "replace") or "unknown"
        requests[agent] += 1
        failed[agent] += record.code >= 400 or not record.code
    counts = [AgentCount(agent, count, failed[agent]) for agent, count in requests.most_common()]
    first, others = counts[:AGENTS_MAX], counts[AGENTS_MAX:]
    if others:
        sums = sum(each.requests for each in others), sum(each.failed for each in others)
        first.append(AgentCount("others", *sums))
    return first


async def _devices(cluster: Cluster) -> tuple[dict[str, int], list[DriverView], list[Waiting]]:
    """Returns the number of claims in each state, the devices of each driver, and the waiting pods and
    claims.
    """
    objects = await read_objects(cluster)
    users = pods_by_claim(objects.pods)
    claims = claim_views(objects.claims, users)
    pods = pending_pods(objects.pods)
    waiting = [Waiting("Pod", pod.namespace, pod.name, pod.message or pod.reason) for pod in pods]
    waiting += [
        Waiting("ResourceClaim", claim.namespace, claim.name, claim.reason)
        for claim in claims
        if claim.state is ClaimState.PENDING and not users.get((claim.namespace, claim.name))
    ]
    return Counter(str(claim.state) for claim in claims), drivers_of(node_views(objects)), waiting


def _latency(records: Iterable[Record]) -> Latency:
    seconds = sorted(record.seconds for record in records if record.watch is None)
    if not seconds:
        return Latency(0.0, 0.0, 0)
    return Latency(_quantile(seconds, 0.5), _quantile(seconds, 0.99), len(seconds))


def _quantile(ordered: list[float], part: float) -> float:
    """Returns a quantile of sorted values by the nearest-rank method.

    - `ordered`: at least one value, in ascending order.
    - `part`: the quantile as a fraction with two decimals, such as 0.99 for the 99th percentile.
    """
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
    """Returns the peak resident memory of the process in bytes; 0 on systems without `getrusage`."""
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
