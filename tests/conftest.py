"""Fixtures that all tests can use."""

from collections.abc import Iterator

import hypothesis
import pytest

from tests.installation import Installation, install
from tests.postgresql_server import PostgreSQL, why_missing

pytest_plugins = ("pytester", "tests.frozen_tests", "tests.interop.plugin", "tests.skips", "tests.slow")

hypothesis.settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=50)
hypothesis.settings.load_profile("repeatable")


@pytest.fixture(scope="session")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    return install(tmp_path_factory.mktemp("installation"))


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgreSQL]:
    """Starts a PostgreSQL server for the test session; skips the test if PostgreSQL is missing.

    Tests create their own databases in this server and do not stop the server.
    """
    if why_missing():
        pytest.skip(why_missing())
    server = PostgreSQL()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def guarded() -> Iterator[PostgreSQL]:
    """Starts a PostgreSQL server that requires passwords; skips the test if PostgreSQL is missing."""
    if why_missing():
        pytest.skip(why_missing())
    server = PostgreSQL(password="opensesame")
    yield server
    server.stop()
