"""Measure fakeapi beside a bare app on the same stack, and print the tables of the README.

    python benchmarks/run.py [--quick] [--only PART ...] [--plot FILE] [--beside URL --token T]

Parts: start, verbs, watch, memory, growth, recording, replay, journal, page (where Chromium is),
scale (where PostgreSQL is). With a URL,
of a kube-apiserver for one, the
rows of both servers stand side by side and nothing else is measured. Every server is a process of its own;
the client is this one.
"""

import argparse
import asyncio
import contextlib
import json
import os
import platform
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import beside, growth, journal, page, plots, recording, replaying, scale
from benchmarks.load import Connection, Server, Timing, drive, request
from tests.control import browser

HERE = Path(__file__).parent
GROUP = "/apis/resource.k8s.io/v1alpha3"
CLAIMS = f"{GROUP}/namespaces/default/resourceclaims"
CONNECTIONS = 16
APPLY = "application/apply-patch+yaml"
MERGE = "application/merge-patch+json"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
MEGABYTE = 1024 * 1024
PARTS = ("start", "verbs", "watch", "memory", "growth", "recording", "replay", "journal", "page", "scale")


def claim(name: str, **labels: str) -> dict[str, Any]:
    """A claim of about 1.5 KB once it is stored."""
    parameters = {"apiVersion": "gpu.example.com/v1", "kind": "GpuConfig", "sharing": {"note": "x" * 480}}
    return {
        "apiVersion": "resource.k8s.io/v1alpha3",
        "kind": "ResourceClaim",
        "metadata": {"name": name, "labels": {"app": "bench", **labels}},
        "spec": {
            "devices": {
                "requests": [
                    {
                        "name": f"gpu-{number}",
                        "deviceClassName": "gpu.example.com",
                        "selectors": [{"cel": {"expression": 'device.driver == "gpu.example.com"'}}],
                    }
                    for number in range(2)
                ],
                "config": [{"opaque": {"driver": "gpu.example.com", "parameters": parameters}}],
            }
        },
    }


def allocated(name: str, number: int) -> dict[str, Any]:
    result = {"request": "gpu-0", "driver": "gpu.example.com", "pool": "pool-1", "device": "gpu-0"}
    consumer = {"resource": "pods", "name": f"pod-{number}", "uid": f"uid-{number}"}
    status = {"allocation": {"devices": {"results": [result]}}, "reservedFor": [consumer]}
    return {**claim(name), "status": status}


def encoded(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


@contextlib.contextmanager
def process(*command: str) -> Iterator["subprocess.Popen[str]"]:
    with subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, text=True) as started:
        try:
            yield started
        finally:
            started.terminate()
            started.wait(10)


@contextlib.contextmanager
def fakeapi(*options: str) -> Iterator[tuple[int, int]]:
    """(port, process id) of a server of its own."""
    with tempfile.TemporaryDirectory() as folder:
        ready = Path(folder) / "ready"
        kubeconfig = Path(folder) / "config"
        command = ["-m", "fakeapi", "serve", "--port", "0", "--release", "1.33", "--ready-file", str(ready)]
        with process(*command, "--kubeconfig", str(kubeconfig), *options) as started:
            yield await_ready(ready), started.pid


def await_ready(ready: Path) -> int:
    while not (ready.exists() and ready.read_text()):
        time.sleep(0.002)
    return int(json.loads(ready.read_text())["url"].rpartition(":")[2])


@contextlib.contextmanager
def bare(size: int) -> Iterator[int]:
    with process(str(HERE / "bare.py"), str(size)) as started:
        assert started.stdout is not None
        yield int(started.stdout.readline())


def row(name: str, *cells: object) -> None:
    print("| " + " | ".join([name, *map(str, cells)]) + " |", flush=True)


def heading(title: str, *columns: str) -> None:
    print(f"\n{title}\n")
    row("", *columns)
    row("---", *("---:" for _ in columns))


# start -------------------------------------------------------------------------------------------


