"""Capacity of servers on machines of their own, computed from the measured costs of a request.

The law: of each resource, what a write uses (with the reads and the watch events that come with it) is added
up, and so many writes a second fill it. The least of these is the capacity. `simulated` plays the writes one
by one, with the queues and the group commit that the law leaves out, and is held against it by the tests.
"""

import heapq
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Costs:
    """Measured costs of one request or event: seconds of processor time, and bytes."""

    create: float
    """Of the server that is asked, for a create."""
    get: float
    """Of the server that is asked, for a GET of the newest state."""
    follow: float
    """Of each other server, for a write that it reads in the log."""
    event: float
    """Of a server, for one event to one watcher; those of writes that are committed together cost less."""
    database_create: float
    """Of PostgreSQL, for a create; the row of the state is locked meanwhile."""
    database_get: float
    database_follow: float
    event_bytes: float
    """To a watcher."""
    log_bytes: float
    """To PostgreSQL's write-ahead log, for a create."""


@dataclass(frozen=True, slots=True)
class Machines:
    """One for each server, whose event loop has one processor, and one for PostgreSQL."""

    database_processors: int = 4
    network: float = 125e6
    """Bytes a second, of each: 1 Gbit/s."""
    disk: float = 200e6
    """Bytes a second of the write-ahead log."""
    commit: float = 0.001
    """Seconds until a commit is on disk."""


@dataclass(frozen=True, slots=True)
class Load:
    """The watchers of each write, and the reads beside it.

    Every watcher sees every event; watchers and clients are spread evenly over the servers.
    """

    watchers: int = 0
    reads: float = 4.0
    """GETs of the newest state, for each write."""


class Capacity(NamedTuple):
    """Writes a second of all servers together, and the resource that is full then."""

    writes: float
    full: str


def use_of_a_write(costs: Costs, machines: Machines, load: Load, servers: int) -> dict[str, float]:
    """The share of a second that a write takes of each resource; one is full where shares add up to 1."""
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
    """The number of watchers that can follow `writes` a second; 0 if the servers cannot do as many writes."""
    without = use_of_a_write(costs, machines, Load(0, load.reads), servers)
    if max(without.values()) * writes > 1:
        return 0
    left = 1 / writes - without["each server's processor"]
    by_network = machines.network / (costs.event_bytes * writes)
    return int(servers * min(left / costs.event, by_network))


@dataclass(slots=True)
class _Processor:
    """Does one job after the other; `busy` is how long it has."""

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
    """When each write came that is not sent yet."""
    is_sending: bool = False


class Played(NamedTuple):
    """Writes a second, how long the middle one took, and how busy the servers and the lock were at most."""

    writes: float
    median: float
    server_busy: float
    lock_busy: float


BATCH = 256
"""Writes in one transaction at most, as of the storage."""


class _Play:
    """The events of a simulation in their order."""

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
        """A client sends a write, after the reads that come with it."""
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
        held = len(batch) * self._costs.database_create + self._machines.commit
        self.at(self.lock.done_at(now, held), lambda then: self._committed(server, batch, then))

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
    """Plays clients of each server that send their next write when the last one is answered."""
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
"""A second, for which the watchers are counted."""


def rows(costs: Costs, machines: Machines) -> Iterator[tuple[str, list[str]]]:
    """A row of the table for each number of servers."""
    for servers in SERVERS:
        cells = []
        for watchers in WATCHERS:
            found = capacity(costs, machines, Load(watchers), servers)
            cells.append(f"{found.writes:,.0f}: {found.full}")
        cells += [f"{watchers_at(costs, machines, Load(), servers, writes):,}" for writes in WRITES]
        yield str(servers), cells
