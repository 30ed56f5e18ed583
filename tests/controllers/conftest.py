"""A fixture with a server for the tests of controllers."""

from collections.abc import Iterator

import pytest

from fakeapi import FakeAPI


@pytest.fixture(params=["1.33", "1.37"])
def api(request: pytest.FixtureRequest) -> Iterator[FakeAPI]:
    """Starts a server with the controllers for namespaces, garbage collection and ResourceClaims."""
    names = ("namespace", "garbagecollector", "resourceclaim")
    with FakeAPI(release=request.param, controllers=names) as server:
        server.settle()
        yield server
