"""Fixtures with a running HTTP server and its stub application."""

from collections.abc import Iterator

import pytest

from fakeapi.serving.runner import Runner
from tests.serving.stub import Stub


@pytest.fixture
def stub() -> Stub:
    return Stub()


@pytest.fixture
def runner(stub: Stub) -> Iterator[Runner]:
    runner = Runner(stub)
    runner.start()
    yield runner
    runner.stop()
