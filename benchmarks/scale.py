"""Measures one to three fakeapi servers that share a PostgreSQL database, and one server on SQLite."""

import asyncio
import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

from benchmarks import capacity, tables
from benchmarks.load import Connection, ask, drive, processor_seconds, request
from tests.postgresql_server import PostgreSQL, why_missing
from tests.torture.servers import Server, serving

MAPS = "/api/v1/namespaces/default/configmaps"
CONNECTIONS = 16
SERVERS = (1, 2, 3)
WATCHERS = 50
VALUE = "x" * 1000


class Figures(NamedTuple):
    """Requests per second (`rate`), median seconds of a request (`median`), and CPU seconds per request.

    `server` is the CPU time of all fakeapi servers. `database` is the CPU time of PostgreSQL.
    """

    rate: float
    median: float
    server: float
    database: float

    def cells(self) -> list[str]:
        times = (self.median, self.server, self.database)
        return [f"{self.rate:,.0f}", *(f"{each * 1000:.2f}" for each in times)]


class Stack(NamedTuple):
    """The running fakeapi servers of a measurement: several on a PostgreSQL database, or one on SQLite.

    `database`: the PostgreSQL server; None with SQLite.
    """

    servers: Sequence[Server]
    database: PostgreSQL | None

    def used(self) -> tuple[list[float], float]:
        """Returns the CPU seconds of each fakeapi server, and the CPU seconds of PostgreSQL.

        With SQLite, the CPU seconds of PostgreSQL are 0.
        """
        processes = [] if self.database is None else self.database.processes()
        return [processor_seconds(each.process.pid) for each in self.servers], sum(
            map(processor_seconds, processes)
        )


def creation(name: str) -> bytes:
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"a": VALUE}}
    return request("POST", MAPS, json.dumps(body).encode())


