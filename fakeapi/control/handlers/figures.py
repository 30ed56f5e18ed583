"""Returns the load of the server and the number of its objects, for clients that poll."""

import os
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import msgspec

from fakeapi.control.devices.attention import Attention, AttentionCount, attention_of
from fakeapi.control.devices.causes import Waiting, WaitingGroup, groups_of, groups_of_troubled, in_order
from fakeapi.control.devices.claim_states import ClaimView, PodView
from fakeapi.control.devices.objects import Namespace
from fakeapi.control.devices.pools import node_views
from fakeapi.control.devices.reading import read_objects
from fakeapi.control.devices.workloads import WorkloadView
from fakeapi.control.handlers.devices import DriverView, drivers_of
from fakeapi.control.handlers.objects import KindView, stored_kinds
from fakeapi.control.handlers.terminating import terminating_view
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
"""Maximum number of groups of waiting objects in the figures; `waiting_more` counts the omitted objects."""


class AgentCount(msgspec.Struct, rename="camel"):
    """The number of requests of one client. `agent`: the first part of the User-Agent, before "/"."""

    agent: str
    requests: int
    failed: int


class WaitingFigure(msgspec.Struct, rename="camel"):
    """A group of objects that wait for the same reason, as in GET /waiting, or a deleted namespace.

    - `kind`: the kind of the group, or `namespace`.
    - `what`: the kind of the objects, such as Pod or Deployment.
    - `number`: the number of objects.
    - `namespace`, `name` and `reason`: of the first object. `reason` is "" if no object says why.
    """

    kind: str
    what: str
    number: int
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
    - `attention`: the numbers of objects that wait or need attention, as in GET /pending.
    - `waiting`: the groups of these objects with their reasons; `waiting_more` is the number of objects in
      omitted groups.
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
    attention: AttentionCount
    waiting: list[WaitingFigure]
    waiting_more: int


async def read(call: Call) -> Figures:
    cluster = call.server.cluster
    journal = cluster.journal
    after: int = call.query.after if 0 <= call.query.after <= journal.last else 0
    records = list(journal.records(after))
    open_watches = journal.open_watches()
    faults = cluster.armed_faults
    objects = await read_objects(cluster)
    found = await attention_of(cluster, objects.claims, objects.pods)
    of_claims = Waiting(objects.claims, objects.pods)
    waiting = _waiting(found, of_claims)
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
        claims=Counter(str(claim.state) for claim in of_claims.views),
        drivers=drivers_of(node_views(objects)),
        attention=found.count(),
        waiting=waiting[:WAITING_MAX],
        waiting_more=sum(figure.number for figure in waiting[WAITING_MAX:]),
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


def _waiting(found: Attention, of_claims: Waiting) -> list[WaitingFigure]:
    """Returns one figure for each group of the view Pending, and for each deleted namespace."""
    groups = in_order(
        [
            *groups_of(of_claims, of_claims.pods, of_claims.claims),
            *groups_of_troubled(found.troubled, found.workloads),
        ]
    )
    return [*map(_figure, groups), *map(_of_namespace, found.namespaces)]


def _figure(group: WaitingGroup) -> WaitingFigure:
    group.keep_first(1)
    first: PodView | ClaimView | WorkloadView
    if group.pods:
        what, first = "Pod", group.pods[0]
        reason = first.message or first.reason
    elif group.workloads:
        first = group.workloads[0]
        what, reason = first.kind, first.summary or first.message
    else:
        what, first = "ResourceClaim", group.claims[0]
        reason = first.reason
    return WaitingFigure(group.kind, what, group.number, first.namespace, first.name, reason)


def _of_namespace(namespace: Namespace) -> WaitingFigure:
    view = terminating_view(namespace)
    return WaitingFigure("namespace", "Namespace", 1, "", view.name, view.reason)


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
