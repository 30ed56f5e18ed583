"""Checks for toolchains of other languages, and records the durations of builds."""

import fcntl
import json
import shutil
import subprocess
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pytest

BUILDS = Path(__file__).parents[2] / "build" / "interop"
"""The folder of compiled programs, which later test runs reuse; `make clean` deletes it."""

_LOG = BUILDS / "built.jsonl"
_started = time.time()


@dataclass(frozen=True)
class Built:
    """A finished build of a program: its name, its duration in seconds, and the Unix time of its end."""

    name: str
    seconds: float
    at: float


def require(*programs: str) -> None:
    """Skips the test if one of the programs is not on the PATH. CI turns this skip into a failure."""
    missing = [name for name in programs if shutil.which(name) is None]
    if missing:
        pytest.skip(f"{' and '.join(missing)} not on the PATH")


def require_headers(*headers: str) -> None:
    """Skips the test if the C compiler does not find a header. CI turns this skip into a failure."""
    for header in headers:
        require("cc")
        preprocess = ["cc", "-E", "-x", "c", "-"]
        done = subprocess.run(
            preprocess, input=f"#include <{header}>".encode(), capture_output=True, check=False
        )
        if done.returncode != 0:
            pytest.skip(f"the C compiler does not find {header}")


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Creates the folder and locks it while the block lasts, because pytest-xdist's workers share it."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def building(name: str) -> Iterator[None]:
    """Measures the duration of the block, which builds a program, for the summary at the end of the tests.

    Writes the duration to a log file, because pytest-xdist's workers build programs too.
    """
    begun = time.monotonic()
    yield
    BUILDS.mkdir(parents=True, exist_ok=True)
    with _LOG.open("a", encoding="utf-8") as log:
        log.write(f"{json.dumps(asdict(Built(name, time.monotonic() - begun, time.time())))}\n")


def built_now() -> list[Built]:
    """Returns the builds that ended since this test run started."""
    if not _LOG.exists():
        return []
    builds = (Built(**json.loads(line)) for line in _LOG.read_text(encoding="utf-8").splitlines())
    return [each for each in builds if each.at >= _started]


def of_releases(oldest_first: Iterable[Any]) -> list[Any]:
    """Returns pytest parameters, one for each release. The option `--newest` selects only the newest release.

    `oldest_first`: the parameter values for each release: a single value, or a tuple of values.
    """
    *older, newest = (each if isinstance(each, tuple) else (each,) for each in oldest_first)
    return [*(pytest.param(*each, marks=pytest.mark.older) for each in older), pytest.param(*newest)]