def bench_start(repeats: int) -> None:
    heading("Starting", "median")

    def started() -> float:
        begin = time.perf_counter()
        with fakeapi() as (port, _):
            urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz").read()
            return time.perf_counter() - begin

    row("process start to ready", milliseconds(statistics.median(started() for _ in range(repeats))))
    code = (
        "import time\nfrom fakeapi import FakeAPI\nimport json\nout = {'start': [], 'reset': []}\n"
        "with FakeAPI(release='1.33') as api: pass\n"
        f"for _ in range({repeats}):\n"
        "    begin = time.perf_counter()\n    api = FakeAPI(release='1.33').start()\n"
        "    out['start'].append(time.perf_counter() - begin)\n"
        "    for _ in range(5):\n        begin = time.perf_counter()\n        api.reset()\n"
        "        out['reset'].append(time.perf_counter() - begin)\n    api.stop()\nprint(json.dumps(out))"
    )
    found = json.loads(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout)
    row("fixture start, after imports", milliseconds(statistics.median(found["start"])))
    row("reset", milliseconds(statistics.median(found["reset"])))
    row("import of the pytest plugin, beside pytest itself", milliseconds(plugin_import(repeats)))


def plugin_import(repeats: int) -> float:
    code = (
        "import time, pytest\nbegin = time.perf_counter()\nimport fakeapi.pytest_plugin\n"
        "print(time.perf_counter() - begin)"
    )
    runs = (
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=True) for _ in range(repeats)
    )
    return statistics.median(float(run.stdout) for run in runs)


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"


# verbs -------------------------------------------------------------------------------------------


class Verbs:
    """The requests of each row, and the state that they need."""

    def __init__(self, port: int, count: int) -> None:
        self.port = port
        self.count = count

    async def seed(self, prefix: str, count: int) -> None:
        def make(number: int) -> bytes:
            return request("POST", CLAIMS, encoded(claim(f"{prefix}{number}")))

        timing = await drive(self.port, make, count, CONNECTIONS)
        assert not timing.bad, f"{timing.bad} seeds failed: {timing.refusal}"

    async def size_of(self, target: str, accept: str = "application/json") -> int:
        connection = await Connection.open(self.port)
        answer = await connection.send(request("GET", target, accept=accept))
        assert answer.status == 200, answer.body[:300]
        connection.close()
        return len(answer.body)

    async def measure(self, make: Callable[[int], bytes], count: int) -> tuple[Timing, Timing]:
        """One request after the other, and over 16 connections at once."""
        alone = await drive(self.port, make, count, 1)
        together = await drive(self.port, lambda number: make(number + count), count, CONNECTIONS)
        for timing in (alone, together):
            assert not timing.bad, f"{timing.bad} answers were not successes: {timing.refusal}"
        return alone, together


