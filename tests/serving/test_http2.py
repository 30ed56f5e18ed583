"""HTTP/2 against the runner, spoken frame by frame."""

import contextlib
import socket
import ssl
import time
from collections.abc import Iterator
from typing import Self

import h2.config
import h2.connection
import h2.events
import h2.settings
import pytest

from fakeapi.serving.certificates import issue
from fakeapi.serving.runner import Runner
from tests.serving.stub import Stub


class Client:
    """One HTTP/2 connection; events are collected by stream."""

    def __init__(self, sock: socket.socket, *, acknowledge: bool = True) -> None:
        self.sock = sock
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.acknowledge = acknowledge
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding="utf-8"))
        self.bodies: dict[int, bytes] = {}
        self.statuses: dict[int, str] = {}
        self.ended: set[int] = set()
        self.reset: set[int] = set()
        self.closed = False
        self.h2.initiate_connection()
        self.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.sock.close()

    def flush(self) -> None:
        self.sock.sendall(self.h2.data_to_send())

    def request(self, path: str, body: bytes | None = None, extra: tuple[tuple[str, str], ...] = ()) -> int:
        stream = self.h2.get_next_available_stream_id()
        method = "GET" if body is None else "POST"
        headers = [(":method", method), (":path", path), (":scheme", "http"), (":authority", "x"), *extra]
        self.h2.send_headers(stream, headers, end_stream=body is None)
        self.flush()
        left = body or b""
        while left:
            while not (room := min(self.h2.local_flow_control_window(stream), 16_384)):
                self.receive()
            self.h2.send_data(stream, left[:room])
            left = left[room:]
            self.flush()
            if stream in self.ended:
                break
        if body is not None and stream not in self.ended:
            self.h2.end_stream(stream)
            self.flush()
        return stream

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
                self.bodies[stream] = self.bodies.get(stream, b"") + (event.data or b"")
                if self.acknowledge:
                    self.h2.acknowledge_received_data(event.flow_controlled_length or 0, stream)
            elif isinstance(event, h2.events.StreamEnded):
                self.ended.add(stream)
            elif isinstance(event, h2.events.StreamReset):
                self.reset.add(stream)
        self.flush()

    def answer(self, stream: int) -> tuple[str, bytes]:
        while stream not in self.ended | self.reset:
            self.receive()
        return self.statuses.get(stream, ""), self.bodies.get(stream, b"")


@pytest.fixture
def client(runner: Runner) -> Iterator[Client]:
    with Client(socket.create_connection(("127.0.0.1", runner.port), timeout=10)) as client:
        yield client


def test_http2_is_spoken_without_tls_by_prior_knowledge(client: Client) -> None:
    assert client.answer(client.request("/constant")) == ("200", b"constant 2")


def test_http2_is_negotiated_over_tls(stub: Stub) -> None:
    certificates = issue(["127.0.0.1"])
    runner = Runner(stub, tls=certificates.server)
    runner.start()
    trust = ssl.create_default_context(cadata=certificates.ca.decode())
    trust.set_alpn_protocols(["h2", "http/1.1"])
    plain = socket.create_connection(("127.0.0.1", runner.port), timeout=10)
    with Client(trust.wrap_socket(plain, server_hostname="127.0.0.1")) as client:
        assert client.answer(client.request("/constant")) == ("200", b"constant 2")
    runner.stop()


def test_a_watch_survives_thousands_of_requests_beside_it(client: Client, stub: Stub) -> None:
    watch = client.request("/watch")
    for _ in range(1_100):
        assert client.answer(client.request("/constant"))[0] == "200"
    assert client.bodies[watch] == b"event\n"
    assert stub.watching == 1


def test_hundreds_of_requests_run_at_once_on_one_connection(client: Client, stub: Stub) -> None:
    watches = [client.request("/watch") for _ in range(500)]
    while len(client.statuses) < len(watches):
        client.receive()
    assert stub.watching == 500


def test_bodies_larger_than_the_window_arrive(client: Client) -> None:
    assert client.answer(client.request("/echo", bytes(3_000_000))) == ("200", b"3000000")


def test_an_early_answer_leaves_the_rest_of_the_connection_alone(client: Client) -> None:
    watch = client.request("/watch")
    early = client.request("/early", bytes(1_000_000))
    assert client.answer(early)[0] == "415"
    assert client.answer(client.request("/constant"))[0] == "200"
    assert watch not in client.ended | client.reset


def test_large_headers_are_taken(client: Client) -> None:
    assert client.answer(client.request("/constant?labelSelector=" + "x" * 100_000))[0] == "200"


def test_a_path_that_is_not_ascii_resets_its_stream_alone(client: Client) -> None:
    stream = client.request("/constant/\N{SNOWMAN}")
    client.answer(stream)
    assert stream in client.reset
    assert client.answer(client.request("/constant"))[0] == "200"


def test_a_response_that_breaks_off_is_reset(client: Client) -> None:
    stream = client.request("/break")
    client.answer(stream)
    assert stream in client.reset
    assert client.answer(client.request("/constant"))[0] == "200"


def test_a_client_that_does_not_read_stops_its_producer(client: Client, stub: Stub) -> None:
    client.acknowledge = False
    flood = client.request("/flood")
    while len(client.bodies.get(flood, b"")) < 65_535:
        client.receive()
    before = -1
    while before != stub.flooded:
        before = stub.flooded
        time.sleep(0.1)
    assert stub.flooded < 20
    client.acknowledge = True
    client.h2.reset_stream(flood)
    client.h2.increment_flow_control_window(65_535)
    client.flush()
    while stub.flooded == before:
        time.sleep(0.001)  # the producer goes on into the void, and yields
    assert client.answer(client.request("/constant"))[0] == "200"


def test_a_stalled_client_that_leaves_lets_its_producer_go(runner: Runner, stub: Stub) -> None:
    with Client(
        socket.create_connection(("127.0.0.1", runner.port), timeout=10), acknowledge=False
    ) as client:
        flood = client.request("/flood")
        while len(client.bodies.get(flood, b"")) < 65_535:
            client.receive()
        before = stub.flooded
    while stub.flooded <= before + 10:
        time.sleep(0.001)


def test_stop_ends_watches_and_then_the_connection(stub: Stub) -> None:
    runner = Runner(stub, grace=5)
    runner.start()
    with Client(socket.create_connection(("127.0.0.1", runner.port), timeout=10)) as client:
        watch = client.request("/watch")
        while watch not in client.bodies:
            client.receive()
        started = time.perf_counter()
        runner.stop()
        assert time.perf_counter() - started < 1
        with contextlib.suppress(ConnectionError):
            assert client.answer(watch) == ("200", b"event\n")
        assert watch in client.ended


@pytest.mark.parametrize(
    "junk",
    [
        pytest.param(b"\x00\x00\x04\x01\x05\x00\x00\x00\x63\xff\xff\xff\xff", id="headers-that-are-none"),
        pytest.param(b"\x00\x00\x04\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00", id="window-of-nothing"),
    ],
)
def test_a_broken_frame_ends_its_connection_alone(runner: Runner, client: Client, junk: bytes) -> None:
    client.answer(client.request("/constant"))
    client.sock.sendall(junk)
    with pytest.raises((ConnectionError, h2.exceptions.ProtocolError)):
        client.answer(client.request("/constant"))
    with Client(socket.create_connection(("127.0.0.1", runner.port), timeout=10)) as other:
        assert other.answer(other.request("/constant"))[0] == "200"
