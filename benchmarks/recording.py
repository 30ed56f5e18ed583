"""Measures the cost of recording a trace, and the time to convert a long audit log.

    python benchmarks/recording.py [--quick]

Each server has its own process. The peak memory belongs to the process that converts the log.
"""

import argparse
import asyncio
import contextlib
import gzip
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.load import Connection, request
from benchmarks.tables import heading, row

ROOT = Path(__file__).parents[1]
LIST = request("GET", "/apis/resource.k8s.io/v1beta1/namespaces/default/resourceclaims")
MEGABYTE = 1 << 20
ROUND = 50
"""Number of requests to one server in each turn. In short turns, disturbances affect all servers equally."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="fewer repeats: a look, not a measurement")
    arguments = parser.parse_args()
    bench_recording(10 if arguments.quick else 60)
    bench_conversion((100 if arguments.quick else 1024) * MEGABYTE)


def bench_recording(rounds: int) -> None:
    """Prints the median time of a request: without recording, recorded by the server, and through the proxy.

    `rounds`: number of rounds; a round has ROUND requests to each server.
    """
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        place = Path(folder)
        serve = ("serve", "--release", "1.33", "--port", "0")
        plain = stack.enter_context(running(place / "plain", *serve))
        recorded = stack.enter_context(
            running(place / "recorded", *serve, "--record", f"{folder}/a.jsonl.gz")
        )
        upstream = f"http://127.0.0.1:{plain}"
        proxy = running(place / "proxy", "record", f"{folder}/b.jsonl.gz", "--server", upstream)
        ports = {"alone": plain, "recorded": recorded, "through the proxy": stack.enter_context(proxy)}
        medians = asyncio.run(measure(ports, rounds))
    heading("Recording one request", "median", "added")
    for name, median in medians.items():
        row(name, f"{median * 1000:.2f} ms", f"{(median - medians['alone']) * 1000:.2f} ms")


async def measure(ports: dict[str, int], rounds: int) -> dict[str, float]:
    connections = {name: await Connection.open(port) for name, port in ports.items()}
    times: dict[str, list[float]] = {name: [] for name in ports}
    for number in range(rounds + 1):
        for name, connection in connections.items():
            for _ in range(ROUND):
                begin = time.perf_counter()
                assert (await connection.send(LIST)).status == 200
                if number:  # the first round is a warm-up
                    times[name].append(time.perf_counter() - begin)
    for connection in connections.values():
        connection.close()
    return {name: statistics.median(values) for name, values in times.items()}


@contextlib.contextmanager
def running(ready: Path, *command: str) -> Iterator[int]:
    """Runs `python -m fakeapi` with this command while the block lasts; yields the port of its server.

    `ready`: a ready file for the command to write.
    """
    arguments = [sys.executable, "-m", "fakeapi", *command, "--ready-file", str(ready)]
    environment = {name: value for name, value in os.environ.items() if name != "KUBECONFIG"}
    with subprocess.Popen(arguments, stdout=subprocess.DEVNULL, env=environment) as started:
        while not ready.exists():
            time.sleep(0.002)
        try:
            yield int(json.loads(ready.read_text())["url"].rpartition(":")[2])
        finally:
            started.terminate()
            started.wait(10)


def bench_conversion(size: int) -> None:
    """Prints the time and the peak memory for converting an audit log of `size` bytes into a trace.

    The log repeats the recorded logs of fixtures/traces.
    """
    logs = sorted((ROOT / "fixtures" / "traces").glob("audit-*.jsonl.gz"))
    lines = [line for log in logs for line in gzip.decompress(log.read_bytes()).splitlines(keepends=True)]
    with tempfile.TemporaryDirectory() as folder:
        log, trace = Path(folder) / "audit.log", Path(folder) / "trace.jsonl.gz"
        written = 0
        with log.open("wb") as file:
            for turn in range(size // sum(map(len, lines)) + 1):
                for line in lines:
                    # Each turn needs its own audit ids, because stages with one id become one exchange.
                    written += file.write(line.replace(b'"auditID":"', b'"auditID":"%d-' % turn, 1))
        begin = time.perf_counter()
        command = [sys.executable, "-m", "fakeapi", "trace", "convert", str(log), str(trace)]
        converter = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(converter.pid, 0)
        converter.returncode = os.waitstatus_to_exitcode(status)
        assert converter.returncode == 0
        seconds = time.perf_counter() - begin
    heading("Converting an audit log", "time", "peak memory")
    row(f"{written / MEGABYTE:.0f} MB", f"{seconds:.0f} s", f"{usage.ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
