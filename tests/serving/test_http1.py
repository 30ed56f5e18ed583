"""HTTP/1.1 over real sockets. Invalid requests get the responses of Go's net/http."""

import asyncio
import base64
import contextlib
import http.client
import logging
import os
import socket

import pytest
from wsproto import ConnectionType, WSConnection
from wsproto.events import (
    AcceptConnection,
    BytesMessage,
    CloseConnection,
    Event,
    Message,
    Ping,
    Pong,
    RejectConnection,
    Request,
    TextMessage,
)

from fakeapi.serving.http1 import DISCARDED_BYTES, EVENTS_IN_A_TURN, HTTP1, PIPELINED_BYTES
from fakeapi.serving.http1_reader import HEADER_BYTES
from fakeapi.serving.hypercorn_streams import WEBSOCKET_MESSAGE_BYTES
from fakeapi.serving.runner import Runner
from fakeapi.serving.streams import Dates, Streams
from fakeapi.serving.tasks import ConnectionTasks
from tests.serving.asking import ask, connected, converse, raw, statuses, turns, until_closed
from tests.serving.stub import Stub

GET = b"GET /constant HTTP/1.1\r\nHost: x\r\n\r\n"
LAST = b"GET /constant HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"


def test_a_connection_outlives_thousands_of_requests(runner: Runner) -> None:
    with connected(runner) as client:
        client.connect()
        first = client.sock
        assert all(ask(client, "/constant")[0] == 200 for _ in range(1_100))
        assert client.sock is first


def test_no_server_header_is_sent_and_the_date_is(runner: Runner) -> None:
    with connected(runner) as client:
        client.request("GET", "/constant")
        response = client.getresponse()
        response.read()
        assert "server" not in response.headers
        assert response.headers["date"].endswith(" GMT")


@pytest.mark.parametrize(
    ("path", "reason"),
    [("/constant", "OK"), ("/early", "Unsupported Media Type"), ("/fail", "Internal Server Error")],
)
def test_a_status_has_its_reason_beside_it(runner: Runner, path: str, reason: str) -> None:
    with connected(runner) as client:
        client.request("GET", path)
        assert client.getresponse().reason == reason


def test_a_failing_application_is_a_logged_500(runner: Runner, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "fakeapi.serving"), connected(runner) as client:
        assert ask(client, "/fail")[0] == 500
        assert ask(client, "/constant")[0] == 200
    assert "The application failed at GET /fail" in caplog.text


def test_a_response_that_breaks_off_is_seen_as_broken(runner: Runner) -> None:
    with connected(runner) as client, pytest.raises(http.client.HTTPException):
        ask(client, "/break")


def test_an_answer_before_the_body_was_sent_does_not_wait_for_it(runner: Runner) -> None:
    with raw(runner) as client:
        client.sendall(b"POST /early HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n")
        assert client.recv(4096).startswith(b"HTTP/1.1 415")


def test_large_bodies_arrive(runner: Runner) -> None:
    with connected(runner) as client:
        assert ask(client, "/echo", bytes(3_000_000)) == (200, b"3000000")


def test_a_body_of_many_small_chunks_arrives(runner: Runner) -> None:
    head = b"POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    answer = converse(runner, head + b"1\r\nx\r\n" * 20_000 + b"0\r\n\r\n")
    assert answer.endswith(b"20000")


class NoWire:
    """A fake connection that drops all data."""

    ending = writes_at_once = False

    async def write(self, data: bytes) -> None: ...
    def write_soon(self, data: bytes) -> None: ...
    def close(self) -> None: ...
    def close_after_reading(self) -> None: ...
    def expect_request(self) -> None: ...
    def expect_rest_of_head(self) -> None: ...
    def expect_body(self) -> None: ...
    def expect_nothing(self) -> None: ...


def test_other_clients_have_their_turns_while_small_chunks_are_parsed(stub: Stub) -> None:
    async def scenario() -> int:
        tasks = ConnectionTasks(asyncio.get_running_loop())
        http1 = HTTP1(NoWire(), Streams(stub, Dates(), False, None, None), tasks)
        chunks = b"1\r\nx\r\n" * (20 * EVENTS_IN_A_TURN) + b"0\r\n\r\n"
        head = b"POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
        parsing = asyncio.create_task(http1.receive(head + chunks))
        turns = 0
        while not parsing.done():
            await asyncio.sleep(0)
            turns += 1
        await asyncio.gather(*tasks.requests)
        return turns

    assert asyncio.run(scenario()) > 20


