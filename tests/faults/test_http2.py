"""Faults over HTTP/2: GOAWAY keeps open streams, and a dropped connection ends all of its streams."""

import socket
from collections.abc import Iterator

import h2.config
import h2.connection
import h2.events
import pytest

from fakeapi import FakeAPI
from tests.faults.conftest import CLAIMS, claim


class Peer:
    """An HTTP/2 client over plain TCP."""

    def __init__(self, api: FakeAPI) -> None:
        self.socket = socket.create_connection(("127.0.0.1", api.port))
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True))
        self.h2.initiate_connection()
        self.socket.sendall(self.h2.data_to_send())
        self.bodies: dict[int, bytes] = {}
        self.headers: dict[int, dict[bytes, bytes]] = {}
        self.ended: set[int] = set()
        self.terminated: h2.events.ConnectionTerminated | None = None

    def ask(self, path: str) -> int:
        stream = self.h2.get_next_available_stream_id()
        head = [(":method", "GET"), (":path", path), (":scheme", "http"), (":authority", "localhost")]
        self.h2.send_headers(stream, head, end_stream=True)
        self.socket.sendall(self.h2.data_to_send())
        return stream

    def hear(self) -> bool:
        """Receives data and processes its HTTP/2 events.

        Returns False when the server has closed the connection, otherwise True.
        """
        data = self.socket.recv(65536)
        for event in self.h2.receive_data(data) if data else ():
            if isinstance(event, h2.events.DataReceived):
                stream = event.stream_id or 0
                self.bodies[stream] = self.bodies.get(stream, b"") + (event.data or b"")
            elif isinstance(event, h2.events.ResponseReceived):
                self.headers[event.stream_id or 0] = {
                    bytes(name): bytes(value) for name, value in event.headers or ()
                }
            elif isinstance(event, h2.events.StreamEnded):
                self.ended.add(event.stream_id or 0)
            elif isinstance(event, h2.events.ConnectionTerminated):
                self.terminated = event
        return bool(data)


@pytest.fixture
def peer(api: FakeAPI) -> Iterator[Peer]:
    client = Peer(api)
    yield client
    client.socket.close()


def test_goaway_lets_open_streams_end_and_then_closes(api: FakeAPI, peer: Peer) -> None:
    watch = peer.ask(f"{CLAIMS}?watch=true&resourceVersion=0")
    while watch not in peer.headers:
        peer.hear()
    api.faults.go_away("list resourceclaims")
    asked = peer.ask(CLAIMS)
    raw = b""
    while b'"items":[]' not in raw:
        raw += peer.socket.recv(65536)
    # A GOAWAY frame has type 7, 8 bytes, stream 0, the last stream's id and the code NO_ERROR. The test
    # checks the
    # bytes, because h2 would end the connection on GOAWAY.
    assert bytes([0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, asked, 0, 0, 0, 0]) in raw
    assert b"connection" not in raw
    api.create(claim())
    while b'"ADDED"' not in raw:
        raw += peer.socket.recv(65536)
    api.reset()
    while received := peer.socket.recv(65536):
        raw += received


def test_a_watch_that_goaway_comes_with_goes_on(api: FakeAPI, peer: Peer) -> None:
    fault = api.faults.go_away("watch resourceclaims")
    watch = peer.ask(f"{CLAIMS}?watch=true&resourceVersion=0")
    goaway, raw = bytes([0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, watch, 0, 0, 0, 0]), b""
    while goaway not in raw:
        raw += peer.socket.recv(65536)
    api.create(claim())
    while b'"ADDED"' not in raw:
        raw += peer.socket.recv(65536)
    assert fault.fired == 1


def test_a_dropped_connection_takes_all_its_streams(api: FakeAPI, peer: Peer) -> None:
    watch = peer.ask(f"{CLAIMS}?watch=true&resourceVersion=0")
    while watch not in peer.headers:
        peer.hear()
    api.faults.drop("list resourceclaims")
    asked = peer.ask(CLAIMS)
    while peer.hear():
        pass
    assert asked not in peer.headers
    assert watch not in peer.ended
