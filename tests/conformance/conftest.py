"""A fixture with one server for each recording; all tests share these servers."""

from collections.abc import Iterator

import pytest

from tests.conformance.servers import Servers, started_servers


@pytest.fixture(scope="session")
def servers() -> Iterator[Servers]:
    with started_servers() as servers:
        yield servers