def test_an_early_answer_to_a_short_body_keeps_the_connection(runner: Runner) -> None:
    head = b"POST /early HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % DISCARDED_BYTES
    assert statuses(converse(runner, head + bytes(DISCARDED_BYTES) + LAST)) == [415, 200]


def test_an_early_answer_to_a_long_body_arrives_and_ends_the_connection(runner: Runner) -> None:
    head = b"POST /early HTTP/1.1\r\nHost: x\r\nContent-Length: 9000000\r\n\r\n"
    answer = converse(runner, head + bytes(9_000_000) + GET)
    assert statuses(answer) == [415]
    assert b"connection: close\r\n" in answer.lower()


def test_an_early_answer_to_a_long_chunked_body_ends_the_connection(runner: Runner) -> None:
    head = b"POST /early HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunks = (b"10000\r\n" + bytes(65_536) + b"\r\n") * 10
    assert statuses(converse(runner, head + chunks + b"0\r\n\r\n" + GET)) == [415]


def test_the_body_is_asked_for_where_the_client_waits_for_that(runner: Runner) -> None:
    head = b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n"
    with raw(runner) as client:
        client.sendall(head + b"Connection: close\r\n\r\n")
        assert client.recv(4096) == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.sendall(b"ab")
        assert statuses(until_closed(client)) == [200]


@pytest.mark.parametrize(
    ("request_line", "answer"),
    [
        (b"\x00\x01\x02", b"400 Bad Request"),
        (b"GET / FOO", b"400 Bad Request"),
        (b"GET constant HTTP/1.1", b"400 Bad Request"),
        (b"GET ?a=b HTTP/1.1", b"400 Bad Request"),
        (b"GET http://x:y/constant HTTP/1.1", b"400 Bad Request"),
        (b"GET /constant HTTP/3.7", b"505 HTTP Version Not Supported: unsupported protocol version"),
        (b"GET /constant HTTP/0.9", b"505 HTTP Version Not Supported: unsupported protocol version"),
        (b"GET /constant HTTP/2.0", b"505 HTTP Version Not Supported: unsupported protocol version"),
    ],
)
def test_what_is_no_request_is_refused_in_the_words_of_go(
    runner: Runner, request_line: bytes, answer: bytes
) -> None:
    answered = converse(runner, request_line + b"\r\nHost: x\r\n\r\n" + GET)
    assert answered.startswith(b"HTTP/1.1 " + answer + b"\r\n")
    assert answered.endswith(b"\r\n\r\n" + answer)
    assert b"connection: close\r\n" in answered.lower()


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (b"Transfer-Encoding: identity\r\n", 501),
        (b"Transfer-Encoding: chunked, identity\r\n", 501),
        (b"Transfer-Encoding: xchunked\r\n", 501),
        (b"Content-Length: 2\r\nContent-Length: 30\r\n", 400),
        (b"Content-Length: -1\r\n", 400),
        (b"Content-Length: 0x2\r\n", 400),
        (b"Content-Length: 99999999999999999999999\r\n", 400),
        (b"X : a\r\n", 400),
        (b"X(: a\r\n", 400),
        (b"X: a\0b\r\n", 400),
        (b"Host: y\r\n", 400),
        (b"Expect: miracles\r\nContent-Length: 2\r\n", 417),
    ],
)
def test_headers_that_go_refuses_are_refused(runner: Runner, headers: bytes, status: int) -> None:
    answer = converse(runner, b"POST /echo HTTP/1.1\r\nHost: x\r\n" + headers + b"\r\n{}")
    assert statuses(answer) == [status]


def test_with_two_framings_the_encoding_counts_and_the_connection_ends(runner: Runner) -> None:
    head = b"POST /scope HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\nTransfer-Encoding: chunked\r\n\r\n"
    answer = converse(runner, head + b"0\r\n\r\n" + GET)
    assert statuses(answer) == [200]
    assert b"content-length=" not in answer.partition(b"\r\n\r\n")[2]


@pytest.mark.parametrize(
    ("target", "seen"),
    [
        (b"http://other:81/scope?a=b", b"GET|/scope|a=b|host=other:81 connection=close"),
        (b"https://user:secret@other/scope", b"GET|/scope||host=other connection=close"),
        (b"/scope/#part", b"GET|/scope/#part||host=x connection=close"),
        (b"//scope", b"GET|//scope||host=x connection=close"),
    ],
)
def test_targets_are_read_as_go_reads_them(runner: Runner, target: bytes, seen: bytes) -> None:
    answer = converse(runner, b"GET %b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" % target)
    assert answer.partition(b"\r\n\r\n")[2] == seen


