"""The story that every client tells: the life of a ResourceClaim on a server of its own.

A program of any language gets the server in $KUBECONFIG, with TLS, a CA of its own and a token. It prints the
chapters as they are through: `discover`, `create`, `watch` (the addition was seen), `conflict` (a race was
lost with 409, and the retry won), `patch` (in the client's default way), `apply` (server-side) and `delete`
(of a claim with a finalizer, until its end was seen).
"""

import hashlib
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fakeapi import FakeAPI
from tests.interop.toolchain import BUILDS, alone_in, building

FOLDER = Path(__file__).parent
CHAPTERS = ["discover", "create", "watch", "conflict", "patch", "apply", "delete"]
DID = "discovered, created, watched, lost a race and won the retry, patched, applied, deleted"
STORY_SECONDS = 120
FETCH_SECONDS = 1800
"""For what a package manager fetches and builds; Rust's part is the longest."""


@contextmanager
def server(release: str, **options: Any) -> Iterator[FakeAPI]:
    """A server as clients meet a real one: HTTPS, a CA that only the kubeconfig knows, and a token."""
    with FakeAPI(release=release, tls=True, token="secret", **options) as api:
        yield api


def tell(command: list[str | Path], release: str) -> None:
    """Runs a program that tells the story to its end, and leaves no claim."""
    with server(release) as api:
        assert run(command, api).split() == CHAPTERS
        assert api.list("ResourceClaim") == []


def run(command: list[str | Path], api: FakeAPI, **environment: str) -> str:
    """What a program prints to a server."""
    return finished(command, STORY_SECONDS, None, KUBECONFIG=str(api.kubeconfig), **environment)


def finished(command: list[str | Path], seconds: float, cwd: Path | None = None, **environment: str) -> str:
    done = subprocess.run(
        command,
        cwd=cwd,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
    return done.stdout


@contextmanager
def workshop(name: str, sources: Mapping[str, Path]) -> Iterator[Path]:
    """A folder with copies of the sources for a package manager to work in; the same for the same sources."""
    texts = [f"{path}\n{source.read_text(encoding='utf-8')}" for path, source in sorted(sources.items())]
    digest = hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12]
    folder = BUILDS / f"{name}-{digest}"
    ready = folder / ".ready"
    with alone_in(folder):
        if ready.exists():
            yield folder
            return
        for path, source in sources.items():
            shutil.copyfile(source, folder / path)
        with building(name):
            yield folder
        ready.touch()


def python() -> Path:
    """The interpreter that has the Python clients; they are installed the first time."""
    lock = FOLDER / "python" / "clients.lock"
    with workshop(
        f"python-{sys.version_info.major}.{sys.version_info.minor}", {"clients.lock": lock}
    ) as folder:
        program = folder / "bin" / "python"
        if not (folder / ".ready").exists():
            venv.create(folder, with_pip=True)
            install: list[str | Path] = [
                program,
                "-m",
                "pip",
                "-q",
                "install",
                "--require-hashes",
                "-r",
                lock,
            ]
            finished(install, FETCH_SECONDS)
    return program


def locked(lock: Path, package: str) -> str:
    """The version of a package in a lock file of Python."""
    for line in lock.read_text(encoding="utf-8").splitlines():
        name, _, rest = line.partition("==")
        if name == package:
            return rest.split()[0]
    raise LookupError(f"{package} is not in {lock}")
