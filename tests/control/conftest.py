"""Runs the browser of a test module, a server whose live page it shows, and a client of the control API."""

from collections.abc import Iterator

import pytest

from fakeapi import FakeAPI
from fakeapi.clients.control import ControlClient
from tests.control.browser import Browser


@pytest.fixture(scope="module")
def browser(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Yields a window of the browser that the test module imports as `browsers`."""
    with request.module.browsers.window(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture
def api() -> Iterator[FakeAPI]:
    with FakeAPI(release="1.36") as server:
        yield server


@pytest.fixture
def client(api: FakeAPI) -> Iterator[ControlClient]:
    with ControlClient(api.url) as opened:
        yield opened
