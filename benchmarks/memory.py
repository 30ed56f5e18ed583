"""Measures the memory of a server and of each stored claim, and the speed of a server with many claims."""

import statistics
import tempfile
from pathlib import Path

from benchmarks import growth
from benchmarks.claims import CLAIMS, named_creates
from benchmarks.load import checked, request
from benchmarks.servers import fakeapi, resident
from benchmarks.starting import started
from benchmarks.tables import at_most, heading, milliseconds, row
from benchmarks.verbs import CONNECTIONS, in_turn, size_of

MEGABYTE = 1024 * 1024
KILOBYTES_EACH = 5
SHARE_LOST = 10
START_SECONDS = 2
LISTED = 50_000
P99_BESIDE_LISTS = 20


async def bench_memory(count: int) -> None:
    """Measures a server with `count` claims: memory, request times, and start from a database file.

    Prints a table.
    """
    heading(f"{count:,} claims of 1.5 KB", "", "goal", "")
    with fakeapi() as (port, pid), fakeapi() as (empty, _):
        await size_of(port, "/version")
        idle = resident(pid)
        row("resident, idle", f"{idle / MEGABYTE:.0f} MB", "", "")
        listed = min(LISTED, count)
        create = named_creates("g")
        await checked(port, create, listed, CONNECTIONS)
        beside = await growth.gets_beside_lists(port)
        p99 = beside.percentile(0.99) * 1000
        name = f"get while {listed:,} are listed, p99"
        row(name, f"{p99:.1f} ms", *at_most(p99, P99_BESIDE_LISTS, "ms"))
        await checked(port, lambda n: create(n + listed), count - listed, CONNECTIONS)
        grown = (resident(pid) - idle) / count / 1024
        row("resident, each claim", f"{grown:.1f} KB", *at_most(grown, KILOBYTES_EACH, "KB"))
        await checked(empty, create, 1, 1)
        for name, make in (
            ("get", lambda n: request("GET", f"{CLAIMS}/g0")),
            ("create", named_creates("again")),
        ):
            full, none = await in_turn((port, empty), make, 2_000, connections=0)
            lost = 100 * (full.p50 / none.p50 - 1)
            figures = f"{milliseconds(full.p50)}, empty {milliseconds(none.p50)}, {lost:+.0f} %"
            row(f"{name}, p50", figures, *at_most(lost, SHARE_LOST, "% slower"))
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "bench.db"
        await growth.fill(database, count)
        seconds = statistics.median(started("--db", str(database)) for _ in range(3))
    row("start from a file", f"{seconds:.1f} s", *at_most(seconds, START_SECONDS, "s"))
