"""kubectl forwards ports through SPDY/3.1 in a WebSocket."""

import zlib
from collections.abc import Iterator

import pytest

from fakeapi import FakeAPI
from fakeapi.http.connections import spdy, tunnel
from fakeapi.http.connections.session import INPUTS_MAX
from fakeapi.http.connections.spdy import DICTIONARY, FrameReader, FrameWriter, HeaderReader, SpdyError
from tests.http.connections.pods import POD, create_pod, message_of
from tests.http.websocket_client import Client, connected


@pytest.fixture
def api() -> Iterator[FakeAPI]:
    with FakeAPI(release="1.37", controllers="kubelet") as server:
        server.settle()
        yield server


def header_block(*pairs: tuple[str, str]) -> bytes:
    texts = [text for pair in pairs for text in pair]
    parts = [len(text).to_bytes(4, "big") + text.encode() for text in texts]
    return len(pairs).to_bytes(4, "big") + b"".join(parts)


def control(kind: int, body: bytes, flags: int = 0) -> bytes:
    return (
        ((1 << 31) | (3 << 16) | kind).to_bytes(4, "big")
        + bytes((flags,))
        + len(body).to_bytes(3, "big")
        + body
    )


class Tunnel:
    """The client's side of a tunnel, which opens streams."""

    def __init__(self, session: Client) -> None:
        self.session = session
        session.next()
        self._zlib = zlib.compressobj(zdict=DICTIONARY)
        self._frames = FrameReader()
        self._waiting: list[spdy.Frame] = []

    def open(self, stream: int, kind: str, request: int, port: str, flags: int = 0) -> None:
        block = header_block(("streamType", kind), ("requestID", str(request)), ("port", port))
        packed = self._zlib.compress(block) + self._zlib.flush(zlib.Z_SYNC_FLUSH)
        self.session.send(control(spdy.SYN_STREAM, stream.to_bytes(4, "big") + bytes(6) + packed, flags))

    def open_pair(self, stream: int, port: str = "80") -> None:
        self.open(stream, "error", stream, port, spdy.FIN)
        self.open(stream + 2, "data", stream, port)
        assert [(frame.type, frame.stream) for frame in (self.next(), self.next())] == [
            (spdy.SYN_REPLY, stream),
            (spdy.SYN_REPLY, stream + 2),
        ]

    def next(self) -> spdy.Frame:
        while not self._waiting:
            self._waiting += self._frames.feed(message_of(self.session))
        return self._waiting.pop(0)


@pytest.fixture
def opened(api: FakeAPI) -> Iterator[Tunnel]:
    api.containers.behave(ports=lambda port, data: b"%d:" % port + data)
    create_pod(api)
    with connected(api, f"{POD}/portforward", tunnel.PROTOCOL) as session:
        yield Tunnel(session)


def test_each_pair_of_streams_is_a_connection(opened: Tunnel) -> None:
    for stream, port in ((1, "80"), (5, "443")):
        opened.open_pair(stream, port)
        opened.session.send(FrameWriter.data(stream + 2, b"x"))
        reply = opened.next()
        assert (reply.type, reply.stream, reply.data) == (None, stream + 2, f"{port}:x".encode())


def test_a_connection_ends_after_the_last_bytes_of_the_client(opened: Tunnel) -> None:
    opened.open_pair(1)
    opened.session.send(FrameWriter.data(3, b"x", is_last=True))
    assert opened.next().data == b"80:x"
    ends = [opened.next() for _ in range(2)]
    assert [(end.stream, end.flags, end.data) for end in ends] == [(3, spdy.FIN, b""), (1, spdy.FIN, b"")]


def test_a_port_without_a_listener_is_reported_on_the_error_stream(api: FakeAPI) -> None:
    create_pod(api)
    with connected(api, f"{POD}/portforward", tunnel.PROTOCOL) as session:
        client = Tunnel(session)
        client.open_pair(1, "x")
        error = client.next()
        assert (error.stream, error.data) == (
            1,
            b"error forwarding port 0: connect: connection refused: nothing listens on port 0",
        )


def test_pings_are_answered(opened: Tunnel) -> None:
    opened.session.send(FrameWriter.ping(7))
    frame = opened.next()
    assert (frame.type, frame.stream) == (spdy.PING, 7)


def test_too_many_streams_are_reset(opened: Tunnel) -> None:
    for number in range(tunnel.STREAMS_MAX):
        opened.open(2 * number + 1, "error", number, "80")
        assert opened.next().type == spdy.SYN_REPLY
    opened.open(9999, "error", 9999, "80")
    assert opened.next().type == spdy.RST_STREAM


@pytest.mark.parametrize(
    "data",
    [
        control(spdy.SYN_STREAM, bytes(20)),
        b"\x00\x00\x00\x01\x00\xff\xff\xff",
        control(spdy.GOAWAY, bytes(8)),
    ],
)
def test_a_session_ends_after_bytes_that_are_not_valid(opened: Tunnel, data: bytes) -> None:
    opened.session.send(data)
    assert opened.session.next().code == 1000  # type: ignore[attr-defined] # a CloseConnection


def test_long_frames_and_headers_are_refused() -> None:
    with pytest.raises(SpdyError, match="a frame of 16777215 bytes"):
        list(FrameReader().feed(b"\x80\x03\x00\x01\x00\xff\xff\xff"))
    packer = zlib.compressobj(zdict=DICTIONARY)
    block = header_block(("a", "x" * 10 * spdy.HEADER_BYTES_MAX))
    packed = packer.compress(block) + packer.flush(zlib.Z_SYNC_FLUSH)
    with pytest.raises(SpdyError, match="headers of more than 16384 bytes"):
        HeaderReader().read(packed)


def test_a_client_that_sends_more_than_a_port_reads_has_to_wait(opened: Tunnel) -> None:
    opened.open_pair(1)
    for _ in range(4 * INPUTS_MAX):
        opened.session.send(FrameWriter.data(3, b"x"))
    assert [opened.next().data for _ in range(4 * INPUTS_MAX)] == [b"80:x"] * 4 * INPUTS_MAX