async def measured(
    stack: Stack, verb: str, count: int, *, ports: Sequence[int] = (), connections: int = CONNECTIONS
) -> Figures:
    """Sends `count` creates, or GETs of objects created earlier, and returns the measured values.

    `verb`: "create" or "get". GETs need an earlier call with "create" and the same `count`. `ports`: sends
    requests only to these servers; empty means all servers of the stack.
    """
    ports = ports or [each.port for each in stack.servers]
    used, database_used = stack.used()
    start, share = time.perf_counter(), count // len(ports)

    def make(number: int, item: int) -> bytes:
        if verb == "create":
            return creation(f"create-{count}-{number}-{item}")
        return request("GET", f"{MAPS}/create-{count}-{number}-{item}")

    timings = await asyncio.gather(
        *(
            drive(port, partial(make, number), share, connections // len(ports))
            for number, port in enumerate(ports)
        )
    )
    seconds, done = time.perf_counter() - start, share * len(ports)
    assert not any(each.bad for each in timings), [each.refusal for each in timings]
    now, database_now = stack.used()
    return Figures(
        done / seconds,
        timings[0].percentile(0.5),
        (sum(now) - sum(used)) / done,
        (database_now - database_used) / done,
    )


@contextmanager
def stacked(databases: Sequence[str], postgresql: PostgreSQL | None) -> Iterator[Stack]:
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        servers = []
        for number, database in enumerate(databases):
            directory = place / str(number)
            directory.mkdir()
            servers.append(stack.enter_context(serving(directory, "--db", database or str(place / "db"))))
        yield Stack(servers, postgresql)


def bench_scale(count: int) -> None:
    """Prints the measured values of SQLite and of one to three servers on PostgreSQL, and the capacity.

    Prints a note instead if PostgreSQL is not installed.
    """
    if why_missing():
        tables.note(f"\nSeveral servers: not measured, {why_missing()}")
        return
    postgresql = PostgreSQL(fsync=True)
    try:
        _requests(postgresql, count)
        costs = asyncio.run(_costs(postgresql, count))
    finally:
        postgresql.stop()
    _print_costs(costs)
    machines = capacity.Machines()
    columns = [
        *(f"writes/s, {each:,} watchers" for each in capacity.WATCHERS),
        *(f"watchers at {each} writes/s" for each in capacity.WRITES),
    ]
    tables.heading("Servers on machines of their own, computed: what they do, and what is full", *columns)
    for name, cells in capacity.rows(costs, machines):
        tables.row(name, *cells)
    columns = ["writes/s", "median ms", "a server is busy", "the lock is busy"]
    tables.heading("The same, simulated, without watchers", *columns)
    for servers in capacity.SERVERS:
        played = capacity.simulated(costs, machines, capacity.Load(), servers)
        busy = f"{played.server_busy:.0%}", f"{played.lock_busy:.0%}"
        tables.row(str(servers), f"{played.writes:,.0f}", f"{played.median * 1000:.1f}", *busy)


def _requests(postgresql: PostgreSQL, count: int) -> None:
    columns = ("a second", "median ms", "server ms", "PostgreSQL ms")
    tables.heading(
        f"Several servers on one machine, {CONNECTIONS} connections in all, objects of 1 KB",
        *(f"{verb}s: {column}" for verb in ("create", "GET") for column in columns),
    )
    for number in (0, *SERVERS):
        databases = [postgresql.place()] * number or [""]
        with stacked(databases, postgresql if number else None) as stack:
            asyncio.run(measured(stack, "create", count // 10))  # these requests are a warm-up
            figures = [asyncio.run(measured(stack, verb, count)) for verb in ("create", "get")]
        title = f"PostgreSQL, {number} server{'s' * (number > 1)}" if number else "SQLite, 1 server"
        tables.row(title, *(cell for each in figures for cell in each.cells()))


async def _costs(postgresql: PostgreSQL, count: int) -> capacity.Costs:
    """Measures the CPU costs of requests and watch events.

    A request costs CPU time of the server that receives it, of the other servers, which read the log, and of
    PostgreSQL.
    """
    with stacked([postgresql.place()], postgresql) as alone:
        await measured(alone, "create", count // 10)
        written = _log_position(postgresql)
        create = await measured(alone, "create", count)
        log_bytes = (_log_position(postgresql) - written) / count
        get = await measured(alone, "get", count)
        [port] = [each.port for each in alone.servers]
        single = await measured(alone, "create", count // 4, connections=1)
        watched, event_bytes = await _watched(alone, port, count // 5)
    with stacked([postgresql.place()] * 2, postgresql) as pair:
        await measured(pair, "create", count // 10)
        used, _ = pair.used()
        both = await measured(pair, "create", count, ports=[pair.servers[0].port])
        now, _ = pair.used()
    return capacity.Costs(
        create=create.server,
        get=get.server,
        follow=(now[1] - used[1]) / count,
        event=max(watched.server - single.server, 1e-9) / WATCHERS,
        database_create=create.database,
        database_get=get.database,
        database_follow=max(both.database - create.database, 0.0),
        event_bytes=event_bytes,
        log_bytes=log_bytes,
    )


async def _watched(stack: Stack, port: int, count: int) -> tuple[Figures, float]:
    """Measures sequential creates while WATCHERS clients watch.

    Returns the measured values of the creates, and the average number of bytes of an event.
    """
    sizes: list[int] = []
    opened, done = asyncio.Semaphore(0), asyncio.Semaphore(0)
    version = json.loads((await ask(port, request("GET", MAPS))).body)["metadata"]["resourceVersion"]

    async def watch() -> None:
        connection = await Connection.open(port)
        seen = 0
        async for chunk in connection.lines(
            request("GET", f"{MAPS}?watch=1&resourceVersion={version}")
        ):  # the first chunk is empty
            if not chunk:
                opened.release()
                continue
            seen += chunk.count(b"\n")
            sizes.append(len(chunk))
            if seen == count:
                break
        connection.close()
        done.release()

    watchers = [asyncio.create_task(watch()) for _ in range(WATCHERS)]
    for _ in watchers:
        await opened.acquire()
    figures = await measured(stack, "create", count, connections=1)
    await asyncio.gather(*watchers)
    return figures, sum(sizes) / WATCHERS / count


def _log_position(postgresql: PostgreSQL) -> int:
    return int(postgresql.sql("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint"))


def _print_costs(costs: capacity.Costs) -> None:
    tables.heading("What it costs", "a server", "PostgreSQL", "bytes")
    micro = 1e6
    for name, server, database, size in (
        ("create", costs.create, costs.database_create, f"{costs.log_bytes:,.0f} of the write-ahead log"),
        ("GET of the newest state", costs.get, costs.database_get, ""),
        ("write of another server", costs.follow, costs.database_follow, ""),
        ("watch event to one watcher", costs.event, 0.0, f"{costs.event_bytes:,.0f} to the watcher"),
    ):
        tables.row(name, f"{server * micro:,.0f} µs", f"{database * micro:,.0f} µs", size)
