"""An HTTP/2 client with which tests control and see every frame."""

import contextlib
import socket
from typing import Self

import h2.config
import h2.connection
import h2.events


class Client:
    """A client's HTTP/2 connection, which collects the events of each stream.

    `reset`: the error codes of reset streams. `goodbye`: the error code of the server's GOAWAY.
    """

    def __init__(self, sock: socket.socket, *, acknowledge: bool = True, authority: str = "x") -> None:
        self.sock = sock
        self.authority = authority
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.acknowledge = acknowledge
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding="utf-8"))
        self.bodies: dict[int, bytearray] = {}
        self.statuses: dict[int, str] = {}
        self.ended: set[int] = set()
        self.reset: dict[int, int] = {}
        self.goodbye: int | None = None
        self.greeted = False
        self.closed = False
        self.h2.initiate_connection()
        self.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.sock.close()

    def begin(self, path: str, *, ended: bool = True) -> int:
        """Prepares the headers of a GET, which the next `flush` sends; returns the stream's id.

        `ended`: whether the headers end the request, so that it has no body.
        """
        stream = self.h2.get_next_available_stream_id()
        headers = [(":method", "GET"), (":path", path), (":scheme", "http"), (":authority", self.authority)]
        self.h2.send_headers(stream, headers, end_stream=ended)
        return stream

    def until_closed(self) -> None:
        """Receives data until the server closes the connection."""
        with contextlib.suppress(ConnectionError):
            while True:
                self.receive()

    def flush(self) -> None:
        self.sock.sendall(self.h2.data_to_send())

    def request(self, path: str, body: bytes | None = None, extra: tuple[tuple[str, str], ...] = ()) -> int:
        stream = self.h2.get_next_available_stream_id()
        method = "GET" if body is None else "POST"
        headers = [
            (":method", method),
            (":path", path),
            (":scheme", "http"),
            (":authority", self.authority),
            *extra,
        ]
        self.h2.send_headers(stream, headers, end_stream=body is None)
        self.flush()
        left = body or b""
        while left and not self.is_over(stream):
            room = min(self.h2.local_flow_control_window(stream), 16_384)
            if not room:
                self.receive()
                continue
            self.h2.send_data(stream, left[:room])
            left = left[room:]
            self.flush()
        if body is not None and not self.is_over(stream):
            self.h2.end_stream(stream)
            self.flush()
        return stream

    def is_over(self, stream: int) -> bool:
        return stream in self.ended or stream in self.reset

    def receive(self) -> None:
        data = self.sock.recv(65_536)
        if not data:
            self.closed = True
            raise ConnectionError("closed by the server")
        for event in self.h2.receive_data(data):
            stream = getattr(event, "stream_id", None) or 0
            if isinstance(event, h2.events.ResponseReceived):
                self.statuses[stream] = next(str(v) for k, v in event.headers or () if str(k) == ":status")
            elif isinstance(event, h2.events.DataReceived):
                self.bodies.setdefault(stream, bytearray()).extend(event.data or b"")
                if self.acknowledge:
                    self.h2.acknowledge_received_data(event.flow_controlled_length or 0, stream)
            elif isinstance(event, h2.events.StreamEnded):
                self.ended.add(stream)
            elif isinstance(event, h2.events.StreamReset):
                self.reset[stream] = int(event.error_code or 0)
            elif isinstance(event, h2.events.ConnectionTerminated):
                self.goodbye = int(event.error_code or 0)
            elif isinstance(event, h2.events.RemoteSettingsChanged):
                self.greeted = True
        self.flush()

    def answer(self, stream: int) -> tuple[str, bytes]:
        while not self.is_over(stream):
            self.receive()
        return self.statuses.get(stream, ""), bytes(self.bodies.get(stream, b""))
