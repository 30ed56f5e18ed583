"""Provides Kubernetes' Go modules to tests, and skips tests if Go or a module is missing."""

import os
import shutil
import subprocess

import pytest

from tools.modules import Modules, download

needs_go = pytest.mark.skipif(shutil.which("go") is None, reason="Go is not installed")


def modules_of(release: str, monkeypatch: pytest.MonkeyPatch) -> Modules:
    """Returns a release's modules. Skips the test if Go cannot provide them.

    Go uses only its module cache, except where CI is set: there it downloads missing modules. Errors of Go
    programs that use the modules are failures of the test, because this function runs none of them.
    """
    use_only_the_cache(monkeypatch)
    try:
        return download(release)
    except subprocess.SubprocessError:
        pytest.skip(f"Go's module cache does not hold the modules of {release}")


def use_only_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forbids Go to download modules, except where CI is set."""
    if not os.environ.get("CI"):
        monkeypatch.setenv("GOPROXY", "off")
