"""Starts the servers of a benchmark, each in its own process and on its own port."""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

HERE = Path(__file__).parent
START_SECONDS = 60.0


@contextlib.contextmanager
def process(
    *command: str, cores: Collection[int] = (), tree: Path = HERE.parent, quiet: bool = False
) -> Iterator["subprocess.Popen[str]"]:
    """Runs Python with these arguments while the block lasts.

    - `cores`: allowed CPU numbers; empty means all cores.
    - `tree`: the folder of the checkout that Python imports fakeapi from.
    - `quiet`: whether to drop the program's output to stderr.
    """
    errors = subprocess.DEVNULL if quiet else None
    with _on(cores):
        server = subprocess.Popen(
            [sys.executable, *command],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            cwd=tree,
            env=environment_of(tree),
        )
    with server as started:
        try:
            yield started
        finally:
            started.terminate()
            started.wait(START_SECONDS)


def environment_of(tree: Path) -> dict[str, str]:
    """Returns the environment variables for a Python program that imports fakeapi from a checkout.

    The program may write bytecode files, because an installed package has them too.
    """
    rest = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**rest, "PYTHONPATH": os.pathsep.join([str(tree), str(tree / "storage")])}


@contextlib.contextmanager
def _on(cores: Collection[int]) -> Iterator[None]:
    """Limits this process to the CPUs `cores` while the block lasts.

    Processes started in the block inherit the limit.
    """
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores or before)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextlib.contextmanager
def fakeapi(
    *options: str,
    cores: Collection[int] = (),
    tree: Path = HERE.parent,
    program: Sequence[str] = ("-m", "fakeapi", "serve"),
) -> Iterator[tuple[int, int]]:
    """Runs `fakeapi serve` with these options, by default for 1.33; yields its port and process id.

    `program`: Python's arguments for another program with the options of `fakeapi serve`.
    """
    with tempfile.TemporaryDirectory() as folder:
        ready = Path(folder) / "ready"
        kubeconfig = Path(folder) / "config"
        release = [] if "--release" in options else ["--release", "1.33"]
        command = [*program, "--port", "0", *release, "--ready-file", str(ready)]
        with process(*command, "--kubeconfig", str(kubeconfig), *options, cores=cores, tree=tree) as started:
            yield await_ready(ready), started.pid


def await_ready(ready: Path) -> int:
    """Waits until a server has written its ready file; returns the server's port.

    Raises TimeoutError after START_SECONDS seconds.
    """
    end = time.monotonic() + START_SECONDS
    while not (ready.exists() and ready.read_text()):
        if time.monotonic() > end:
            raise TimeoutError(f"no server within {START_SECONDS} seconds")
        time.sleep(0.002)
    return int(json.loads(ready.read_text())["url"].rpartition(":")[2])


@contextlib.contextmanager
def bare(size: int, *, h11: bool = False) -> Iterator[int]:
    """Runs a server that sends a constant body of `size` bytes while the block lasts; yields its port.

    `h11`: whether hypercorn with h11 is the HTTP server, instead of fakeapi's own.
    """
    with process(str(HERE / ("bare_h11.py" if h11 else "bare.py")), str(size)) as started:
        assert started.stdout is not None
        yield int(started.stdout.readline())


def resident(*pids: int) -> int:
    """Returns the resident memory of processes in bytes."""
    return sum(map(_resident, pids))


def _resident(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("no VmRSS")
