"""Measures the live page during a stream of requests: the server's CPU time, and how busy the page is."""

import asyncio
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.load import Connection, processor_seconds
from tests.control import chromium
from tests.control.chromium import Chromium

TICK_SECONDS = 0.02
CONNECTIONS = 8

_WATCH_GAPS = """
    window.gaps = []; let last = performance.now();
    const tick = () => {
        const now = performance.now(); window.gaps.push(now - last); last = now; setTimeout(tick, 10);
    };
    setTimeout(tick, 10);
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
