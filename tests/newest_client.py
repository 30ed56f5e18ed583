"""Creates a virtual environment with the newest release of the Python package `kubernetes`.

The tests themselves use an older release of this package: the last release with v1alpha2. Later test runs
reuse the environment.
"""

import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.installation import ROOT

LOCK = ROOT / "tests/clients/newest_client.lock"
ENVIRONMENT = ROOT / ".venv-newest-client"
INSTALL_SECONDS = 300


def python_with_newest_client() -> Path:
    """Returns the Python interpreter of an environment that has the newest package `kubernetes`.

    Creates the environment on first use. Skips the test if the package cannot be installed.
    """
    program = ENVIRONMENT / "bin" / "python"
    ready = ENVIRONMENT / "lock"
    content = f"{sys.version}\n{LOCK.read_text(encoding='utf-8')}"
    if ready.exists() and ready.read_text(encoding="utf-8") == content:
        return program
    venv.create(ENVIRONMENT, clear=True, with_pip=True)
    install = [str(program), "-m", "pip", "-q", "install", "--require-hashes", "-r", str(LOCK)]
    try:
        subprocess.run(install, check=True, capture_output=True, text=True, timeout=INSTALL_SECONDS)
    except subprocess.CalledProcessError as error:
        pytest.skip(f"the newest client can not be installed: {error.stderr.strip().splitlines()[-1:]}")
    except subprocess.TimeoutExpired:
        pytest.skip(f"the newest client is not installed within {INSTALL_SECONDS} s")
    ready.write_text(content, encoding="utf-8")
    return program


def packages_of_newest_client() -> Path:
    """Returns the folder that contains the newest package `kubernetes`, for use in PYTHONPATH.

    Installs the package on first use. Skips the test if the package cannot be installed.
    """
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    return python_with_newest_client().parents[1] / "lib" / version / "site-packages"
