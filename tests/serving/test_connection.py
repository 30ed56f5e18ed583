"""The server's timeouts for a client connection, and the limits on the connection's buffers."""

import asyncio
import contextlib
import logging
import socket

import h2.errors
import pytest

from fakeapi.serving.runner import Runner
from tests.serving.asking import ask, connected, raw, statuses, turns, until_closed
from tests.serving.h2client import Client
from tests.serving.stub import Stub

TURNS = 2_000
"""Number of event loop iterations. Without a limit, an application writes a body piece in each iteration."""


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fakeapi.serving.connection.HEAD_SECONDS", 0.05)
    monkeypatch.setattr("fakeapi.serving.connection.IDLE_SECONDS", 0.1)


def test_a_long_idle_connection_is_closed_and_a_busy_one_is_not(
    runner: Runner, stub: Stub, impatient: None
) -> None:
    with connected(runner) as idle, connected(runner) as busy:
        busy.request("GET", "/watch")
        watch = busy.getresponse()
        assert watch.read(6) == b"event\n"
        ask(idle, "/constant")
        assert idle.sock.recv(1) == b""
        assert stub.watching == 1


@pytest.mark.parametrize(
    ("sent", "answers"),
    [
        (b"", []),
        (b"GET /const", [400]),
        (b"GET /constant HTTP/1.1\r\nHost: x\r\nX-Long: a", [400]),
        (b"GET /constant HTTP/1.1\r\nHost: x\r\n\r\nGET /const", [200, 400]),
    ],
)
def test_a_head_that_does_not_come_to_its_end_is_given_up(
    runner: Runner, monkeypatch: pytest.MonkeyPatch, sent: bytes, answers: list[int]
) -> None:
    monkeypatch.setattr("fakeapi.serving.connection.HEAD_SECONDS", 0.1)
    with raw(runner) as client:
        client.sendall(sent)
        assert statuses(until_closed(client)) == answers


