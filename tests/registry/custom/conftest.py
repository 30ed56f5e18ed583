from collections.abc import Iterator

import pytest

from fakeapi.testing.server import FakeAPI


@pytest.fixture(scope="module")
def module_server() -> Iterator[FakeAPI]:
    with FakeAPI(release="1.33") as server:
        yield server


@pytest.fixture
def server(module_server: FakeAPI) -> FakeAPI:
    """Returns the server of the module's tests after a reset, without CustomResourceDefinitions."""
    module_server.reset()
    return module_server
