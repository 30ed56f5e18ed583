"""Compiles and runs the test binaries of Go modules, and counts their specs."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.kubernetes import build_api_server, build_etcd
from tests.interop.go_programs import BUILD_SECONDS, FETCH_SECONDS, go
from tests.interop.suites.public_suites import Suite
from tests.interop.toolchain import BUILDS, alone_in, building, require

RUN_SECONDS = 1800
"""Maximum seconds for the run of one package."""

_GINKGO = re.compile(r"^Ran (\d+) of \d+ Specs.*\n\S+ -- (\d+) Passed \| (\d+) Failed", re.MULTILINE)
_COLORS = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True)
class Outcome:
    """The numbers of passed and failed specs of a package, its seconds, and its output."""

    passed: int
    failed: int
    seconds: float
    output: str

    @property
    def summary(self) -> str:
        return f"{self.passed} specs passed, {self.failed} failed, in {self.seconds:.0f} s"


def real_programs(release: str, builds: Path, folder: Path) -> Path:
    """Fills `folder` for KUBEBUILDER_ASSETS with etcd and kube-apiserver of `builds`; returns `folder`.

    Go compiles missing programs first.
    """
    folder.mkdir(parents=True)
    (folder / "etcd").symlink_to(build_etcd(builds).absolute())
    (folder / "kube-apiserver").symlink_to(build_api_server(builds, release).absolute())
    kubectl = shutil.which("kubectl")
    if kubectl:
        (folder / "kubectl").symlink_to(kubectl)
    return folder


def source_of(suite: Suite) -> Path:
    """Downloads the module of a suite; returns a writable copy of its source, which later runs reuse."""
    require("go")
    folder = BUILDS / "suites" / f"{suite.module.replace('/', '_')}@{suite.version}"
    with alone_in(folder):
        source = folder / "source"
        if not source.exists():
            downloaded = go(
                ["mod", "download", "-json", f"{suite.module}@{suite.version}"], folder, FETCH_SECONDS
            )
            unfinished = folder / "unfinished"
            shutil.rmtree(unfinished, ignore_errors=True)
            shutil.copytree(json.loads(downloaded)["Dir"], unfinished, copy_function=shutil.copyfile)
            for path in (unfinished, *unfinished.rglob("*")):
                path.chmod(0o755 if path.is_dir() or path.suffix == ".sh" else 0o644)
            _use_published_siblings(suite, unfinished)
            unfinished.rename(source)
    return source


def _use_published_siblings(suite: Suite, source: Path) -> None:
    """Drops the replacements of go.mod that name a folder beside the module, which its zip does not have."""
    replaced = json.loads(go(["mod", "edit", "-json"], source, FETCH_SECONDS))["Replace"] or []
    local = [line["Old"]["Path"] for line in replaced if line["New"]["Path"].startswith(".")]
    edits = [f"-dropreplace={module}" for module in local]
    edits += [f"-require={module}" for module in suite.siblings]
    if edits:
        go(["mod", "edit", *edits], source, FETCH_SECONDS)


def compiled(suite: Suite, package: str) -> Path:
    """Compiles the tests of a package; returns the test binary. Raises BuildFailed."""
    source = source_of(suite)
    program = source.parent / f"{package.replace('/', '_').replace('.', 'root')}.test"
    with alone_in(source.parent):
        if not program.exists():
            with building(f"{suite.name} {package}"):
                go(["test", "-c", "-o", f"{program}.unfinished", f"./{package}"], source, BUILD_SECONDS)
            Path(f"{program}.unfinished").rename(program)
    return program


def end_session(session: int) -> None:
    """Kills the processes of a session; some suites leave etcd and kube-apiserver behind."""
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if os.getsid(int(folder.name)) == session:
                os.kill(int(folder.name), signal.SIGKILL)


def run(suite: Suite, package: str, assets: Path) -> Outcome:
    """Runs the tests of a package with the programs in `assets`, and counts its specs or Go tests."""
    program = compiled(suite, package)
    options = ["-test.v", "-test.timeout", f"{RUN_SECONDS}s", "-test.skip", suite.left_out]
    begun = time.monotonic()
    with tempfile.TemporaryFile() as written:  # not a pipe: processes that a suite leaves would keep it open
        with subprocess.Popen(
            [str(program), *options],
            cwd=source_of(suite) / package,
            env=os.environ | {"KUBEBUILDER_ASSETS": str(assets)},
            stdout=written,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as process:
            try:
                process.wait(RUN_SECONDS + 60)
            finally:
                end_session(process.pid)
        seconds = time.monotonic() - begun
        written.seek(0)
        output = _COLORS.sub("", written.read().decode(errors="replace"))
    specs = _GINKGO.findall(output)
    passed, failed = (sum(int(spec[column]) for spec in specs) for column in (1, 2))
    if not passed + failed:
        passed, failed = output.count("--- PASS: "), output.count("--- FAIL: ")
    return Outcome(passed, max(failed, 1) if process.returncode else failed, seconds, output)
