"""Growth of each row of the benchmark with 1, 10 and 100 times as many objects or connections."""

import asyncio
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from benchmarks.load import Connection, Timing, drive, request

SIZES = (1_000, 10_000, 100_000)
CONNECTIONS = (1, 16, 160, 1_600)
PAGE = 100


@dataclass(frozen=True, slots=True)
class Found:
    """One row at one size: its name, its figure, and its unit."""

    name: str
    figure: float
    unit: str

    def __str__(self) -> str:
        return f"{self.figure:,.2f} {self.unit}" if self.figure < 100 else f"{self.figure:,.0f} {self.unit}"


def p50(timing: Timing) -> float:
    return timing.percentile(0.5) * 1000


async def rows_at(
    port: int, count: int, claims: str, create: Callable[[int], bytes], resident: Callable[[], int]
) -> list[Found]:
    """The rows of a server that is empty when this begins, with so many objects."""
    empty = resident()
    seeded = await drive(port, create, count, 16)
    assert not seeded.bad, seeded.refusal
    kilobytes = (resident() - empty) / count / 1024
    found = [Found("create, 16 connections", seeded.rate, "per s"), Found("resident, each", kilobytes, "KB")]
    selector = f"{claims}?labelSelector=app%3Dbench&limit={PAGE}"
    for name, make, times in (
        ("get", lambda n: request("GET", f"{claims}/g{n * 7919 % count}"), 1_000),
        ("create", lambda n: create(count + n), 500),
        ("page of 100", lambda n: request("GET", f"{claims}?limit={PAGE}"), 100),
        ("by label, limit 100", lambda n: request("GET", selector), 100),
        ("full list", lambda n: request("GET", claims), 3),
    ):
        timing = await drive(port, make, times, 1)
        assert not timing.bad, timing.refusal
        found.append(Found(name, p50(timing), "ms"))
    beside = await gets_beside_lists(port, claims)
    found.append(Found("get beside full lists, p99", beside.percentile(0.99) * 1000, "ms"))
    return found


async def gets_beside_lists(port: int, claims: str) -> Timing:
    """Seconds of each GET of one client while another one lists everything, twice."""
    timing = Timing()
    listing = asyncio.ensure_future(_list_by_another_process(port, claims))
    connection = await Connection.open(port)
    while not listing.done():
        begin = time.perf_counter()
        answer = await connection.send(request("GET", f"{claims}/g0"))
        timing.each.append(time.perf_counter() - begin)
        assert answer.status == 200, answer.body[:300]
        await asyncio.sleep(0.001)
    connection.close()
    await listing
    return timing


async def _list_by_another_process(port: int, claims: str) -> None:
    """Reads lists where the reading takes no time of the client that is measured."""
    code = (
        "import socket, sys\n"
        f"asked = {request('GET', claims)!r}\n"
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


async def rates_by_connections(port: int, claims: str) -> Mapping[int, float]:
    """GETs per second by the number of connections; the first object of `rows_at` is asked for."""
    found = {}
    for connections in CONNECTIONS:
        count = max(2_000, connections)
        timing = await drive(port, lambda n: request("GET", f"{claims}/g0"), count, connections)
        assert not timing.bad, timing.refusal
        found[connections] = timing.rate
    return found
