"""Unread response bytes are limited: long responses wait, and the server drops clients that do not read."""

import asyncio
import contextlib
import socket

import h2.errors
import pytest

from fakeapi.serving.response_bytes import CONNECTION_BYTES_MAX, ConnectionBytes, ResponseBytes
from fakeapi.serving.runner import Runner
from tests.serving.asking import ask, connected, raw, statuses, turns, until_closed
from tests.serving.h2client import Client
from tests.serving.stub import Stub

BOUNDS = "fakeapi.serving.response_bytes"
LONG = 16 * 1024 * 1024
"""The size of a response in bytes. The kernel's socket buffers are smaller, so an unread response waits."""


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sets the server's limits so that it can have the unread bytes of only one long response.

    Sets the timeouts for unread responses to ten minutes, so that they do not expire during a test.
    """
    monkeypatch.setattr(f"{BOUNDS}.SERVER_BYTES_MAX", LONG)
    monkeypatch.setattr(f"{BOUNDS}.CONNECTION_BYTES_MAX", LONG)
    monkeypatch.setattr(f"{BOUNDS}.STALLED_SECONDS", 600.0)
    monkeypatch.setattr(f"{BOUNDS}.ROOM_SECONDS", 600.0)


def get(runner: Runner, path: str) -> socket.socket:
    """Sends a GET on a new connection; returns the socket without reading the response."""
    client = raw(runner)
    client.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
    return client


def test_a_long_answer_waits_until_others_have_been_read(runner: Runner, stub: Stub, narrow: None) -> None:
    with get(runner, f"/long/{LONG}") as first:
        stub.wait_for(lambda: stub.made == 1)
        with get(runner, f"/long/{LONG}") as second:
            stub.wait_for(lambda: stub.calls.count("asked for room") == 2)
            turns(runner, 100)
            assert stub.made == 1
            with connected(runner) as other:
                assert ask(other, "/constant")[0] == 200
            assert received(first) > LONG
            assert received(second) > LONG


def test_a_long_answer_waits_for_room_for_a_time_only(
    runner: Runner, stub: Stub, narrow: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{BOUNDS}.ROOM_SECONDS", 0.01)
    with get(runner, f"/long/{LONG}"):
        stub.wait_for(lambda: stub.made == 1)
        with get(runner, f"/long/{LONG}") as second:
            assert statuses(until_closed(second)) == [429]


def test_requests_behind_one_that_gives_up_get_the_room_at_once(narrow: None) -> None:
    async def main() -> None:
        server = ResponseBytes(asyncio.get_running_loop().time)
        first, large, small = (ConnectionBytes(server, lambda: None) for _ in range(3))
        first.add(LONG - 10)
        waiting = asyncio.create_task(server.wait(large, 100, None))
        await asyncio.sleep(0)
        behind = asyncio.create_task(server.wait(small, 10, None))
        await asyncio.sleep(0)
        assert not behind.done()
        waiting.cancel()
        await asyncio.wait_for(behind, 10)

    asyncio.run(main())


def test_a_client_that_reads_nothing_is_dropped_where_others_wait_for_room(
    runner: Runner, stub: Stub, narrow: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{BOUNDS}.STALLED_SECONDS", 0.0)
    with get(runner, f"/long/{LONG}") as first:
        stub.wait_for(lambda: stub.made == 1)
        turns(runner, 10)
        with get(runner, f"/long/{LONG}") as second:
            assert received(second) > LONG
        assert received(first) < LONG


def test_the_connection_with_the_most_unread_bytes_is_dropped_at_twice_the_limit(
    runner: Runner, stub: Stub, narrow: None
) -> None:
    with get(runner, f"/whole/{LONG}") as first:
        stub.wait_for(lambda: stub.calls == ["startup", "whole"])
        turns(runner, 10)
        with get(runner, f"/whole/{2 * LONG}") as second:
            assert received(second) < 2 * LONG
        assert received(first) > LONG


def test_an_answer_alone_may_be_longer_than_all_limits(runner: Runner, narrow: None) -> None:
    with get(runner, f"/long/{3 * LONG}") as client:
        assert received(client) > 3 * LONG


def test_requests_wait_while_their_connection_has_too_many_unread_bytes(
    runner: Runner, stub: Stub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{BOUNDS}.CONNECTION_BYTES_MAX", 10_000)
    with Client(raw(runner), acknowledge=False) as client:
        whole = client.request("/whole/100000")
        while len(client.bodies.get(whole, b"")) < 65_535:
            client.receive()
        constant = client.request("/whole/1")
        turns(runner, 100)
        with connected(runner) as other:
            assert ask(other, "/constant")[0] == 200
        assert stub.calls.count("whole") == 1
        client.acknowledge = True
        client.h2.increment_flow_control_window(100_000)
        client.h2.increment_flow_control_window(100_000, whole)
        client.flush()
        assert client.answer(constant)[0] == "200"


def test_a_get_that_waits_is_not_served_once_its_client_has_left(
    runner: Runner, stub: Stub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{BOUNDS}.CONNECTION_BYTES_MAX", 10_000)
    with Client(raw(runner), acknowledge=False) as client:
        whole = client.request("/whole/100000")
        while len(client.bodies.get(whole, b"")) < 65_535:
            client.receive()
        client.request("/stuck")
        turns(runner, 100)
    all_connections_end(runner)
    assert stub.calls == ["startup", "whole"]


def test_the_requests_of_a_closed_connection_reserve_no_room() -> None:
    async def run() -> None:
        server = ResponseBytes(lambda: 0.0)
        account, other = ConnectionBytes(server, lambda: None), ConnectionBytes(server, lambda: None)
        for each in (account, other):
            each.add(CONNECTION_BYTES_MAX)
        requests = [asyncio.create_task(reserve(account)) for _ in range(3)]
        await asyncio.sleep(0)
        account.close()
        await asyncio.gather(*requests)
        assert server.total == CONNECTION_BYTES_MAX, "the bytes of the other connection"

    async def reserve(account: ConnectionBytes) -> None:
        async with account.room(CONNECTION_BYTES_MAX):
            assert account.closed

    asyncio.run(run())


@pytest.mark.parametrize("protocol", ["HTTP/1.1", "HTTP/2"])
def test_a_request_learns_that_its_client_has_left(runner: Runner, stub: Stub, protocol: str) -> None:
    if protocol == "HTTP/2":
        with Client(raw(runner)) as client:
            client.request("/gone")
            stub.wait_for(lambda: "waiting" in stub.calls)
    else:
        with get(runner, "/gone"):
            stub.wait_for(lambda: "waiting" in stub.calls)
    stub.wait_for(lambda: "gone" in stub.calls)


def test_an_http1_client_that_reads_nothing_for_long_is_dropped(
    runner: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fakeapi.serving.connection.HEAD_SECONDS", 0.05)
    monkeypatch.setattr("fakeapi.serving.connection.UNREAD_SECONDS", 0.1)
    with get(runner, f"/whole/{LONG}") as client:
        all_connections_end(runner)
        assert received(client) < LONG


def test_an_http2_response_that_is_not_read_for_long_is_reset_alone(
    runner: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fakeapi.serving.connection.HEAD_SECONDS", 0.05)
    monkeypatch.setattr("fakeapi.serving.http2.UNREAD_SECONDS", 0.1)
    with Client(raw(runner), acknowledge=False) as client:
        whole = client.request("/whole/100000")
        while not client.is_over(whole):
            client.receive()
        assert client.reset[whole] == h2.errors.ErrorCodes.CANCEL
        client.h2.increment_flow_control_window(65_535)
        client.flush()
        assert client.answer(client.request("/constant"))[0] == "200"


def test_a_connection_that_is_to_close_waits_for_its_client_for_a_time_only(
    runner: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fakeapi.serving.connection.CLOSE_SECONDS", 0.01)
    with get(runner, "/stalled"):
        all_connections_end(runner)


def received(client: socket.socket) -> int:
    """Counts the bytes that the server sends until it closes the connection."""
    count = 0
    with contextlib.suppress(ConnectionError):
        while data := client.recv(1 << 20):
            count += len(data)
    return count


def all_connections_end(runner: Runner) -> None:
    """Waits until the server has no open connections."""

    async def wait() -> None:
        assert runner._listener is not None
        while tasks := runner._listener._tasks:
            await asyncio.wait(tasks)

    runner.call(wait)
