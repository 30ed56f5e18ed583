"""Toolchains of other languages: checks for them, and notes of builds."""

import fcntl
import json
import shutil
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pytest

BUILDS = Path(__file__).parents[2] / "build" / "interop"
"""The folder of built programs, kept between runs; `make clean` removes it."""

_LOG = BUILDS / "built.jsonl"
_started = time.time()


@dataclass(frozen=True)
class Built:
    """A build of this run, and its duration."""

    name: str
    seconds: float
    at: float


def require(*programs: str) -> None:
    """Skips the test if a program is not on the PATH; in CI this is a failure."""
    missing = [name for name in programs if shutil.which(name) is None]
    if missing:
        pytest.skip(f"{' and '.join(missing)} not on the PATH")


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Creates the folder and locks it against xdist's other workers, because tests share builds."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def building(name: str) -> Iterator[None]:
    """Notes a build for the end of the run, in a log file because xdist's workers build too."""
    begun = time.monotonic()
    yield
    BUILDS.mkdir(parents=True, exist_ok=True)
    with _LOG.open("a", encoding="utf-8") as log:
        log.write(f"{json.dumps(asdict(Built(name, time.monotonic() - begun, time.time())))}\n")


def built_now() -> list[Built]:
    """Returns the builds since the start of this run."""
    if not _LOG.exists():
        return []
    builds = (Built(**json.loads(line)) for line in _LOG.read_text(encoding="utf-8").splitlines())
    return [each for each in builds if each.at >= _started]


def of_releases(oldest_first: Iterable[Any]) -> list[Any]:
    """Returns test parameters; `--newest` selects only the last."""
    *older, newest = (each if isinstance(each, tuple) else (each,) for each in oldest_first)
    return [*(pytest.param(*each, marks=pytest.mark.older) for each in older), pytest.param(*newest)]
