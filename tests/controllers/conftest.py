"""Servers with controllers for the tests of this folder."""

from collections.abc import Iterator

import pytest

from fakeapi import FakeAPI


@pytest.fixture(params=["1.33", "1.37"])
def api(request: pytest.FixtureRequest) -> Iterator[FakeAPI]:
    """A server with the controllers of all namespaces, owners and claims."""
    names = ("namespace", "garbagecollector", "resourceclaim")
    with FakeAPI(release=request.param, controllers=names) as server:
        server.settle()
        yield server
