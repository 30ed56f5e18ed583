"""Measures speed and memory of a replay. Compares it with a plain client that sends the same requests.

    python benchmarks/replaying.py [--quick]

Each measurement starts a new server in its own process. The replay has its own process too.
"""

import argparse
import asyncio
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.load import Timing, drive, request
from benchmarks.tables import heading, row

EXCHANGES = 100_000
CONNECTIONS = 16
BLOCK = 1000
"""Number of requests in one block. A block starts after all responses to the previous block."""

CLAIMS = "/apis/resource.k8s.io/v1beta1/namespaces/default/resourceclaims"
MERGE = "application/merge-patch+json"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="fewer exchanges: a look, not a measurement")
    bench_replay(EXCHANGES // 10 if parser.parse_args().quick else EXCHANGES)


def bench_replay(count: int) -> None:
    """Prints speed and memory of replaying `count` requests: creates, GETs, updates, patches and deletes."""
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "session.jsonl"
        with serving(folder, "--record", str(trace)) as (port, _):
            asyncio.run(drive(port, exchange, count, CONNECTIONS, after=BLOCK))
        with serving(folder) as (port, _):
            client = asyncio.run(drive(port, exchange, count, CONNECTIONS, after=BLOCK))
        with serving(folder) as (port, _):
            seconds, peak = replayed(folder, trace, port)
        rate = count / seconds
        size = trace.stat().st_size
    title = f"Replaying {count:,} exchanges ({size / (1 << 20):.0f} MB), order fast"
    heading(title, "per second", "of the client", "peak memory")
    row("the benchmark's client", f"{client.rate:,.0f}", "", "")
    row("replay", f"{rate:,.0f}", f"{rate / client.rate:.0%}", f"{peak / 1024:.0f} MB")
    assert not client.bad, f"{client.bad} of the client's answers, the first {client.refusal}"


def replayed(folder: str, trace: Path, port: int) -> tuple[float, int]:
    """Replays the trace in a new process; returns the seconds of the replay, and its peak memory in KiB.

    Raises AssertionError if a response differs from the recorded response.
    """
    program = (
        "import json, sys, time, fakeapi\n"
        "report = fakeapi.replay(sys.argv[1], url=sys.argv[2], order='fast')\n"
        "assert report.ok and report.same == report.exchanges, report\n"
        "print(report.seconds)"
    )
    command = [sys.executable, "-c", program, str(trace), f"http://127.0.0.1:{port}"]
    output = Path(folder) / "seconds"
    with output.open("wb") as file:
        started = subprocess.Popen(command, stdout=file)
        _, status, usage = os.wait4(started.pid, 0)
    started.returncode = os.waitstatus_to_exitcode(status)
    assert started.returncode == 0
    return float(output.read_text()), usage.ru_maxrss


@contextlib.contextmanager
def serving(folder: str, *options: str) -> Iterator[tuple[int, int]]:
    ready = Path(folder) / f"ready-{time.monotonic_ns()}"
    command = [sys.executable, "-m", "fakeapi", "serve", "--release", "1.33", "--port", "0"]
    command += ["--ready-file", str(ready), *options]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as started:
        while not ready.exists():
            time.sleep(0.002)
        try:
            yield int(json.loads(ready.read_text())["url"].rpartition(":")[2]), started.pid
        finally:
            started.terminate()
            started.wait(60)


def exchange(number: int) -> bytes:
    """Returns the bytes of the request with this number.

    The requests form blocks: BLOCK creates, then BLOCK GETs, updates, patches and deletes of the same
    objects.
    """
    block, inside = divmod(number, 5 * BLOCK)
    step, place = divmod(inside, BLOCK)
    name = f"c{block * BLOCK + place}"
    if step == 0:
        return request("POST", CLAIMS, body(name))
    if step == 1:
        return request("GET", f"{CLAIMS}/{name}")
    if step == 2:
        return request("PUT", f"{CLAIMS}/{name}", body(name, turn=str(number)))
    if step == 3:
        patch = b'{"metadata":{"annotations":{"turn":"%d"}}}' % number
        return request("PATCH", f"{CLAIMS}/{name}", patch, MERGE)
    return request("DELETE", f"{CLAIMS}/{name}")


def body(name: str, **labels: str) -> bytes:
    parameters = {"apiVersion": "gpu.example.com/v1", "kind": "GpuConfig", "sharing": {"note": "x" * 480}}
    devices = {
        "requests": [{"name": "gpu", "deviceClassName": "gpu.example.com"}],
        "config": [{"opaque": {"driver": "gpu.example.com", "parameters": parameters}}],
    }
    claim = {
        "apiVersion": "resource.k8s.io/v1beta1",
        "kind": "ResourceClaim",
        "metadata": {"name": name, "labels": {"app": "bench", **labels}},
        "spec": {"devices": devices},
    }
    return json.dumps(claim, separators=(",", ":")).encode()


__all__ = ["Timing", "bench_replay"]


if __name__ == "__main__":
    main()
