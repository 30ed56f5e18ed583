"""Starts a server for each recording, with the recording's release and feature gates."""

from collections.abc import Iterator
from contextlib import contextmanager

from fakeapi.testing.server import FakeAPI
from tests.conformance.recordings import Recording

SEED = 1
"""A server draws random values from this seed, from the beginning again after a reset.

So a random cluster IP is the same in every run, and never the one that a scenario asks for later.
"""


def new_server(recording: Recording, *, database: str | None = None, seed: int | None = SEED) -> FakeAPI:
    """Returns a server for a recording, not yet started. A shared database excludes a seed."""
    return FakeAPI(release=recording.release, feature_gates=recording.gates, database=database, seed=seed)


def prepare(server: FakeAPI) -> None:
    """Resets the server and creates the namespace of the recordings."""
    server.reset()
    server.create_namespace("conformance")


class Servers:
    """Runs a server for each recording; starts it on first use."""

    def __init__(self) -> None:
        self._running: dict[str, FakeAPI] = {}

    def prepared(self, recording: Recording) -> FakeAPI:
        """Returns the recording's server, without the objects of earlier scenarios."""
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
    """Stops all servers at the end."""
    servers = Servers()
    try:
        yield servers
    finally:
        servers.stop()
