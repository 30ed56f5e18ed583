"""Measures fakeapi and a minimal ASGI app on the same HTTP server, and prints tables.

    python benchmarks/run.py [--quick] [--only PART ...] [--write] [--plot FILE]
                             [--kubernetes [FOLDER] | --beside URL --token T [--beside-pid PID ...]]
    python benchmarks/run.py --against REV [--quick] [--only start verbs]

Every server has its own process; this process is the client. The part `beside` compares fakeapi with another
server: `--kubernetes` builds etcd and kube-apiserver (once, in FOLDER) and starts them, `--beside` uses a
running server. The part `page` needs Chromium, and the part `scale` needs PostgreSQL. If the program is
missing, a note replaces the table. `--write` replaces the tables in docs/performance.md and docs/scale.md,
and draws the plot of the growth. `--against` only compares this checkout with another commit.
"""

import argparse
import asyncio
import os
import platform
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import against, growth, journal, page, plots, recording, replaying, scale, tables
from benchmarks.beside import bench_beside
from benchmarks.beside_scheduling import bench_scheduling
from benchmarks.claims import CLAIMS, MERGE, encoded, named_creates
from benchmarks.load import drive, request
from benchmarks.memory import bench_memory
from benchmarks.servers import fakeapi
from benchmarks.starting import bench_start
from benchmarks.verbs import CONNECTIONS, bench_sqlite, bench_verbs
from benchmarks.watching import bench_watch
from tests.control import chromium

ROOT = Path(__file__).parents[1]
MEGABYTE = 1024 * 1024
PICTURE = ROOT / "docs" / "growth.svg"


def bench_other(arguments: argparse.Namespace) -> None:
    count = 200 if arguments.quick else 1_500
    if arguments.beside:
        pids = arguments.beside_pid
        asyncio.run(bench_beside(arguments.beside, arguments.token, pids, count))
    elif arguments.kubernetes:
        from benchmarks import kubernetes

        programs = (
            kubernetes.build_etcd(arguments.kubernetes),
            kubernetes.build_api_server(arguments.kubernetes),
        )
        with kubernetes.running(*programs, kubernetes.PORT) as server:
            asyncio.run(bench_beside(server.url, server.token, server.pids, count))
    else:
        tables.note("\nBeside another server: not measured, neither --kubernetes nor --beside is given")


def bench_requests(count: int) -> None:
    asyncio.run(bench_verbs(count))
    bench_sqlite(count)


def bench_growing(arguments: argparse.Namespace) -> None:
    rows = asyncio.run(growth.bench_growth((100, 1_000) if arguments.quick else growth.SIZES))
    drawn = PICTURE if arguments.write else arguments.plot
    if drawn is not None:
        drawn.write_text(plots.svg(rows), encoding="utf-8")
        tables.note(f"\n![How each row grows]({drawn.name})")


def bench_recordings(*, quick: bool) -> None:
    recording.bench_recording(10 if quick else 60)
    recording.bench_conversion((100 if quick else 1024) * MEGABYTE)


async def bench_journal(turns: int) -> None:
    tables.heading("With and without the journal, server CPU", "with", "without", "loss")
    with fakeapi() as on, fakeapi("--journal", "off") as off:
        for port, _ in (on, off):
            await drive(port, named_creates("seed"), 1_000, CONNECTIONS)
        for name, make in (
            ("get", lambda n: request("GET", f"{CLAIMS}/seed{n % 1_000}")),
            ("create", named_creates("made")),
        ):
            cost = await journal.cost_of((on, off), make, turns)
            tables.row(name, f"{cost.on:.1f} µs", f"{cost.off:.1f} µs", f"{cost.loss:+.1%}")


def bench_page(seconds: float, rate: int = 1_000, objects: int = 10_000) -> None:
    if chromium.missing():
        tables.note(f"\nThe live page: not measured, {chromium.missing()}")
        return
    columns = ("per s", "server CPU", "page busy", "p99 wait", "longest")
    tables.heading(f"The live page, {objects:,} objects, {rate:,} requests/s", *columns)
    with fakeapi() as server, page.opened() as window:
        port, _ = server

        def make(number: int) -> bytes:
            """Returns the bytes of the request with this number.

            Every tenth request is a PATCH, the others are GETs.
            """
            target = f"{CLAIMS}/p{number * 7919 % objects}"
            if number % 10:
                return request("GET", target)
            return request("PATCH", target, encoded({"metadata": {"labels": {"n": str(number)}}}), MERGE)

        asyncio.run(drive(port, named_creates("p"), objects, CONNECTIONS))
        base = f"http://127.0.0.1:{port}/_fakeapi/ui/"
        claims = "objects/resource.k8s.io/resourceclaims"
        views = ("devices", claims, "claims", "why", "requests", "watches", "faults", "time")
        for name, url in [("no page", "about:blank"), *((view, f"{base}#/{view}") for view in views)]:
            figures = page.beside_load(window, url, server, make, rate, seconds)
            cells = f"{figures.rate:,.0f}", f"{figures.server:.0f} µs", f"{figures.busy:.0%}"
            tables.row(name.partition("/")[0], *cells, f"{figures.p99:.0f} ms", f"{figures.longest:.0f} ms")


