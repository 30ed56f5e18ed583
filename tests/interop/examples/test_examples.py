"""The projects in examples/ pass from a clean copy of their folder, by the command of their page."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fakeapi.envtest.assets import prepare
from tests.installation import ROOT
from tests.interop.plugin import Report
from tests.interop.toolchain import require, require_headers

SECONDS = 1500
"""Maximum seconds for a project, with the download of its packages and its compilation."""

PROJECTS = [
    ("go-envtest", ("go", "test", "./...")),
    ("go-package", ("go", "test", "./...")),
    ("javascript", ("sh", "-c", "npm ci && npm test")),
    ("c", ("make", "test")),
    pytest.param("rust", ("cargo", "test"), marks=pytest.mark.older),
    pytest.param("java", ("mvn", "-q", "test"), marks=pytest.mark.older),
]

HEADERS = {"c": ("curl/curl.h", "cjson/cJSON.h", "cmocka.h")}
"""The headers of C libraries that a project needs, by the name of its folder."""


@pytest.mark.parametrize(("folder", "command"), PROJECTS)
@pytest.mark.timeout(SECONDS + 60)
def test_an_example_passes(folder: str, command: tuple[str, ...], tmp_path: Path, report: Report) -> None:
    require("npm" if command[0] == "sh" else command[0])
    require_headers(*HEADERS.get(folder, ()))
    report(kind="example", name=folder, version="", release="1.34", did=" ".join(command))
    project = tmp_path / folder
    ignored = shutil.ignore_patterns("node_modules", "target", "build")
    shutil.copytree(ROOT / "examples" / folder, project, ignore=ignored)
    environment = {
        "FAKEAPI": str(Path(sys.executable).parent / "fakeapi"),
        "KUBEBUILDER_ASSETS": str(prepare(tmp_path / "store", "1.34.0")),
        "GOFLAGS": "-mod=mod",
        "GOTOOLCHAIN": "local",
    }
    done = subprocess.run(
        command,
        cwd=project,
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-8000:]