def test_headers_may_be_long_and_not_endless(runner: Runner) -> None:
    with connected(runner) as client:
        assert ask(client, "/constant?labelSelector=" + "x" * 100_000)[0] == 200
    line = b"a: " + b"x" * 995 + b"\r\n"
    answer = converse(runner, b"GET / HTTP/1.1\r\n" + line * (HEADER_BYTES // len(line) + 2))
    assert statuses(answer) == [431]


def test_an_upgrade_to_h2c_is_not_offered(runner: Runner) -> None:
    upgrade = {"Connection": "Upgrade, HTTP2-Settings", "Upgrade": "h2c", "HTTP2-Settings": "AAMAAABk"}
    with connected(runner) as client:
        client.request("GET", "/constant", headers=upgrade)
        assert client.getresponse().read() == b"constant 1.1"


def test_pipelined_requests_are_answered_in_their_order(runner: Runner) -> None:
    posts = b"".join(
        b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%b" % (size, b"x" * size)
        for size in range(200)
    )
    answer = converse(runner, posts + LAST)
    assert statuses(answer) == [200] * 201
    bodies = [part.partition(b"\r\n\r\n")[2] for part in answer.split(b"HTTP/1.1 200 OK")[1:]]
    assert bodies == [*(b"%d" % size for size in range(200)), b"constant 1.1"]


def test_a_preface_of_http2_after_the_first_request_is_refused(runner: Runner) -> None:
    assert statuses(converse(runner, GET + b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")) == [200, 505]


def test_a_client_that_leaves_is_told_to_the_application(runner: Runner, stub: Stub) -> None:
    with connected(runner) as client:
        client.request("GET", "/watch")
        assert client.getresponse().read(6) == b"event\n"
    stub.wait_for(lambda: stub.watching == 0)
    assert stub.disconnected.is_set()


def test_a_client_that_leaves_is_noticed_behind_a_pipelined_request(runner: Runner, stub: Stub) -> None:
    with raw(runner) as client:
        client.sendall(b"GET /watch HTTP/1.1\r\nHost: x\r\n\r\n" + GET)
        stub.wait_for(lambda: stub.watching == 1)
    stub.wait_for(lambda: stub.watching == 0)
    assert stub.disconnected.is_set()


def test_pipelined_requests_are_not_kept_without_end(runner: Runner, stub: Stub) -> None:
    with raw(runner) as client:
        client.setblocking(False)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65_536)
        client.send(b"GET /unread HTTP/1.1\r\nHost: x\r\n\r\n")
        stub.wait_for(lambda: "unread" in stub.calls)
        sent = 0
        for _ in range(1_000):
            with contextlib.suppress(BlockingIOError):
                sent += client.send(GET * 1_000)
            turns(runner, 5)
        connection = next(iter(runner._listener._connections))  # type: ignore[union-attr]
        kept = connection._protocol._reader.waiting  # type: ignore[union-attr]
        assert PIPELINED_BYTES < kept < 3 * PIPELINED_BYTES
        assert sent < 20_000_000  # the kernel's buffers take a part of the 37 MB
        runner.call(stub.let_go)
        client.settimeout(30)
        assert client.recv(4096).startswith(b"HTTP/1.1 200")


def test_a_body_that_nobody_reads_is_not_kept_without_end(runner: Runner, stub: Stub) -> None:
    with raw(runner) as client:
        client.setblocking(False)
        client.send(b"POST /unread HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\n")
        stub.wait_for(lambda: "unread" in stub.calls)
        sent = 0
        for _ in range(1_000):
            with contextlib.suppress(BlockingIOError):
                sent += client.send(bytes(100_000))
            turns(runner, 5)
        assert sent < 50_000_000
        runner.call(stub.let_go)
        client.settimeout(30)
        assert client.recv(4096).startswith(b"HTTP/1.1 200")


class WebSocket:
    """A WebSocket client. The test sends and receives single WebSocket events."""

    def __init__(
        self, sock: socket.socket, path: str = "/socket", subprotocols: tuple[str, ...] = ()
    ) -> None:
        self._sock = sock
        self._ws = WSConnection(ConnectionType.CLIENT)
        self._events: list[Event] = []
        self.send(Request(host="x", target=path, subprotocols=list(subprotocols)))

    def send(self, event: Event) -> None:
        self._sock.sendall(self._ws.send(event))

    def send_raw(self, data: bytes) -> None:
        self._sock.sendall(data)

    def event(self) -> Event:
        while not self._events:
            self._ws.receive_data(self._sock.recv(65_536) or None)
            self._events += self._ws.events()
        return self._events.pop(0)


def test_a_websocket_carries_text_and_bytes_both_ways(runner: Runner, stub: Stub) -> None:
    with raw(runner) as sock:
        client = WebSocket(sock)
        assert isinstance(client.event(), AcceptConnection)
        client.send(TextMessage(data="a" * 70_000))
        answer = client.event()
        assert isinstance(answer, Message)
        assert answer.data == "70000"
        client.send(BytesMessage(data=b"abc"))
        answer = client.event()
        assert isinstance(answer, Message)
        assert answer.data == b"cba"
        client.send(Ping(payload=b"there?"))
        assert client.event() == Pong(payload=b"there?")
        client.send(CloseConnection(code=1000))
        assert client.event() == CloseConnection(code=1000, reason="")
    stub.wait_for(lambda: "left" in stub.calls)


def test_a_websocket_takes_the_subprotocol_that_the_application_chose(runner: Runner) -> None:
    with raw(runner) as sock:
        accepted = WebSocket(sock, subprotocols=("one", "two")).event()
        assert isinstance(accepted, AcceptConnection)
        assert accepted.subprotocol == "one"


def test_a_websocket_is_closed_with_the_code_of_the_application(runner: Runner) -> None:
    with raw(runner) as sock:
        client = WebSocket(sock)
        client.event()
        client.send(TextMessage(data="close"))
        assert client.event() == CloseConnection(code=4001, reason="as asked")
        assert until_closed(sock) == b""


def test_a_websocket_whose_client_vanishes_is_told_to_the_application(runner: Runner, stub: Stub) -> None:
    with raw(runner) as sock:
        WebSocket(sock).event()
    stub.wait_for(lambda: "left" in stub.calls)
    assert stub.received[-1] == {"type": "websocket.disconnect", "code": 1006}


def test_a_websocket_message_that_is_too_long_closes_with_1009(runner: Runner) -> None:
    with raw(runner) as sock:
        client = WebSocket(sock)
        client.event()
        with contextlib.suppress(ConnectionError):
            client.send(BytesMessage(data=bytes(WEBSOCKET_MESSAGE_BYTES + 1)))
        closed = client.event()
        assert isinstance(closed, CloseConnection)
        assert closed.code == 1009


def test_a_websocket_is_not_compressed(runner: Runner) -> None:
    key = base64.b64encode(os.urandom(16))
    head = b"GET /socket HTTP/1.1\r\nHost: x\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n"
    head += b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Extensions: permessage-deflate\r\n"
    with raw(runner) as client:
        client.sendall(head + b"Sec-WebSocket-Key: " + key + b"\r\n\r\n")
        answer = client.recv(4096).lower()
    assert answer.startswith(b"http/1.1 101 switching protocols")
    assert b"sec-websocket-extensions" not in answer


def test_a_websocket_that_the_application_refuses_is_an_ordinary_answer(runner: Runner) -> None:
    with raw(runner) as sock:
        rejected = WebSocket(sock, "/unavailable").event()
        assert isinstance(rejected, RejectConnection)
        assert rejected.status_code == 503
        sock.sendall(LAST)
        assert statuses(until_closed(sock)) == [200]


@pytest.mark.parametrize(
    "headers",
    [
        b"Sec-WebSocket-Version: 12\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
        b"Sec-WebSocket-Version: 13\r\n",
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Protocol: \xff\r\n",
    ],
)
def test_a_broken_websocket_handshake_is_a_400(
    runner: Runner, headers: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    head = b"GET /socket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    assert statuses(converse(runner, head + headers + b"\r\n")) == [400]
    assert not caplog.records


def test_frames_before_the_handshake_and_broken_frames_end_their_connection_alone(
    runner: Runner, caplog: pytest.LogCaptureFixture
) -> None:
    key = b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    head = b"GET /socket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    converse(runner, head + key + b"\xff\xff\xff\xff")
    with raw(runner) as sock:
        client = WebSocket(sock)
        client.event()
        client.send_raw(b"\xff" * 100)
        until_closed(sock)
    with connected(runner) as other:
        assert ask(other, "/constant")[0] == 200
    assert not [record for record in caplog.records if record.exc_info]
