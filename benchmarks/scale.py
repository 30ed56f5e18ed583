"""Servers that share a PostgreSQL, one to three of them on this machine, beside one server on SQLite."""

import asyncio
import json
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from benchmarks import tables
from benchmarks.load import Timing, drive, processor_seconds, request
from tests.postgresql_server import PostgreSQL, why_missing
from tests.torture.servers import Server, serving

MAPS = "/api/v1/namespaces/default/configmaps"
CONNECTIONS = 16
SERVERS = (1, 2, 3)
VALUE = "x" * 1000


def creation(name: str) -> bytes:
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"a": VALUE}}
    return request("POST", MAPS, json.dumps(body).encode())


def processor_seconds_of(servers: Sequence[Server]) -> float:
    return sum(processor_seconds(each.process.pid) for each in servers)


async def measured(servers: Sequence[Server], verb: str, count: int) -> tuple[float, float, float]:
    """Requests a second of all servers together, the median in ms, processor time of a request in ms."""
    used, start = processor_seconds_of(servers), time.perf_counter()
    share = count // len(servers)

    async def one(number: int, server: Server) -> Timing:
        def make(item: int) -> bytes:
            name = f"{verb}-{count}-{number}-{item}"
            return (
                creation(name)
                if verb == "create"
                else request("GET", f"{MAPS}/create-{count}-{number}-{item}")
            )

        return await drive(server.port, make, share, CONNECTIONS // len(servers))

    timings = await asyncio.gather(*(one(*each) for each in enumerate(servers)))
    seconds, median = time.perf_counter() - start, timings[0].percentile(0.5)
    done = share * len(servers)
    return (
        done / seconds,
        median * 1000,
        (processor_seconds_of(servers) - used) / done * 1000,
    )


def bench_scale(count: int) -> None:
    """Prints a row for SQLite, and for each number of servers."""
    if why_missing():
        tables.note(f"\nSeveral servers: not measured, {why_missing()}")
        return
    title = f"Several servers, {CONNECTIONS} connections in all, objects of 1 KB"
    figures = "creates/s", "median ms", "processor ms", "GETs/s", "median ms", "processor ms"
    tables.heading(title, *figures)
    postgresql = PostgreSQL(fsync=True)
    try:
        with tempfile.TemporaryDirectory() as place:
            row("SQLite", Path(place), [str(Path(place) / "db")], count)
            for number in SERVERS:
                row(f"PostgreSQL, {number}", Path(place), [postgresql.place()] * number, count)
    finally:
        postgresql.stop()


def row(title: str, place: Path, databases: Sequence[str], count: int) -> None:
    with ExitStack() as stack:
        servers = []
        for number, database in enumerate(databases):
            directory = place / f"{title}-{number}"
            directory.mkdir()
            servers.append(stack.enter_context(serving(directory, "--db", database)))
        asyncio.run(measured(servers, "create", count // 10))  # warms up
        figures = [*asyncio.run(measured(servers, "create", count))]
        figures += asyncio.run(measured(servers, "get", count))
    tables.row(title, *(f"{each:,.2f}" for each in figures))
