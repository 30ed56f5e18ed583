"""Runs the test program of each client, which creates, changes and deletes a claim on a new server.

A program in any language gets the server in $KUBECONFIG, with TLS, a CA and a token. It prints the name of
each chapter when the chapter is complete:

- `discover`
- `create`
- `watch`: it received the event ADDED
- `conflict`: it got 409 for a write with an old resourceVersion, and the retry succeeded
- `patch`: with the client's default patch type
- `apply`: server-side apply
- `delete`: it deleted a claim with a finalizer, and received the event DELETED
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
from tests.interop import go_programs
from tests.interop.toolchain import BUILDS, alone_in, building

FOLDER = Path(__file__).parent
CHAPTERS = ["discover", "create", "watch", "conflict", "patch", "apply", "delete"]
DID = "discovered, created, watched, lost a race and won the retry, patched, applied, deleted"
STORY_SECONDS = 120
FETCH_SECONDS = 1800
"""Maximum seconds for a package manager to download and build packages; Rust takes longest."""


@contextmanager
def server(release: str, **options: Any) -> Iterator[FakeAPI]:
    """Runs a server like a production cluster: HTTPS with a CA known only from the kubeconfig, and a token.

    `options`: further options of FakeAPI.
    """
    with FakeAPI(release=release, tls=True, token="secret", **options) as api:
        yield api


def tell(command: list[str | Path], release: str) -> None:
    """Runs a client's program with a new server of the release.

    Asserts that the program prints the names of all chapters, and that it has deleted the claim.
    """
    with server(release) as api:
        assert run(command, api).split() == CHAPTERS
        assert api.list("ResourceClaim") == []


def run(command: list[str | Path], api: FakeAPI, **environment: str) -> str:
    """Runs a program with the server's kubeconfig in $KUBECONFIG; returns its output."""
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
    """Yields a locked folder with copies of the source files, in which a package manager can work.

    `name`: the beginning of the folder's name. `sources`: the source files by their path in the folder. Equal
    sources share a folder. If the folder contains `.ready`, an earlier `with` block has already succeeded,
    and its results are in the folder.
    """
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


def kubectl(release: str) -> Path:
    """Compiles kubectl of a release; returns its path. Raises BuildFailed if it does not compile."""
    main = (FOLDER / "kubectl" / "main.go").read_text(encoding="utf-8")
    modules = go_programs.with_staging(release, ["client-go", "component-base", "kubectl"])
    return go_programs.build(f"kubectl-{release}", modules, {"main.go": main})


def python() -> Path:
    """Returns a Python interpreter with the client packages of clients.lock; installs them the first time."""
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
    """Returns the locked version of a package in a Python lock file.

    Raises LookupError if the file does not list the package.
    """
    for line in lock.read_text(encoding="utf-8").splitlines():
        name, _, rest = line.partition("==")
        if name == package:
            return rest.split()[0]
    raise LookupError(f"{package} is not in {lock}")
