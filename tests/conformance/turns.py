"""Plays recorded scenarios on servers that share a database and receive the requests alternately."""

import http.client
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import cycle
from typing import Any

from fakeapi.testing.server import FakeAPI
from tests.conformance.player import Exchange, Player
from tests.conformance.recordings import Recording
from tests.conformance.servers import new_server
from tests.postgresql_server import PostgreSQL


class Turns(Player):
    """A player that sends the requests of one scenario to several servers alternately.

    A server may return older objects for a read at resourceVersion 0, if another server wrote the newest
    objects. Before such a read, the player therefore sends a GET of /readyz, which makes the server read the
    newest objects from the database.
    """

    def __init__(self, ports: list[int]) -> None:
        super().__init__(ports[0])
        self._connections = [http.client.HTTPConnection("127.0.0.1", port, timeout=60) for port in ports]
        self._next = cycle(self._connections)
        self._ports = cycle(ports)

    def send(self, exchange: Exchange) -> dict[str, Any]:
        self._connection = next(self._next)
        if re.search(r"[?&]resourceVersion=0(&|$)", exchange["target"]):
            self._connection.request("GET", "/readyz")
            self._connection.getresponse().read()
        return super().send(exchange)

    @property
    def port(self) -> int:
        return next(self._ports)

    def barrier(self) -> None:
        """Waits until every server has sent its pending watch events."""
        for each in self._connections:
            self._connection = each
            super().barrier()

    def close(self) -> None:
        for each in self._connections:
            each.close()


@contextmanager
def servers_of(recording: Recording, postgresql: PostgreSQL, count: int = 2) -> Iterator[list[FakeAPI]]:
    place = postgresql.place()
    with ExitStack() as stack:
        yield [stack.enter_context(new_server(recording, database=place, seed=None)) for _ in range(count)]
