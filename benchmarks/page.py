"""Measures the live page during a stream of requests: the server's CPU time, and how busy the page is."""

import asyncio
import json
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks import crowd, tables
from benchmarks.load import Connection, processor_seconds
from benchmarks.servers import fakeapi
from tests.control import chromium
from tests.control.chromium import Chromium

TICK_SECONDS = 0.02
CONNECTIONS = 8
VIEW_SECONDS = 1.0
"""Goal: the maximum seconds until the page shows the first objects of a large cluster."""

FIRST = {
    "devices": ".square",
    "claims": "tbody .state",
    "why": ".waiting",
    "objects/-/pods": "tbody td.name",
}
"""For each view, a CSS selector of its first objects."""

_WATCH_GAPS = """
    window.gaps = []; let last = performance.now();
    const tick = () => {
        const now = performance.now(); window.gaps.push(now - last); last = now; setTimeout(tick, 10);
    };
    setTimeout(tick, 10);
"""
_WATCH_VIEW = """
    const look = () => {
        if (document.querySelector(SELECTOR)) window.drawn = performance.now();
        else requestAnimationFrame(look);
    };
    look();
"""
_TAKE_GAPS = "const found = window.gaps.sort((a, b) => a - b); window.gaps = []; return found"


@dataclass(frozen=True, slots=True)
class Shown:
    """Measured values of one view of the live page during a stream of requests.

    - `rate`: responses per second.
    - `server`: microseconds of the server's CPU time per request.
    - `busy`: the share of time in which the page's main thread worked.
    - `p99`, `longest`: how long a click waits for the main thread in ms, as 99th percentile and maximum.
    """

    rate: float
    server: float
    busy: float
    p99: float
    longest: float


@contextmanager
def opened() -> Iterator[Chromium]:
    with tempfile.TemporaryDirectory() as folder, chromium.window(Path(folder)) as window:
        yield window


def beside_load(
    window: Chromium,
    url: str,
    server: tuple[int, int],
    make: Callable[[int], bytes],
    rate: int,
    seconds: float,
) -> Shown:
    """Opens `url` in the browser, sends requests during `seconds` seconds, and returns the measured values.

    - `server`: the server's port and process id.
    - `make`: builds the request with a given number.
    - `rate`: requests per second; fewer if the server is slower.
    """
    port, pid = server
    window.open("about:blank")
    window.open(url)
    window.wait(lambda: window.run("return document.readyState") == "complete", "the page")
    window.run(_WATCH_GAPS)
    busy, spent, begun = window.busy_seconds(), processor_seconds(pid), time.monotonic()
    answered: list[int] = []
    load = threading.Thread(target=lambda: answered.append(asyncio.run(paced(port, make, rate, seconds))))
    load.start()
    load.join()
    passed = time.monotonic() - begun
    gaps = window.run(_TAKE_GAPS)
    return Shown(
        answered[0] / passed,
        (processor_seconds(pid) - spent) / answered[0] * 1e6,
        (window.busy_seconds() - busy) / passed,
        gaps[int(len(gaps) * 0.99)],
        gaps[-1],
    )


def bench_first_views() -> None:
    if chromium.missing():
        tables.note(f"\nThe first view of the live page: not measured, {chromium.missing()}")
        return
    title = f"The first view of the live page, {crowd.NODES} nodes, {crowd.CLAIMS:,} claims and pods"
    tables.heading(title, "first", "again", "goal", "")
    with _crowded() as (base, window):
        for view, selector in FIRST.items():
            _row(view, [first_view(window, f"{base}#/{view}", selector) for _ in range(2)])
    with _crowded() as (base, window):
        _row("why, then devices", [switched(window, base, "why", "devices") for _ in range(2)])


@contextmanager
def _crowded() -> Iterator[tuple[str, Chromium]]:
    """Yields the address of the live page of a new server with the large cluster, and a window."""
    with fakeapi("--release", "1.36") as (port, _), opened() as window:
        asyncio.run(crowd.fill(port))
        yield f"http://127.0.0.1:{port}/_fakeapi/ui/", window


def _row(name: str, seconds: list[float]) -> None:
    """Prints the row of a view. The goal is about the first time."""
    tables.row(name, *map(tables.milliseconds, seconds), *tables.at_most(seconds[0], VIEW_SECONDS, "s"))


def switched(window: Chromium, base: str, old: str, new: str) -> float:
    """Opens the view `old`, and the view `new` when the first objects of `old` are visible.

    Returns the seconds from the second view's address to its first objects. The page has no data of the
    second view yet, and the server computes explanations for the first view.
    """
    first_view(window, f"{base}#/{old}", FIRST[old])
    begin = f"window.drawn = 0; window.begun = performance.now(); location.hash = '#/{new}';"
    window.run(begin + _looking(FIRST[new]))
    window.wait(lambda: window.run("return window.drawn"), new)
    return float(window.run("return window.drawn - window.begun")) / 1000


def first_view(window: Chromium, url: str, selector: str) -> float:
    """Opens `url` in an empty window. Returns the seconds until an element matches a CSS selector."""
    window.open("about:blank")
    script = window.command("Page.addScriptToEvaluateOnNewDocument", {"source": _looking(selector)})
    try:
        window.open(url)
        window.wait(lambda: window.run("return window.drawn ?? 0"), selector)
        return float(window.run("return window.drawn")) / 1000
    finally:
        window.command("Page.removeScriptToEvaluateOnNewDocument", script)


def _looking(selector: str) -> str:
    """Returns the script that sets `window.drawn` as soon as an element matches a CSS selector."""
    return _WATCH_VIEW.replace("SELECTOR", json.dumps(selector))


async def paced(port: int, make: Callable[[int], bytes], rate: int, seconds: float) -> int:
    """Sends requests for `seconds` seconds and returns the number of responses.

    `make`: builds the request with a given number. `rate`: requests per second; fewer if the server is
    slower.
    """
    end = time.monotonic() + seconds

    async def work(which: int) -> int:
        connection = await Connection.open(port)
        sent, begun = 0, time.monotonic()
        while (now := time.monotonic()) < end:
            while sent < (now - begun) * rate / CONNECTIONS:
                await connection.send(make(which + sent * CONNECTIONS))
                sent += 1
            await asyncio.sleep(TICK_SECONDS)
        connection.close()
        return sent

    return sum(await asyncio.gather(*map(work, range(CONNECTIONS))))
