"""A client of WebSockets for tests."""

import contextlib
import json
import socket
from collections.abc import Iterator
from typing import Any

from wsproto import ConnectionType, WSConnection
from wsproto.events import (
    BytesMessage,
    CloseConnection,
    Event,
    RejectConnection,
    RejectData,
    Request,
    TextMessage,
)

from fakeapi.testing.server import FakeAPI


class Client:
    """A WebSocket client over a plain socket. The test gets every WebSocket message."""

    def __init__(
        self, sock: socket.socket, target: str, protocols: list[str], host: str = "localhost"
    ) -> None:
        self._sock = sock
        self._connection = WSConnection(ConnectionType.CLIENT)
        self._events: Iterator[Event] = iter(())
        self._write(Request(host=host, target=target, subprotocols=protocols))

    def next(self) -> Event:
        for event in self._events:
            return event
        data = self._sock.recv(65_536)
        self._connection.receive_data(data or None)
        self._events = self._connection.events()
        return self.next()

    def event(self) -> dict[str, Any]:
        """Reads and returns the next watch event. Joins the messages of a long event."""
        text = ""
        while True:
            message = self.next()
            assert isinstance(message, TextMessage), message
            text += message.data
            if message.message_finished:
                decoded: dict[str, Any] = json.loads(text)
                return decoded

    def refusal(self) -> tuple[int, Any]:
        """Reads a response that refuses the upgrade to WebSocket; returns status code and decoded body."""
        rejected, body = self.next(), b""
        assert isinstance(rejected, RejectConnection), rejected
        while True:
            data = self.next()
            assert isinstance(data, RejectData), data
            body += data.data
            if data.body_finished:
                return rejected.status_code, json.loads(body)

    def say(self, text: str) -> None:
        self._write(TextMessage(text))

    def send(self, data: bytes) -> None:
        self._write(BytesMessage(data))

    def close(self) -> None:
        self._write(CloseConnection(1000))

    def _write(self, event: Event) -> None:
        self._sock.sendall(self._connection.send(event))


@contextlib.contextmanager
def connected(server: FakeAPI, target: str, *protocols: str) -> Iterator[Client]:
    with socket.create_connection(("127.0.0.1", server.port), 30) as sock:
        yield Client(sock, target, list(protocols))