def machine() -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1024**3
    return (
        f"{os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()}, Python {platform.python_version()}"
    )


def parts(arguments: argparse.Namespace) -> dict[str, Callable[[], None]]:
    quick = arguments.quick
    count = 400 if quick else 4_000
    return {
        "start": lambda: bench_start(3 if quick else 15),
        "verbs": lambda: bench_requests(count),
        "beside": lambda: bench_other(arguments),
        "scheduling": lambda: bench_scheduling(arguments.kubernetes, quick=quick),
        "watch": lambda: asyncio.run(bench_watch(20 if quick else 100)),
        "memory": lambda: asyncio.run(bench_memory(10_000 if quick else 100_000)),
        "recording": lambda: bench_recordings(quick=quick),
        "replay": lambda: replaying.bench_replay(10_000 if quick else replaying.EXCHANGES),
        "journal": lambda: asyncio.run(bench_journal(100 if quick else 800)),
        "page": lambda: bench_page(3 if quick else 10),
        "views": page.bench_first_views,
        "scale": lambda: scale.bench_scale(count),
        "growth": lambda: bench_growing(arguments),
    }


PERFORMANCE, SCALE = ROOT / "docs" / "performance.md", ROOT / "docs" / "scale.md"
DOCUMENTS = {"scale": SCALE}
"""The document with the tables of a benchmark part, by the part's name. PERFORMANCE has all other tables."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="fewer repeats: a look, not a measurement")
    parser.add_argument("--only", nargs="*", metavar="PART", help=f"of {', '.join(NAMES)}")
    parser.add_argument("--write", action="store_true", help="the tables into the documents; of all parts")
    parser.add_argument("--plot", metavar="FILE", type=Path, help="where growth is drawn, as SVG")
    builds = ROOT / "build" / "interop"
    parser.add_argument("--kubernetes", metavar="FOLDER", type=Path, nargs="?", const=builds)
    parser.add_argument("--beside", metavar="URL", help="a server to stand beside")
    parser.add_argument("--token", default="", help="what that server is asked with")
    parser.add_argument("--beside-pid", type=int, action="append", default=[], metavar="PID")
    parser.add_argument("--against", metavar="REV", help="compare with this commit, in turn")
    arguments = parser.parse_args()
    if arguments.against:
        compare(parser, arguments)
        return
    chosen = arguments.only or NAMES
    if unknown := {*chosen} - {*NAMES}:
        parser.error(f"no part is named {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    if arguments.write and arguments.only:
        parser.error("--write takes the tables of all parts")
    measure(arguments, chosen)


def compare(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> None:
    """Compares this checkout with the commit of `--against`. Exits with an error if git cannot read it."""
    chosen = arguments.only or against.PARTS
    if unknown := {*chosen} - {*against.PARTS}:
        parser.error(f"--against has no part {', '.join(sorted(unknown))}; it has {', '.join(against.PARTS)}")
    if arguments.write:
        parser.error("--write takes no --against")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # uses bytecode, like an installed fakeapi
    try:
        against.bench_against(arguments.against, chosen, quick=arguments.quick)
    except against.UnknownRevision as error:
        parser.error(str(error))


def measure(arguments: argparse.Namespace, chosen: list[str]) -> None:
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # uses bytecode, like an installed fakeapi
    begin = time.perf_counter()
    tables.note(f"Machine: {machine()}")
    head = tables.take()
    documents = {path: [*head] for path in (PERFORMANCE, SCALE)}
    for name, part in parts(arguments).items():
        if name in chosen:
            part()
            documents[DOCUMENTS.get(name, PERFORMANCE)].extend(tables.take())
            print(f"\n({name}: {time.perf_counter() - begin:.0f} s after the start)", flush=True)
    if arguments.write:
        for path, lines in documents.items():
            tables.write_between(path, "bench", lines)
        today = datetime.now(tz=UTC).date().isoformat()
        tables.write_between(PERFORMANCE, "measured", [f"[The last run](#last-run) was on {today}."])


NAMES = [*parts(argparse.Namespace(quick=True))]

if __name__ == "__main__":
    main()
