"""Downloads Kubernetes' Go modules for tests. Skips the test if Go or a module is missing."""

import os
import shutil
import subprocess

import pytest

from tools.modules import Modules, download

needs_go = pytest.mark.skipif(shutil.which("go") is None, reason="Go is not installed")


def modules_of(release: str, monkeypatch: pytest.MonkeyPatch) -> Modules:
    """Returns Kubernetes' Go modules of a release. Skips the test if Go cannot provide them.

    Go uses only its module cache, except in CI, where it downloads missing modules. This function only gets
    the modules. Errors of programs that use them later fail the test instead of skipping it.
    """
    use_only_the_cache(monkeypatch)
    try:
        return download(release)
    except subprocess.SubprocessError:
        pytest.skip(f"Go's module cache does not hold the modules of {release}")


def use_only_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Prevents Go from downloading modules, except in CI (where the environment variable CI is set)."""
    if not os.environ.get("CI"):
        monkeypatch.setenv("GOPROXY", "off")
