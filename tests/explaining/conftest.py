"""A server of 1.36 with a scheduler for all tests of a module. Each test starts with an empty cluster."""

from collections.abc import Iterator

import pytest

from fakeapi import FakeAPI


@pytest.fixture(scope="module")
def server() -> Iterator[FakeAPI]:
    with FakeAPI(release="1.36", controllers="scheduler,resourceclaim") as api:
        yield api


@pytest.fixture
def api(server: FakeAPI) -> FakeAPI:
    server.reset()
    return server
