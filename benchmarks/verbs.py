"""Measures the requests of each verb.

Compares fakeapi with a minimal app, which runs on fakeapi's own HTTP server and on h11.
"""

import contextlib
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from benchmarks.claims import CLAIMS, TABLE, Make, merge_patch, named_creates, one_object
from benchmarks.load import Server, Timing, ask, checked, request
from benchmarks.servers import bare, fakeapi
from benchmarks.tables import at_least, at_most, heading, milliseconds, row

CONNECTIONS = 16
ROUNDS = 5
OF_BARE = {"get": 0.80}
OF_H11 = {"create": 0.60, "status update": 0.60, "merge patch": 0.60, "apply": 0.45}
LIST_GOALS = {
    "list of 1,000": 2,
    "list of 1,000, page of 100": 0.4,
    "list of 1,000 by label": 1.5,
    "list of 1,000 as Table": 3,
}


@dataclass(slots=True)
class InTurn:
    """Measured values of one server over several rounds of requests.

    `rate` and `p50` are medians over the rounds; `p99` is over all requests.
    """

    rates: list[float] = field(default_factory=list)
    p50s: list[float] = field(default_factory=list)
    each: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        return statistics.median(self.rates)

    @property
    def p50(self) -> float:
        return statistics.median(self.p50s)

    @property
    def p99(self) -> float:
        return Timing(self.each).percentile(0.99)


async def in_turn(
    servers: Sequence[int | Server],
    make: Make,
    count: int,
    *,
    alone: bool = True,
    connections: int = CONNECTIONS,
    rounds: int = ROUNDS,
) -> list[InTurn]:
    """Sends requests to the servers alternately; returns the measured values of each server.

    - `make`: builds the request with a given number. Each server receives each number at most once.
    - `count`: number of requests to each server over one connection, with the numbers from 0 on. As many
      requests follow over several connections, with the numbers from `count` on.
    - `alone`: whether to send the requests over one connection.
    - `connections`: number of connections for the other requests; 0 leaves these requests out.
    """
    results = [InTurn() for _ in servers]
    a_round = max(1, count // rounds)
    for turn in range(rounds):
        order = [*enumerate(servers)]
        for which, server in order if turn % 2 else reversed(order):
            if alone:
                timing = await checked(server, _from(make, turn * a_round), a_round, 1)
                results[which].p50s.append(timing.percentile(0.5))
                results[which].each += timing.each
            if connections:
                timing = await checked(server, _from(make, count + turn * a_round), a_round, connections)
                results[which].rates.append(timing.rate)
    return results


def _from(make: Make, first: int) -> Make:
    return lambda number: make(first + number)


async def size_of(server: int | Server, target: str, accept: str = "application/json") -> int:
    """Sends a GET; returns the size of the response body in bytes."""
    answer = await ask(server, request("GET", target, accept=accept))
    assert answer.status == 200, answer.body[:300]
    return len(answer.body)


async def bench_verbs(count: int) -> None:
    heading(
        f"Requests (a claim of 1.5 KB), medians of {ROUNDS} rounds in turn",
        "p50",
        "p99",
        f"per s, {CONNECTIONS} connections",
        "bare app",
        "of it",
        "bare app on h11",
        "of it",
        "goal",
        "",
    )
    with fakeapi() as (port, _), contextlib.ExitStack() as stack:
        await checked(port, named_creates("s"), 2 * count, CONNECTIONS)
        one = await size_of(port, f"{CLAIMS}/s0")
        others = stack.enter_context(bare(one)), stack.enter_context(bare(one, h11=True))
        for name, make in one_object(2 * count).items():
            own, quick, slow = await in_turn((port, *others), make, count)
            share, old_share = own.rate / quick.rate, own.rate / slow.rate
            goal = ("", "")
            if name in OF_BARE:
                goal = at_least(100 * share, 100 * OF_BARE[name], "% of the bare app")
            elif name in OF_H11:
                goal = at_least(100 * old_share, 100 * OF_H11[name], "% of h11")
            cells = f"{quick.rate:,.0f}", f"{share:.0%}", f"{slow.rate:,.0f}", f"{old_share:.0%}"
            row(name, *_times(own), *cells, *goal)
            if name == "get":
                times = quick.rate / slow.rate
                itself = *_times(quick), "", "", f"{slow.rate:,.0f}", f"{times:.1f} times"
                row("the bare app itself, get", *itself, *at_least(times, 2, "times h11"))
        (own,) = await in_turn((port,), lambda n: merge_patch(f"{CLAIMS}/c0", n), count, alone=False)
        row("merge patch, all of one object", "", "", f"{own.rate:,.0f}", "", "", "", "", "", "")
    await _bench_lists(max(50, count // 20))


def _times(found: InTurn) -> tuple[str, str, str]:
    return milliseconds(found.p50), milliseconds(found.p99), f"{found.rate:,.0f}"


async def _bench_lists(count: int) -> None:
    with fakeapi() as (port, _):
        await checked(port, named_creates("s"), 1000, CONNECTIONS)
        for name, target, accept in (
            ("list of 1,000", CLAIMS, "application/json"),
            ("list of 1,000, page of 100", f"{CLAIMS}?limit=100", "application/json"),
            ("list of 1,000 by label", f"{CLAIMS}?labelSelector=app%3Dbench", "application/json"),
            ("list of 1,000 as Table", CLAIMS, TABLE),
        ):
            size = await size_of(port, target, accept)
            asked = request("GET", target, accept=accept)
            with bare(size) as base_port:
                own, base = await in_turn((port, base_port), always(asked), count)
            cells = f"{base.rate:,.0f}", f"{own.rate / base.rate:.0%}", "", ""
            row(name, *_times(own), *cells, *at_most(own.p50 * 1000, LIST_GOALS[name], "ms p50"))


def always(asked: bytes) -> Callable[[int], bytes]:
    return lambda number: asked


def bench_sqlite(count: int) -> None:
    """Prints the time of inserting rows into SQLite without fakeapi, in transactions of 1 and of 40 rows."""
    heading("SQLite alone: inserts of 1.5 KB in a file", "each", "per s")
    for batch in (1, 40):
        with tempfile.TemporaryDirectory() as folder:
            database = sqlite3.connect(f"{folder}/bench.db", isolation_level=None)
            database.execute("pragma journal_mode=wal")
            database.execute("pragma synchronous=normal")
            database.execute("create table log (revision integer primary key, key text, value blob)")
            begin = time.perf_counter()
            for start in range(0, count, batch):
                database.execute("begin")
                rows = [(f"key-{start + n}", b"x" * 1500) for n in range(batch)]
                database.executemany("insert into log (key, value) values (?, ?)", rows)
                database.execute("commit")
            took = time.perf_counter() - begin
            database.close()
        row(f"{batch} a transaction", f"{took / count * 1000:.3f} ms", f"{count / took:,.0f}")
