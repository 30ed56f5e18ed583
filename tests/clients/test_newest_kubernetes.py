"""The newest release of the Python package `kubernetes` works with v1 claims.

The tests themselves run with an older release, the last one with v1alpha2, so the newest is in an environment
of its own, which is made once.
"""

import subprocess
import sys
import venv
from pathlib import Path

import pytest

from fakeapi import FakeAPI
from tests.installation import ROOT

FOLDER = Path(__file__).parent
LOCK = FOLDER / "newest_client.lock"
ENVIRONMENT = ROOT / ".venv-newest-client"
INSTALL_SECONDS = 300

pytestmark = pytest.mark.timeout(INSTALL_SECONDS + 60)  # it is downloaded the first time


@pytest.fixture(scope="session")
def python() -> Path:
    """The interpreter that has the newest client; skips where that can not be installed."""
    program = ENVIRONMENT / "bin" / "python"
    ready = ENVIRONMENT / "lock"
    wanted = f"{sys.version}\n{LOCK.read_text(encoding='utf-8')}"
    if ready.exists() and ready.read_text(encoding="utf-8") == wanted:
        return program
    venv.create(ENVIRONMENT, clear=True, with_pip=True)
    install = [str(program), "-m", "pip", "-q", "install", "--require-hashes", "-r", str(LOCK)]
    try:
        subprocess.run(install, check=True, capture_output=True, text=True, timeout=INSTALL_SECONDS)
    except subprocess.CalledProcessError as error:
        pytest.skip(f"the newest client can not be installed: {error.stderr.strip().splitlines()[-1:]}")
    except subprocess.TimeoutExpired:
        pytest.skip(f"the newest client is not installed within {INSTALL_SECONDS} s")
    ready.write_text(wanted, encoding="utf-8")
    return program


def test_a_claim_is_created_allocated_reserved_by_two_applied_and_deleted(
    python: Path, fakeapi: FakeAPI
) -> None:
    story = subprocess.run(
        [python, FOLDER / "newest_client.py", fakeapi.kubeconfig],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (story.stdout, story.returncode) == ("told\n", 0), story.stderr
