"""Toolchains of other languages: whether they are there, and what was built with them."""

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
"""What tests build, kept from run to run; `make clean` removes it."""

_LOG = BUILDS / "built.jsonl"
_started = time.time()


@dataclass(frozen=True)
class Built:
    """Something that a run has built, and how long that took."""

    name: str
    seconds: float
    at: float


def require(*programs: str) -> None:
    """Skips the test where a program is not on the PATH; where CI is set, that is a failure."""
    missing = [name for name in programs if shutil.which(name) is None]
    if missing:
        pytest.skip(f"{' and '.join(missing)} not on the PATH")


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Makes the folder, and keeps xdist's other workers out of it meanwhile: tests share what they build."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def building(name: str) -> Iterator[None]:
    """Notes what is built inside it for the end of the run; a log file, since xdist's workers build too."""
    begun = time.monotonic()
    yield
    BUILDS.mkdir(parents=True, exist_ok=True)
    with _LOG.open("a", encoding="utf-8") as log:
        log.write(f"{json.dumps(asdict(Built(name, time.monotonic() - begun, time.time())))}\n")


def built_now() -> list[Built]:
    """What has been built since this run began."""
    if not _LOG.exists():
        return []
    found = (Built(**json.loads(line)) for line in _LOG.read_text(encoding="utf-8").splitlines())
    return [each for each in found if each.at >= _started]


def of_releases(oldest_first: Iterable[Any]) -> list[Any]:
    """Parameters of which `--newest` takes the last alone."""
    *older, newest = (each if isinstance(each, tuple) else (each,) for each in oldest_first)
    return [*(pytest.param(*each, marks=pytest.mark.older) for each in older), pytest.param(*newest)]
