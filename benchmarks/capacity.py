"""Computes how many writes per second servers on separate machines can handle, from the cost of a request.

A write, with its reads and watch events, uses a share of each resource, such as CPU time or network. The
resource with the largest share limits the writes per second. `capacity` ignores queues and group commit.
`simulated` includes both by simulating every write; tests compare the two results.
"""

import heapq
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Costs:
    """Measured costs of one request or watch event: CPU seconds, and bytes."""

    create: float
    """CPU time of a create on the server that receives the request."""
    get: float
    """CPU time of a GET of an object's newest version, on the server that receives the request."""
    follow: float
    """CPU time of each server that did not receive a write, for reading the write from the shared log."""
    event: float
    """CPU time for sending an event to one watcher; events of writes that were committed together cost less.
    """
    database_create: float
    """CPU time of PostgreSQL for a create. PostgreSQL locks the state row of the database for this time."""
    database_get: float
    database_follow: float
    event_bytes: float
    """Bytes that a server sends for one event to one watcher."""
    log_bytes: float
    """Bytes that a create adds to PostgreSQL's write-ahead log."""


@dataclass(frozen=True, slots=True)
class Machines:
    """The hardware of a computed setup: one machine for each server and one for PostgreSQL.

    The event loop of a server uses one processor.
    """

    database_processors: int = 4
    network: float = 125e6
    """Bytes per second that the network card of a machine can send: 1 Gbit/s."""
    disk: float = 200e6
    """Bytes per second that the disk of PostgreSQL can write to the write-ahead log."""
    commit: float = 0.001
    """Seconds that PostgreSQL needs to write a commit to the disk."""


@dataclass(frozen=True, slots=True)
class Load:
    """The load on all servers together: the number of watchers, and the number of reads for each write.

    Every watcher receives every event. Watchers and clients are spread evenly over the servers.
    """

    watchers: int = 0
    reads: float = 4.0
    """Number of GETs (of an object's newest version) for each write."""


class Capacity(NamedTuple):
    """The computed capacity of a setup.

    `writes`: writes per second of all servers together. `full`: the name of the resource that limits the
    writes.
    """

    writes: float
    full: str


def use_of_a_write(costs: Costs, machines: Machines, load: Load, servers: int) -> dict[str, float]:
    """Returns how many seconds of each resource one write uses, by the resource's name.

    A resource is full when the writes of one second use it for one second.
    """
    watchers = load.watchers / servers
    of_server = (costs.create + load.reads * costs.get) / servers
    of_server += costs.follow * (1 - 1 / servers) + costs.event * watchers
    of_database = costs.database_create + load.reads * costs.database_get
    of_database += costs.database_follow * (servers - 1)
    return {
        "each server's processor": of_server,
        "PostgreSQL's processors": of_database / machines.database_processors,
        "the lock of the state": costs.database_create,
        "each server's network": costs.event_bytes * max(watchers, 1) / machines.network,
        "PostgreSQL's disk": costs.log_bytes / machines.disk,
    }


def capacity(costs: Costs, machines: Machines, load: Load, servers: int) -> Capacity:
    used = use_of_a_write(costs, machines, load, servers)
    full = max(used, key=lambda each: used[each])
    return Capacity(1 / used[full], full)


def watchers_at(costs: Costs, machines: Machines, load: Load, servers: int, writes: float) -> int:
    """Returns how many watchers can receive all events at a rate of `writes` writes per second.

    Returns 0 if the servers cannot do that many writes even without watchers.
    """
    without = use_of_a_write(costs, machines, Load(0, load.reads), servers)
    if max(without.values()) * writes > 1:
        return 0
    left = 1 / writes - without["each server's processor"]
    by_network = machines.network / (costs.event_bytes * writes)
    return int(servers * min(left / costs.event, by_network))


@dataclass(slots=True)
class _Processor:
    """A simulated processor that does one job after the other. `busy` is the sum of the jobs' seconds."""

    free_at: float = 0.0
    busy: float = 0.0

    def done_at(self, now: float, seconds: float) -> float:
        self.busy += seconds
        self.free_at = max(now, self.free_at) + seconds
        return self.free_at


@dataclass(slots=True)
class _Server:
    processor: _Processor = field(default_factory=_Processor)
    waiting: deque[float] = field(default_factory=deque)
    """For each write that the server has not yet sent to the database: the time of the client's request."""
    is_sending: bool = False


