"""Measures the start times of a process, a fixture and the pytest plugin."""

import json
import statistics
import subprocess
import sys
import time
import urllib.request

from benchmarks.servers import fakeapi
from benchmarks.tables import at_most, heading, milliseconds, row

_FIXTURES = """
import json, time
from fakeapi import FakeAPI
out = {{'start': [], 'reset': []}}
with FakeAPI(release='1.33') as api: pass
for _ in range({repeats}):
    begin = time.perf_counter()
    api = FakeAPI(release='1.33').start()
    out['start'].append(time.perf_counter() - begin)
    for _ in range(5):
        begin = time.perf_counter()
        api.reset()
        out['reset'].append(time.perf_counter() - begin)
    api.stop()
print(json.dumps(out))
"""
_PLUGIN = """
import time, pytest
begin = time.perf_counter()
import fakeapi.pytest_plugin
print(time.perf_counter() - begin)
"""


def bench_start(repeats: int) -> None:
    heading("Starting", "median", "goal", "")
    started()  # The first start compiles modules to bytecode.
    process = statistics.median(started() for _ in range(repeats))
    times = json.loads(_python(_FIXTURES.format(repeats=repeats)))
    plugin = statistics.median(float(_python(_PLUGIN)) for _ in range(repeats))
    for name, seconds, goal in (
        ("process start to ready", process, 300),
        ("fixture start, after imports", statistics.median(times["start"]), 2),
        ("reset", statistics.median(times["reset"]), 1),
        ("import of the pytest plugin, beside pytest itself", plugin, 2),
    ):
        row(name, milliseconds(seconds), *at_most(seconds * 1000, goal, "ms"))


def started(*options: str) -> float:
    """Returns the seconds from starting a fakeapi process to its first response."""
    begin = time.perf_counter()
    with fakeapi(*options) as (port, _):
        urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz").read()
        return time.perf_counter() - begin


def _python(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout
