"""Measures how benchmark rows grow with the number of objects, connections and watchers."""

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks import plots, watching
from benchmarks.claims import CLAIMS, TABLE, merge_patch, named_creates
from benchmarks.load import Connection, Timing, checked, request
from benchmarks.servers import fakeapi, resident
from benchmarks.starting import started
from benchmarks.tables import heading, row

SIZES = (1_000, 10_000, 100_000)
CONNECTIONS = (1, 16, 160, 1_600)
WATCHERS = (1, 10, 100, 1_000)
PAGE = 100
LAWS = {
    "create, 16 connections": "constant",
    "resident, each": "constant, after what a server has anyway",
    "get": "constant: one lookup",
    "create": "constant: one insertion, 8 bytes moved a key",
    "merge patch": "constant: one lookup",
    "page of 100": "constant: two searches, then the page",
    "page of 100 as Table": "constant: two searches, then the page",
    "by label, limit 100": "constant while many match",
    "full list": "in proportion to the objects",
    "get beside full lists, p99": "a piece of a list, and collecting its entries",
    "start from a file": "in proportion, after the imports",
}
"""Describes the growth of each row with the number of objects, in the terms of docs/performance.md."""
BY_CONNECTIONS = "level once a core is busy"
BY_WATCHERS = "in proportion: one system call each"


@dataclass(frozen=True, slots=True)
class Found:
    """The result of a benchmark row for one number of objects: the row's name, the figure and its unit."""

    name: str
    figure: float
    unit: str

    def __str__(self) -> str:
        return f"{self.figure:,.2f} {self.unit}" if self.figure < 100 else f"{self.figure:,.0f} {self.unit}"


async def bench_growth(sizes: Sequence[int]) -> list[plots.Series]:
    """Measures all benchmark rows at each number of objects.

    Prints tables and returns the data of the plots.
    """
    by_row: dict[str, dict[int, Found]] = {}
    by_connections: list[plots.Series] = []
    for size in sizes:
        with fakeapi() as (port, pid):
            for each in await rows_at(port, size, partial(resident, pid)):
                by_row.setdefault(each.name, {})[size] = each
            if size == sizes[0]:
                by_connections = await rows_by_connections(port)
        with tempfile.TemporaryDirectory() as folder:
            database = Path(folder) / "bench.db"
            await fill(database, size)
            start = Found("start from a file", started("--db", str(database)), "s")
        by_row.setdefault(start.name, {})[size] = start
    heading("Growth, by objects", *(f"{size:,}" for size in sizes))
    for name, figures in by_row.items():
        row(name, *(figures[size] for size in sizes))
    for series in by_connections:
        heading(f"Growth, by {series.sizes_of}", *(f"{each:,}" for each in series.figures))
        row(f"{series.name}, {series.unit}", *(f"{each:,.1f}" for each in series.figures.values()))
    rows = [
        plots.Series(
            name,
            next(iter(figures.values())).unit,
            {size: each.figure for size, each in figures.items()},
            law=LAWS[name],
        )
        for name, figures in by_row.items()
    ]
    return [*rows, *by_connections]


async def fill(database: Path, size: int) -> None:
    """Starts a server with this database file and creates `size` claims."""
    with fakeapi("--db", str(database)) as (port, _):
        await checked(port, named_creates("g"), size, 16)


def p50(timing: Timing) -> float:
    return timing.percentile(0.5) * 1000


async def rows_at(port: int, count: int, memory: Callable[[], int]) -> list[Found]:
    """Fills an empty server with `count` claims, and returns the results of all benchmark rows.

    `memory`: returns the resident bytes of the server's process.
    """
    create = named_creates("g")
    empty = memory()
    seeded = await checked(port, create, count, 16)
    kilobytes = (memory() - empty) / count / 1024
    rows = [Found("create, 16 connections", seeded.rate, "per s"), Found("resident, each", kilobytes, "KB")]
    selector = f"{CLAIMS}?labelSelector=app%3Dbench&limit={PAGE}"
    for name, make, times in (
        ("get", lambda n: request("GET", f"{CLAIMS}/g{n * 7919 % count}"), 1_000),
        ("create", lambda n: create(count + n), 500),
        ("merge patch", lambda n: merge_patch(f"{CLAIMS}/g{n * 7919 % count}", n), 500),
        ("page of 100", lambda n: request("GET", f"{CLAIMS}?limit={PAGE}"), 100),
        ("page of 100 as Table", lambda n: request("GET", f"{CLAIMS}?limit={PAGE}", accept=TABLE), 100),
        ("by label, limit 100", lambda n: request("GET", selector), 100),
        ("full list", lambda n: request("GET", CLAIMS), 3),
    ):
        timing = await checked(port, make, times, 1)
        rows.append(Found(name, p50(timing), "ms"))
    beside = await gets_beside_lists(port)
    rows.append(Found("get beside full lists, p99", beside.percentile(0.99) * 1000, "ms"))
    return rows


async def gets_beside_lists(port: int) -> Timing:
    """Returns one client's response times for GETs while another client lists all objects twice."""
    timing = Timing()
    listing = asyncio.ensure_future(_list_by_another_process(port))
    connection = await Connection.open(port)
    while not listing.done():
        begin = time.perf_counter()
        answer = await connection.send(request("GET", f"{CLAIMS}/g0"))
        timing.each.append(time.perf_counter() - begin)
        assert answer.status == 200, answer.body[:300]
        await asyncio.sleep(0.001)
    connection.close()
    await listing
    return timing


async def _list_by_another_process(port: int) -> None:
    """Lists all claims twice in another process, so that the measured client loses no time."""
    code = (
        "import socket, sys\n"
        f"asked = {request('GET', CLAIMS)!r}\n"
        "for _ in range(2):\n"
        f"    with socket.create_connection(('127.0.0.1', {port})) as s, s.makefile('rb') as answer:\n"
        "        s.sendall(asked)\n"
        "        length = 0\n"
        "        while (line := answer.readline().strip().lower()):\n"
        "            if line.startswith(b'content-length:'): length = int(line.split(b':')[1])\n"
        "        while length > 0: length -= len(answer.read(min(length, 1 << 20)))\n"
    )
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code)
    assert await process.wait() == 0


async def rows_by_connections(port: int) -> list[plots.Series]:
    """Measures requests per second by number of connections, and watch event delays by number of watchers."""
    rates: dict[str, dict[int, float]] = {"get": {}, "create": {}}
    for connections in CONNECTIONS:
        count = max(2_000, connections)
        creates = named_creates(f"by-{connections}-")
        for name, make in (("get", lambda n: request("GET", f"{CLAIMS}/g0")), ("create", creates)):
            timing = await checked(port, make, count, connections)
            rates[name][connections] = timing.rate
    events = {}
    for watchers in WATCHERS:
        delays, _ = await watching.delays(port, watchers, 20, prefix=f"event-{watchers}-")
        events[watchers] = statistics.median(delays) * 1000
    series = [
        plots.Series(name, "per s", figures, "connections", BY_CONNECTIONS) for name, figures in rates.items()
    ]
    return [*series, plots.Series("write to event", "ms", events, "watchers", BY_WATCHERS)]