class Played(NamedTuple):
    """The result of a simulation.

    - `writes`: writes per second.
    - `median`: the median number of seconds from a client's request to the response.
    - `server_busy`: the share of time in which the busiest server worked.
    - `lock_busy`: the share of time in which a transaction locked the state row of the database.
    """

    writes: float
    median: float
    server_busy: float
    lock_busy: float


BATCH = 256
"""Maximum number of writes in one transaction, equal to BATCH_WRITES_MAX of the storage."""


class _Play:
    """An event-driven simulation: calls functions in the order of their simulated times."""

    def __init__(self, costs: Costs, machines: Machines, load: Load, servers: int) -> None:
        self._costs = costs
        self._machines = machines
        self._load = load
        self.servers = [_Server() for _ in range(servers)]
        self.lock = _Processor()
        self.answered: list[float] = []
        self._events: list[tuple[float, int, Callable[[float], None]]] = []
        self._numbers = count()

    def at(self, when: float, call: Callable[[float], None]) -> None:
        heapq.heappush(self._events, (when, next(self._numbers), call))

    def run(self, seconds: float) -> None:
        while self._events and self._events[0][0] < seconds:
            now, _, call = heapq.heappop(self._events)
            call(now)

    def ask(self, server: _Server, now: float) -> None:
        """Simulates a client that sends its GETs and then one write to the server.

        `now`: the simulated time.
        """
        work = self._costs.create + self._load.reads * self._costs.get
        self.at(server.processor.done_at(now, work), lambda then: self._accepted(server, now, then))

    def _accepted(self, server: _Server, asked: float, now: float) -> None:
        server.waiting.append(asked)
        self._send(server, now)

    def _send(self, server: _Server, now: float) -> None:
        if server.is_sending or not server.waiting:
            return
        server.is_sending = True
        batch = [server.waiting.popleft() for _ in range(min(len(server.waiting), BATCH))]
        locked_seconds = len(batch) * self._costs.database_create + self._machines.commit
        self.at(self.lock.done_at(now, locked_seconds), lambda then: self._committed(server, batch, then))

    def _committed(self, server: _Server, batch: list[float], now: float) -> None:
        server.is_sending = False
        self._send(server, now)
        share = self._load.watchers / len(self.servers)
        for each in self.servers:
            work = share * self._costs.event + (0 if each is server else self._costs.follow)
            done = each.processor.done_at(now, work * len(batch))
            if each is server:
                self.at(done, lambda then: self._answer(server, batch, then))

    def _answer(self, server: _Server, batch: list[float], now: float) -> None:
        for asked in batch:
            self.answered.append(now - asked)
            self.ask(server, now)


def simulated(
    costs: Costs, machines: Machines, load: Load, servers: int, *, clients: int = 64, seconds: float = 5.0
) -> Played:
    """Simulates clients that write to the servers, and returns the results.

    A client sends its next write after the response to the previous write. `clients`: number of clients of
    each server. `seconds`: simulated seconds.
    """
    play = _Play(costs, machines, load, servers)
    for server in play.servers:
        for number in range(clients):
            play.at(number * 1e-4, lambda now, server=server: play.ask(server, now))  # type: ignore[misc]
    play.run(seconds)
    middle = sorted(play.answered)[len(play.answered) // 2] if play.answered else float("inf")
    return Played(
        len(play.answered) / seconds,
        middle,
        min(1.0, max(each.processor.busy for each in play.servers) / seconds),
        min(1.0, play.lock.busy / seconds),
    )


SERVERS = (1, 2, 3, 5, 10)
WATCHERS = (0, 100, 1_000)
WRITES = (10, 100)
"""Rates of writes per second; the table has a column with the possible number of watchers for each."""


def rows(costs: Costs, machines: Machines) -> Iterator[tuple[str, list[str]]]:
    """Yields a table row for each number of servers: that number, and the other cells as text."""
    for servers in SERVERS:
        cells = []
        for watchers in WATCHERS:
            limit = capacity(costs, machines, Load(watchers), servers)
            cells.append(f"{limit.writes:,.0f}: {limit.full}")
        cells += [f"{watchers_at(costs, machines, Load(), servers, writes):,}" for writes in WRITES]
        yield str(servers), cells
