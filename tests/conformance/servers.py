"""Starts a server for each recording, with the Kubernetes release and the feature gates of the recording."""

from collections.abc import Iterator
from contextlib import contextmanager

from fakeapi.testing.server import FakeAPI
from tests.conformance.recordings import Recording

SEED = 1
"""The seed of the servers for the recordings. A reset restarts the random sequence.

With this seed, a random cluster IP is the same for every test, and never an address that a scenario requests
later.
"""


def new_server(recording: Recording, *, database: str | None = None, seed: int | None = SEED) -> FakeAPI:
    """Returns a server with the release and feature gates of a recording. The server is not started.

    `seed`: the seed of random values; must be None for a server with a shared database.
    """
    return FakeAPI(release=recording.release, feature_gates=recording.gates, database=database, seed=seed)


def prepare(server: FakeAPI) -> None:
    """Resets the server and creates the namespace of the recordings."""
    server.reset()
    server.create_namespace("conformance")


class Servers:
    """Provides one server for each recording. Starts a server on its first use."""

    def __init__(self) -> None:
        self._running: dict[str, FakeAPI] = {}

    def prepared(self, recording: Recording) -> FakeAPI:
        """Returns the recording's server after a reset; it has the namespace of the recordings."""
        if recording.name not in self._running:
            self._running[recording.name] = new_server(recording).start()
        server = self._running[recording.name]
        prepare(server)
        return server

    def stop(self) -> None:
        for server in self._running.values():
            server.stop()


@contextmanager
def started_servers() -> Iterator[Servers]:
    """Yields a `Servers` object; stops all of its servers at the end of the block."""
    servers = Servers()
    try:
        yield servers
    finally:
        servers.stop()