async def bench_verbs(count: int) -> None:
    heading(
        "Requests (a claim of 1.5 KB)",
        "p50",
        "p99",
        "per second, 16 connections",
        "bare app p50",
        "bare app per second",
        "of the bare app",
    )
    with fakeapi() as (port, _):
        verbs = Verbs(port, count)
        await verbs.seed("s", 2 * count)
        one = await verbs.size_of(f"{CLAIMS}/s0")
        async with contextlib.AsyncExitStack() as stack:
            small = stack.enter_context(bare(one))
            bases = {
                False: await Verbs(small, count).measure(lambda n: request("GET", f"{CLAIMS}/s{n}"), count),
                True: await Verbs(small, count).measure(
                    lambda n: request("POST", CLAIMS, encoded(claim(f"c{n}"))), count
                ),
            }
        rows = one_object(count)
        for name, make in rows.items():
            found = await verbs.measure(make, count)
            verb_row(name, found, bases[not name.startswith("get")])
    await bench_contended(count)
    await bench_lists(max(20, count // 20))


def one_object(count: int, claims: str = CLAIMS) -> dict[str, Callable[[int], bytes]]:
    """The rows about one object, in an order that keeps those before from the way of those after."""
    return {
        "get": lambda n: request("GET", f"{claims}/s{n % count}"),
        "create": lambda n: request("POST", claims, encoded(claim(f"c{n}"))),
        "update": lambda n: request("PUT", f"{claims}/s{n}", encoded(claim(f"s{n}", turn=str(n)))),
        "status update": lambda n: request("PUT", f"{claims}/s{n}/status", encoded(allocated(f"s{n}", n))),
        "merge patch": lambda n: request(
            "PATCH", f"{claims}/s{n}", encoded({"metadata": {"labels": {"patched": str(n)}}}), MERGE
        ),
        "apply": lambda n: request(
            "PATCH",
            f"{claims}/s{n}?fieldManager=bench",
            encoded({**bare_claim(f"s{n}"), "metadata": {"name": f"s{n}", "labels": {"applied": str(n)}}}),
            APPLY,
        ),
        "delete": lambda n: request("DELETE", f"{claims}/s{n}"),
    }


def bare_claim(name: str) -> dict[str, Any]:
    return {"apiVersion": "resource.k8s.io/v1alpha3", "kind": "ResourceClaim", "metadata": {"name": name}}


def verb_row(name: str, found: tuple[Timing, Timing], base: tuple[Timing, Timing]) -> None:
    (alone, together), (base_alone, base_together) = found, base
    row(
        name,
        f"{alone.percentile(0.5) * 1000:.2f} ms",
        f"{alone.percentile(0.99) * 1000:.2f} ms",
        f"{together.rate:,.0f}",
        f"{base_alone.percentile(0.5) * 1000:.2f} ms",
        f"{base_together.rate:,.0f}",
        f"{together.rate / base_together.rate:.0%}",
    )


async def bench_contended(count: int) -> None:
    with fakeapi() as (port, _):
        await Verbs(port, 1).seed("s", 1)

        def make(number: int) -> bytes:
            body = encoded({"metadata": {"labels": {"turn": str(number)}}})
            return request("PATCH", f"{CLAIMS}/s0", body, MERGE)

        timing = await drive(port, make, count, CONNECTIONS)
        assert not timing.bad, f"{timing.bad} answers were not successes: {timing.refusal}"
        row("merge patch, all of one object", "", "", f"{timing.rate:,.0f}", "", "", "")


async def bench_lists(count: int) -> None:
    with fakeapi() as (port, _):
        verbs = Verbs(port, count)
        await verbs.seed("s", 1000)
        for name, target, accept in (
            ("list of 1,000", CLAIMS, "application/json"),
            ("list of 1,000, page of 100", f"{CLAIMS}?limit=100", "application/json"),
            ("list of 1,000 by label", f"{CLAIMS}?labelSelector=app%3Dbench", "application/json"),
            ("list of 1,000 as Table", CLAIMS, f"{TABLE},application/json"),
        ):
            size = await verbs.size_of(target, accept)
            asked = request("GET", target, accept=accept)
            with bare(size) as base_port:
                base = await Verbs(base_port, count).measure(always(asked), count)
            verb_row(name, await verbs.measure(always(asked), count), base)


def always(asked: bytes) -> Callable[[int], bytes]:
    return lambda number: asked


def bench_sqlite(count: int) -> None:
    """What SQLite alone needs to keep as many rows, one transaction each and forty at a time."""
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
        name = f"bare sqlite3 inserts in a file, {batch} a transaction"
        row(name, f"{took / count * 1000:.3f} ms", "", f"{count / took:,.0f}", "", "", "")


# watch -------------------------------------------------------------------------------------------


async def bench_watch(events: int) -> None:
    heading("From write to watch event", "p50", "p99", "last watcher p50")
    for watchers in (1, 100, 1000):
        with fakeapi() as (port, _):
            found, last = await delays(port, watchers, events)
        name = f"{watchers:,} watcher{'s' if watchers > 1 else ''}"
        p50, p99 = found[len(found) // 2], found[int(len(found) * 0.99)]
        row(name, milliseconds(p50), milliseconds(p99), milliseconds(statistics.median(last)))


async def delays(port: int, watchers: int, events: int) -> tuple[list[float], list[float]]:
    """Seconds from the sending of each write to its event at each watcher, sorted; and of the last ones."""
    arrivals: list[asyncio.Queue[float]] = [asyncio.Queue() for _ in range(watchers)]
    opened = asyncio.Semaphore(0)

    async def follow(arrived: "asyncio.Queue[float]") -> None:
        connection = await Connection.open(port)
        stream: AsyncIterator[bytes] = connection.lines(request("GET", f"{GROUP}/resourceclaims?watch=true"))
        async for chunk in stream:
            if not chunk:
                opened.release()
            for _ in range(chunk.count(b"\n")):
                arrived.put_nowait(time.perf_counter())

    tasks = [asyncio.ensure_future(follow(arrived)) for arrived in arrivals]
    for _ in range(watchers):
        await opened.acquire()
    writer = await Connection.open(port)
    found: list[float] = []
    last: list[float] = []
    for number in range(events):
        begin = time.perf_counter()
        await writer.send(request("POST", CLAIMS, encoded(claim(f"w{number}"))))
        each = [await arrived.get() - begin for arrived in arrivals]
        found += each
        last.append(max(each))
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return sorted(found), last


# memory ------------------------------------------------------------------------------------------


async def bench_memory(count: int) -> None:
    heading("Memory", "resident")
    with fakeapi() as (port, pid):
        verbs = Verbs(port, 1)
        await verbs.size_of("/version")
        idle = resident(pid)
        row("idle", f"{idle / MEGABYTE:.0f} MB")
        await verbs.seed("s", count)
        size = await verbs.size_of(f"{CLAIMS}/s0")
        grown = resident(pid) - idle
        row(f"{count:,} claims of {size:,} bytes", f"{grown / MEGABYTE:.0f} MB")
        row("for each of them", f"{grown / count / 1024:.1f} KB")


def resident(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("no VmRSS")


# growth ------------------------------------------------------------------------------------------


async def bench_growth(sizes: Sequence[int]) -> list[plots.Series]:
    """The rows at each size, to be drawn for docs/performance.md."""
    by_row: dict[str, dict[int, growth.Found]] = {}
    rates: Mapping[int, float] = {}
    for size in sizes:
        with fakeapi() as (port, pid):
            create, memory = named_creates("g"), partial(resident, pid)
            for each in await growth.rows_at(port, size, CLAIMS, create, memory):
                by_row.setdefault(each.name, {})[size] = each
            if size == sizes[0]:
                rates = await growth.rates_by_connections(port, CLAIMS)
        with tempfile.TemporaryDirectory() as folder:
            database = Path(folder) / "bench.db"
            await fill(database, size)
            found = growth.Found("start from a file", started_on(database), "s")
        by_row.setdefault(found.name, {})[size] = found
    heading("Growth, by objects", *(f"{size:,}" for size in sizes))
    for name, figures in by_row.items():
        row(name, *(figures[size] for size in sizes))
    heading("Growth, by connections", *(f"{each:,}" for each in rates))
    row("get, per s", *(f"{each:,.0f}" for each in rates.values()))
    rows = [
        plots.Series(
            name, next(iter(figures.values())).unit, {size: each.figure for size, each in figures.items()}
        )
        for name, figures in by_row.items()
    ]
    return [*rows, plots.Series("get", "per s", rates, "connections")]


def named_creates(prefix: str, claims: str = CLAIMS) -> Callable[[int], bytes]:
    return lambda number: request("POST", claims, encoded(claim(f"{prefix}{number}")))


async def fill(database: Path, size: int) -> None:
    with fakeapi("--db", str(database)) as (port, _):
        timing = await drive(port, named_creates("g"), size, CONNECTIONS)
        assert not timing.bad, timing.refusal


def started_on(database: Path) -> float:
    """Seconds from the start of a process to its first answer."""
    begin = time.perf_counter()
    with fakeapi("--db", str(database)) as (port, _):
        urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz").read()
        return time.perf_counter() - begin


# beside another server ---------------------------------------------------------------------------


async def bench_beside(url: str, token: str, count: int) -> None:
    heading("Beside another server", "theirs", "this one", "times")

    async def measured(server: Server) -> dict[str, float]:
        return await beside.measure(server, partial(one_object, count), partial(named_creates, "s"), count)

    theirs = await measured(beside.server_of(url, token))
    with fakeapi() as (port, _):
        ours = await measured(Server(port))
    for name, figure in theirs.items():
        times = ours[name] / figure if "per s" in name else figure / ours[name]
        row(name, f"{figure:,.2f}", f"{ours[name]:,.2f}", f"{times:.1f}")


# journal -----------------------------------------------------------------------------------------


async def bench_journal(turns: int) -> None:
    heading("With and without the journal, server CPU", "with", "without", "loss")
    with fakeapi() as on, fakeapi("--journal", "off") as off:
        for port, _ in (on, off):
            await drive(port, named_creates("seed"), 1_000, CONNECTIONS)
        for name, make in (
            ("get", lambda n: request("GET", f"{CLAIMS}/seed{n % 1_000}")),
            ("create", named_creates("made")),
        ):
            cost = await journal.cost_of((on, off), make, turns)
            row(name, f"{cost.on:.1f} µs", f"{cost.off:.1f} µs", f"{cost.loss:+.1%}")


# page --------------------------------------------------------------------------------------------


def bench_page(seconds: float, rate: int = 1_000, objects: int = 10_000) -> None:
    if browser.missing():
        print(f"\nThe live page is not measured: {browser.missing()}")
        return
    columns = ("per s", "server CPU", "page busy", "p99 wait", "longest")
    heading(f"The live page, {objects:,} objects, {rate:,} requests/s", *columns)
    with fakeapi() as server, page.opened() as window:
        port, _ = server

        def make(number: int) -> bytes:
            """Nine reads and a write."""
            target = f"{CLAIMS}/p{number * 7919 % objects}"
            if number % 10:
                return request("GET", target)
            return request("PATCH", target, encoded({"metadata": {"labels": {"n": str(number)}}}), MERGE)

        asyncio.run(drive(port, named_creates("p"), objects, CONNECTIONS))
        base = f"http://127.0.0.1:{port}/_fakeapi/ui/"
        views = ("objects/resource.k8s.io/resourceclaims", "claims", "requests", "watches", "faults", "time")
        for name, url in [("no page", "about:blank"), *((view, f"{base}#/{view}") for view in views)]:
            found = page.beside_load(window, url, server, make, rate, seconds)
            cells = f"{found.rate:,.0f}", f"{found.server:.0f} µs", f"{found.busy:.0%}"
            row(name.partition("/")[0], *cells, f"{found.p99:.0f} ms", f"{found.longest:.0f} ms")


def machine() -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1024**3
    return (
        f"{os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()}, Python {platform.python_version()}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="fewer repeats: a look, not a measurement")
    parser.add_argument("--only", nargs="*", choices=PARTS)
    parser.add_argument("--plot", metavar="FILE", type=Path, help="where growth is drawn, as SVG")
    parser.add_argument("--beside", metavar="URL", help="a server to stand beside; nothing else is measured")
    parser.add_argument("--token", default="", help="what that server is asked with")
    arguments = parser.parse_args()
    parts = arguments.only or PARTS
    print(f"Machine: {machine()}")
    count = 400 if arguments.quick else 4000
    if arguments.beside:
        asyncio.run(bench_beside(arguments.beside, arguments.token, count))
        return
    if "start" in parts:
        bench_start(3 if arguments.quick else 15)
    if "verbs" in parts:
        asyncio.run(bench_verbs(count))
        bench_sqlite(count)
    if "watch" in parts:
        asyncio.run(bench_watch(20 if arguments.quick else 100))
    if "memory" in parts:
        asyncio.run(bench_memory(10_000))
    if "growth" in parts:
        sizes = (100, 1_000) if arguments.quick else growth.SIZES
        rows = asyncio.run(bench_growth(sizes))
        if arguments.plot is not None:
            arguments.plot.write_text(plots.svg(rows), encoding="utf-8")
    if "recording" in parts:
        recording.bench_recording(10 if arguments.quick else 60)
        recording.bench_conversion((100 if arguments.quick else 1024) * MEGABYTE)
    if "replay" in parts:
        replaying.bench_replay(10_000 if arguments.quick else replaying.EXCHANGES)
    if "journal" in parts:
        asyncio.run(bench_journal(100 if arguments.quick else 800))
    if "page" in parts:
        bench_page(3 if arguments.quick else 10)
    if "scale" in parts:
        scale.bench_scale(count)


if __name__ == "__main__":
    main()