def test_a_head_that_comes_byte_by_byte_is_given_up_too(
    runner: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fakeapi.serving.connection.HEAD_SECONDS", 0.1)
    with raw(runner) as client:
        client.settimeout(0.01)
        client.sendall(b"GET /constant HTTP/1.1\r\nX: ")
        answer = b""
        for _ in range(3_000):
            with contextlib.suppress(TimeoutError, ConnectionError):
                answer = client.recv(4096)
                break
            with contextlib.suppress(ConnectionError):
                client.send(b"a")
        assert statuses(answer) == [400]


@pytest.mark.parametrize(
    "framing", [b"Content-Length: 100\r\n\r\nhalf", b"Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"]
)
def test_a_body_that_does_not_come_to_its_end_is_given_up(
    runner: Runner, stub: Stub, monkeypatch: pytest.MonkeyPatch, framing: bytes
) -> None:
    monkeypatch.setattr("fakeapi.serving.connection.HEAD_SECONDS", 0.05)
    monkeypatch.setattr("fakeapi.serving.connection.BODY_SECONDS", 0.1)
    with raw(runner) as client:
        client.sendall(b"POST /echo HTTP/1.1\r\nHost: x\r\n" + framing)
        assert statuses(until_closed(client)) == [408]


@pytest.mark.parametrize(
    "framing",
    [
        b"Content-Length: 100\r\n\r\nhalf",
        b"Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\nno chunk",
    ],
)
def test_a_request_that_was_answered_is_not_answered_again_for_its_body(
    runner: Runner, monkeypatch: pytest.MonkeyPatch, framing: bytes
) -> None:
    monkeypatch.setattr("fakeapi.serving.connection.HEAD_SECONDS", 0.05)
    monkeypatch.setattr("fakeapi.serving.connection.BODY_SECONDS", 0.1)
    with raw(runner) as client:
        head, split, body = framing.partition(b"\r\n\r\n")
        client.sendall(b"POST /early HTTP/1.1\r\nHost: x\r\n" + head + split)
        answer = client.recv(4096)
        with contextlib.suppress(ConnectionError):
            client.sendall(body)
        assert statuses(answer + until_closed(client)) == [415]


def test_a_stream_whose_body_does_not_come_to_its_end_is_reset_alone(
    runner: Runner, stub: Stub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fakeapi.serving.connection.HEAD_SECONDS", 0.05)
    monkeypatch.setattr("fakeapi.serving.http2.BODY_SECONDS", 0.1)
    with Client(raw(runner)) as client:
        watch = client.request("/watch")
        half = client.begin("/echo", ended=False)
        client.flush()
        client.answer(half)
        assert client.reset == {half: h2.errors.ErrorCodes.CANCEL}
        assert client.answer(client.request("/constant"))[0] == "200"
        assert not client.is_over(watch)


@pytest.mark.parametrize("protocol", ["HTTP/1.1", "HTTP/2"])
def test_a_send_that_waits_for_its_client_raises_when_the_client_leaves(
    runner: Runner, stub: Stub, protocol: str
) -> None:
    with raw(runner) as sock:
        if protocol == "HTTP/2":
            Client(sock, acknowledge=False).request("/flood")
        else:
            sock.sendall(b"GET /flood HTTP/1.1\r\nHost: x\r\n\r\n")
        stub.wait_for(lambda: "flooding" in stub.calls)
        sent = -1
        while sent != stub.flooded:
            sent = stub.flooded
            turns(runner, 1_000)
    stub.wait_for(lambda: "stopped" in stub.calls)
    assert stub.flooded == sent


def test_send_raises_once_the_client_has_left(runner: Runner, stub: Stub) -> None:
    with raw(runner) as client:
        client.sendall(b"GET /flood HTTP/1.1\r\nHost: x\r\n\r\n")
        client.recv(100_000)
    stub.wait_for(lambda: "stopped" in stub.calls)
    with connected(runner) as other:
        assert ask(other, "/constant")[0] == 200
    runner.call(stub.let_go)


def test_a_client_that_does_not_read_stops_its_producer(runner: Runner, stub: Stub) -> None:
    with raw(runner) as client:
        client.sendall(b"GET /flood HTTP/1.1\r\nHost: x\r\n\r\n")
        stub.wait_for(lambda: stub.flooded > 0)
        turns(runner, TURNS)
        assert stub.flooded < TURNS / 2  # half of the writes are 64 MB, which includes the kernel's buffers
        runner.call(stub.let_go)


def test_clients_that_vanish_in_the_middle_leave_nothing_behind(
    runner: Runner, stub: Stub, caplog: pytest.LogCaptureFixture
) -> None:
    parts = [
        b"",
        b"GET /const",
        b"GET /watch HTTP/1.1\r\nHost: x\r\n\r\n",
        b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{",
        b"POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0",
    ]
    at_once = b"\1\0\0\0\0\0\0\0"  # SO_LINGER of 0 seconds, which resets the connection on close
    for number, part in enumerate(parts * 10):
        client = raw(runner)
        client.sendall(part)
        if number % 7 == 0:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
        client.close()
    with connected(runner) as other:
        assert ask(other, "/constant")[0] == 200
    listener = runner._listener
    assert listener is not None
    _until_empty(runner, listener._tasks)
    assert stub.watching == 0
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


def _until_empty(runner: Runner, tasks: set[asyncio.Task[None]]) -> None:
    """Runs the event loop until all connections have ended.

    Raises AssertionError if a connection is still open after 100,000 iterations.
    """
    for _ in range(10_000):
        if not tasks:
            return
        turns(runner, 10)
    raise AssertionError(f"{len(tasks)} connections are left")


def test_the_answer_to_an_http_1_0_client_ends_with_the_connection(runner: Runner) -> None:
    with raw(runner) as client:
        client.sendall(b"GET /constant HTTP/1.0\r\n\r\n")
        assert until_closed(client).endswith(b"constant 1.0")


def test_connections_send_what_they_have_at_once(runner: Runner) -> None:
    assert runner._socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0
    with connected(runner) as client:
        ask(client, "/constant")
        listener = runner._listener
        assert listener is not None
        accepted = next(iter(listener._connections))._writer.get_extra_info("socket")
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0
