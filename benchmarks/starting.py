"""Measures the start of Python programs, fixtures and servers, and the installation of definitions.

Most rows are CPU time, because other work on the machine changes it less than elapsed time.
"""

import contextlib
import json
import resource
import ssl
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from benchmarks.definitions import definition
from benchmarks.load import processor_seconds
from benchmarks.servers import HERE, START_SECONDS, environment_of, fakeapi, process
from benchmarks.tables import at_most, heading, milliseconds, row
from tests.interop.processes import free_port

THIS = HERE.parent
"""The folder of this checkout."""

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
_IMPORT = "from fakeapi import FakeAPI"
_FIXTURE = f"{_IMPORT}\nwith FakeAPI(): pass"
_INSTALL = """
import json, sys, time
from fakeapi import FakeAPI
first, second = (json.loads(text) for text in json.load(open(sys.argv[1])))
with FakeAPI(release='1.34') as api:
    begin = time.process_time()
    api.create(first)
    middle = time.process_time()
    api.create(second)
    print(json.dumps([middle - begin, time.process_time() - middle]))
"""
_ETCD = "from fakeapi.envtest.etcd import main; main()"
_API_SERVER = "from fakeapi.envtest.kube_apiserver import main; main('1.34')"


class Start(NamedTuple):
    """A row of the table.

    - `seconds`: measures the row once, with the checkout in a folder.
    - `goal`: in milliseconds.
    - `package`: the folder in a checkout without which `seconds` cannot measure the checkout.
    """

    name: str
    seconds: Callable[[Path], float]
    goal: float
    package: str = "fakeapi"


def bench_start(repeats: int) -> None:
    heading("Starting", "lowest or median", "goal", "")
    process_start = statistics.median(started() for _ in range(repeats + 1))
    times = json.loads(_python(THIS, _FIXTURES.format(repeats=repeats)))
    plugin = statistics.median(float(_python(THIS, _PLUGIN)) for _ in range(repeats))
    for name, seconds, goal in (
        ("process start to ready, elapsed", process_start, 200),
        ("fixture start, after imports, elapsed", statistics.median(times["start"]), 2),
        ("reset, elapsed", statistics.median(times["reset"]), 1),
        ("import of the pytest plugin, beside pytest itself, elapsed", plugin, 1),
        *((f"{each.name}, CPU", lowest(each, THIS, repeats), each.goal) for each in STARTS),
    ):
        row(name, milliseconds(seconds), *at_most(seconds * 1000, goal, "ms"))


def lowest(start: Start, tree: Path, repeats: int) -> float:
    """Returns the lowest of several measurements in seconds, because other work only adds time."""
    return min(start.seconds(tree) for _ in range(repeats))


def started(*options: str) -> float:
    """Returns the elapsed seconds from starting a fakeapi process to its first response."""
    begin = time.perf_counter()
    with fakeapi(*options) as (port, _):
        urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz").read()
        return time.perf_counter() - begin


def _program(code: str, tree: Path) -> float:
    """Returns the CPU seconds of a Python program, from its start to its end."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _python(tree, code)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _serving(*options: str, tree: Path) -> float:
    """Returns the CPU seconds of `fakeapi serve` from its start to its first response."""
    with fakeapi(*options, tree=tree) as (port, pid):
        _await_answer(f"http{'s' * ('--tls' in options)}://127.0.0.1:{port}/readyz")
        return processor_seconds(pid)


def _etcd(tree: Path) -> float:
    with _running_etcd(tree) as (_, pid):
        return processor_seconds(pid)


def _api_server(tree: Path) -> float:
    with _running_etcd(tree) as (url, _), tempfile.TemporaryDirectory() as certificates:
        port = free_port()
        options = ("--etcd-servers", url, "--secure-port", str(port), "--cert-dir", certificates)
        with process("-c", _API_SERVER, *options, tree=tree, quiet=True) as started:
            _await_answer(f"https://127.0.0.1:{port}/readyz")
            return processor_seconds(started.pid)


@contextlib.contextmanager
def _running_etcd(tree: Path) -> Iterator[tuple[str, int]]:
    """Runs the program etcd of `fakeapi envtest`. Yields its URL and process ID after its first response."""
    url = f"http://127.0.0.1:{free_port()}"
    with tempfile.TemporaryDirectory() as folder:
        options = ("--listen-client-urls", url, "--data-dir", folder)
        with process("-c", _ETCD, *options, tree=tree, quiet=True) as started:
            _await_answer(f"{url}/health")
            yield url, started.pid


def _installed(which: int, tree: Path) -> float:
    """Returns the CPU seconds for creating a definition of 300 KB: the first (0) or second (1)."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump([json.dumps(definition(kind)) for kind in ("First", "Second")], file)
        file.flush()
        times: list[float] = json.loads(_python(tree, _INSTALL, file.name))
    return times[which]


def _await_answer(url: str) -> None:
    """Waits until a server answers a GET, with any status. Raises TimeoutError after START_SECONDS."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        try:
            urllib.request.urlopen(url, context=context).read()
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.002)
        else:
            return
    raise TimeoutError(f"no answer from {url} within {START_SECONDS} seconds")


def _python(tree: Path, code: str, *arguments: str) -> str:
    command = [sys.executable, "-c", code, *arguments]
    environment = environment_of(tree)
    return subprocess.run(
        command, capture_output=True, check=True, text=True, cwd=tree, env=environment
    ).stdout


STARTS = (
    Start("import of FakeAPI", partial(_program, _IMPORT), 150),
    Start("import and first fixture", partial(_program, _FIXTURE), 120),
    Start("serve, ready", lambda tree: _serving(tree=tree), 200),
    Start("serve with all controllers, ready", lambda tree: _serving("--controllers", "all", tree=tree), 350),
    Start("serve with TLS, ready", lambda tree: _serving("--tls", tree=tree), 250),
    Start("etcd of envtest, ready", _etcd, 300, "fakeapi/envtest"),
    Start("kube-apiserver of envtest, ready", _api_server, 300, "fakeapi/envtest"),
    Start("a first definition of 300 KB", partial(_installed, 0), 40),
    Start("a second definition of 300 KB", partial(_installed, 1), 40),
)
"""The rows of the table that measure CPU time. A server is ready when it answers a request."""
