"""The newest release of the Python package `kubernetes` works with v1 claims."""

import subprocess
from pathlib import Path

import pytest

from fakeapi import FakeAPI
from tests.newest_client import INSTALL_SECONDS, python_with_newest_client

FOLDER = Path(__file__).parent

pytestmark = [
    pytest.mark.network,  # pip downloads the client the first time
    pytest.mark.timeout(INSTALL_SECONDS + 60),
]


def test_a_claim_is_created_allocated_reserved_by_two_applied_and_deleted(fakeapi: FakeAPI) -> None:
    story = subprocess.run(
        [python_with_newest_client(), FOLDER / "newest_client.py", fakeapi.kubeconfig],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (story.stdout, story.returncode) == ("told\n", 0), story.stderr
