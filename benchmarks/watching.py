"""Measures the time from sending a write until each watcher receives its watch event."""

import asyncio
import statistics
import time
from collections.abc import AsyncIterator

from benchmarks.claims import CLAIMS, named_creates
from benchmarks.load import Connection, Server, request
from benchmarks.servers import fakeapi
from benchmarks.tables import at_most, heading, milliseconds, row

GOALS = {1: 0.5, 100: 1.5, 1000: 12.0}
"""Goals for the median, in milliseconds, by the number of watchers."""


async def bench_watch(events: int) -> None:
    heading("From write to watch event", "p50", "p99", "last watcher p50", "goal", "")
    for watchers, goal in GOALS.items():
        with fakeapi() as (port, _):
            seconds, last = await delays(port, watchers, events)
        name = f"{watchers:,} watcher{'s' if watchers > 1 else ''}"
        p50, p99 = seconds[len(seconds) // 2], seconds[int(len(seconds) * 0.99)]
        cells = milliseconds(p50), milliseconds(p99), milliseconds(statistics.median(last))
        row(name, *cells, *at_most(p50 * 1000, goal, "ms p50"))


async def delays(
    server: int | Server, watchers: int, events: int, claims: str = CLAIMS, prefix: str = "w"
) -> tuple[list[float], list[float]]:
    """Sends `events` writes, and measures the seconds until each watcher receives the watch event.

    Returns two lists: all measured times, sorted, and the time of the last watcher for each write.
    """
    arrivals: list[asyncio.Queue[float]] = [asyncio.Queue() for _ in range(watchers)]
    opened = asyncio.Semaphore(0)
    version = await _version(server, claims)

    async def follow(arrived: "asyncio.Queue[float]") -> None:
        connection = await Connection.open(server)
        target = f"{claims}?watch=true&resourceVersion={version}"
        stream: AsyncIterator[bytes] = connection.lines(request("GET", target))
        try:
            async for chunk in stream:
                if not chunk:
                    opened.release()
                for _ in range(chunk.count(b"\n")):
                    arrived.put_nowait(time.perf_counter())
        finally:
            connection.close()

    tasks = [asyncio.ensure_future(follow(arrived)) for arrived in arrivals]
    for _ in range(watchers):
        await opened.acquire()
    writer = await Connection.open(server)
    make = named_creates(prefix, claims)
    seconds: list[float] = []
    last: list[float] = []
    for number in range(events):
        begin = time.perf_counter()
        answer = await writer.send(make(number))
        assert answer.status == 201, answer.body[:300]
        each = [await arrived.get() - begin for arrived in arrivals]
        seconds += each
        last.append(max(each))
    writer.close()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return sorted(seconds), last


async def _version(server: int | Server, claims: str) -> str:
    """Returns the current resourceVersion of a collection.

    A watch that starts there gets no events of old objects.
    """
    connection = await Connection.open(server)
    answer = await connection.send(request("GET", f"{claims}?limit=1"))
    connection.close()
    _, _, rest = answer.body.partition(b'"resourceVersion":"')
    return rest.partition(b'"')[0].decode()
