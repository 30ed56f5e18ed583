"""Fixtures that run servers for the HTTP tests."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from fakeapi.clock.adjustable import AdjustableClock
from fakeapi.clock.clocks import SeededClockAndNames
from fakeapi.cluster import Cluster
from fakeapi.http.app import Application
from fakeapi.serving.runner import Runner
from fakeapi.settings import Settings
from fakeapi.testing.client import Client
from fakeapi.testing.server import FakeAPI


@pytest.fixture(scope="session")
def api() -> Iterator[FakeAPI]:
    """Runs a 1.31 server for the whole test session, for tests that leave no objects behind."""
    with FakeAPI(release="1.31") as server:
        yield server


@pytest.fixture
def clock() -> AdjustableClock:
    """Returns a frozen clock that tests can advance."""
    return AdjustableClock(frozen_at=1_800_000_000.0)


@pytest.fixture
def frozen(clock: AdjustableClock, fakeapi_factory: Callable[..., FakeAPI]) -> Callable[[str], FakeAPI]:
    """Returns a function that starts a server of a release with the frozen clock of the fixture `clock`."""
    return lambda release: fakeapi_factory(release=release, clock=SeededClockAndNames(1, clock))


class SmallServer(Client):
    """A client of a server with a short watch history.

    Its attributes give access to the server: the URL, the cluster, the application and the runner.
    """

    def __init__(self, cluster: Cluster, app: Application, runner: Runner, url: str) -> None:
        super().__init__(url)
        self.url = url
        self.cluster = cluster
        self.app = app
        self.runner = runner


@pytest.fixture
def with_history() -> Iterator[Callable[..., SmallServer]]:
    """Yields a function that starts a 1.31 server whose watch history has at most `history` changes."""
    with ExitStack() as stack:

        def start(history: int, runtime_config: str = "") -> SmallServer:
            settings = Settings(release="1.31", history=history, runtime_config=runtime_config)
            cluster = Cluster(settings)
            app = Application(cluster)
            runner = Runner(app)
            stack.callback(runner.stop)
            runner.start()
            client = SmallServer(cluster, app, runner, f"http://127.0.0.1:{runner.port}")
            stack.callback(client.close)
            return client

        yield start
