from collections.abc import Iterator

import pytest

from fakeapi.testing.server import FakeAPI


@pytest.fixture(scope="module")
def module_server() -> Iterator[FakeAPI]:
    with FakeAPI(release="1.33") as server:
        yield server


@pytest.fixture
def server(module_server: FakeAPI) -> FakeAPI:
    """Resets the server that the module's tests share, so that it has no CustomResourceDefinitions; returns
    it.
    """
    module_server.reset()
    return module_server
