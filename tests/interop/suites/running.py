"""Compiles and runs the test binaries of Go modules, and counts their specs."""

import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.interop.go_programs import BUILD_SECONDS, FETCH_SECONDS, go
from tests.interop.suites.public_suites import Suite
from tests.interop.toolchain import BUILDS, alone_in, building, require

RUN_SECONDS = 1200
"""Maximum seconds for the run of one package."""

_GINKGO = re.compile(r"^Ran (\d+) of \d+ Specs.*\n\S+ -- (\d+) Passed \| (\d+) Failed", re.MULTILINE)
_COLORS = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True)
class Outcome:
    """The numbers of passed and failed specs of a package, and the output of its test binary."""

    passed: int
    failed: int
    output: str


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
            unfinished.rename(source)
    return source


def compiled(suite: Suite, package: str) -> Path:
    """Compiles the tests of a package; returns the test binary. Raises BuildFailed."""
    source = source_of(suite)
    program = source.parent / f"{package.replace('/', '_')}.test"
    with alone_in(source.parent):
        if not program.exists():
            with building(f"{suite.name} {package}"):
                go(["test", "-c", "-o", f"{program}.unfinished", f"./{package}"], source, BUILD_SECONDS)
            Path(f"{program}.unfinished").rename(program)
    return program


def run(suite: Suite, package: str, assets: Path) -> Outcome:
    """Runs the tests of a package with the programs in `assets`, and counts its specs or Go tests."""
    program = compiled(suite, package)
    done = subprocess.run(
        [str(program), "-test.v", "-test.timeout", f"{RUN_SECONDS}s"],
        cwd=source_of(suite) / package,
        env=os.environ | {"KUBEBUILDER_ASSETS": str(assets)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=RUN_SECONDS + 60,
        check=False,
    )
    output = _COLORS.sub("", done.stdout.decode(errors="replace"))
    specs = _GINKGO.findall(output)
    if specs:
        return Outcome(sum(int(spec[1]) for spec in specs), sum(int(spec[2]) for spec in specs), output)
    passed, failed = output.count("--- PASS: "), output.count("--- FAIL: ")
    return Outcome(passed, max(failed, 1) if done.returncode else failed, output)
