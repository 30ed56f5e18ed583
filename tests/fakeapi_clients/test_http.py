"""The HTTP client of replays reads bodies of every framing, and raises one-line errors for invalid HTTP."""

import asyncio
import contextlib
import socket
from collections.abc import Iterator

import pytest

from fakeapi import FakeAPI
from fakeapi.clients import http
from fakeapi.clients.http import HttpClient
from fakeapi.clients.messages import Response
from fakeapi.clients.target import TargetError, target_of_url
from tests.http.small_servers import raw_server


@contextlib.contextmanager
def answering(*answers: bytes, keep: bool = False) -> Iterator[str]:
    """Runs a server that sends one response on each connection; yields its URL.

    `answers`: the responses in the order of the connections. `keep`: whether connections stay open
    afterwards.
    """
    left = iter(answers)

    def respond(connection: socket.socket) -> None:
        connection.recv(1 << 16)
        connection.sendall(next(left))
        if not keep:
            connection.close()

    with raw_server(respond) as url:
        yield url


def ask(url: str, times: int = 1, timeout: float = 5.0, method: str = "GET") -> Response:
    async def main() -> Response:
        client = HttpClient(target_of_url(url), timeout=timeout)
        try:
            for _ in range(times - 1):
                await client.send(method, "/x")
            return await client.send(method, "/x")
        finally:
            await client.close()

    return asyncio.run(main())


@pytest.mark.parametrize(
    ("answer", "body"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", b"ok"),
        (
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;x=y\r\no\r\n1\r\nk\r\n0\r\na: b\r\n\r\n",
            b"ok",
        ),
        (b"HTTP/1.1 200 OK\r\n\r\nok", b"ok"),
        (b"HTTP/1.0 200 OK\r\n\r\nok", b"ok"),
        (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", b"ok"),
        (b"HTTP/1.1 204 No Content\r\n\r\n", b""),
    ],
)
def test_answers_of_each_framing_are_read(answer: bytes, body: bytes) -> None:
    with answering(answer) as url:
        assert ask(url).body == body


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (b"", "closed the connection without a response"),
        (b"SSH-2.0-OpenSSH\r\n", "response that is not HTTP: b'SSH-2.0"),
        (b"HTTP/1.1 abc\r\n\r\n", "response that is not HTTP"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok", "in the middle of a response"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n", "sends 999999999999 bytes"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "illegal chunk header"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nok", "in the middle of a response"),
        (b"HTTP/1.1 200 OK\r\nx: " + b"y" * http.HEAD_MAX + b"\r\n" * 5, None),
    ],
)
def test_what_is_no_answer_is_one_line(answer: bytes, message: str | None) -> None:
    with answering(answer) as url:
        if message is None:
            assert ask(url).status == 200
            return
        with pytest.raises(TargetError, match=r".") as raised:
            ask(url)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_head_without_an_end_is_refused() -> None:
    endless = b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * http.HEAD_MAX
    with answering(endless) as url, pytest.raises(TargetError, match="response that is not HTTP"):
        ask(url)


def test_a_server_that_is_down_is_told_of() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(TargetError, match=f"cannot connect to http://127.0.0.1:{port}: Connection refused"):
        ask(f"http://127.0.0.1:{port}")


def test_a_server_that_says_nothing_is_not_waited_for_for_ever() -> None:
    with answering(b"HTTP/1.1 200", keep=True) as url, pytest.raises(TargetError, match="no answer within"):
        ask(url, timeout=0.05)


def test_a_kept_connection_that_was_closed_meanwhile_is_opened_again() -> None:
    whole = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    with answering(whole, whole, whole) as url:
        assert ask(url, times=3).body == b"ok"


def test_plain_http_behind_an_https_url_is_told_of() -> None:
    with answering(b"HTTP/1.1 400 Bad Request\r\n\r\n") as url, pytest.raises(TargetError, match="TLS"):
        ask(url.replace("http", "https"))


def test_a_certificate_of_an_unknown_authority_is_refused() -> None:
    refusal = r"^the certificate of .+ is not trusted: "
    with FakeAPI(tls=True) as api, pytest.raises(TargetError, match=refusal):
        ask(api.url)


def test_a_server_is_held_back_while_nobody_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "UNREAD_MAX", 1000)
    most = 0
    receive = http._Connection.data_received

    def received(connection: http._Connection, data: bytes) -> None:
        nonlocal most
        assert not connection._paused, "nothing comes while reading is paused"
        receive(connection, data)
        most = max(most, len(connection._unread))

    monkeypatch.setattr(http._Connection, "data_received", received)
    body = b"x" * 3_000_000
    with answering(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body) as url:
        assert ask(url).body == body
    assert most < len(body), "the rest waited outside"


def test_no_more_connections_are_open_than_a_client_may_have() -> None:
    async def main(url: str) -> tuple[int, int]:
        client = HttpClient(target_of_url(url), connections=2)
        begun = http._Connection.ask
        now = most = 0

        async def ask_counted(connection: http._Connection, *arguments: object) -> Response:
            nonlocal now, most
            now += 1
            most = max(most, now)
            try:
                return await begun(connection, *arguments)  # type: ignore[arg-type]
            finally:
                now -= 1

        http._Connection.ask = ask_counted  # type: ignore[method-assign, assignment]
        try:
            answers = await asyncio.gather(*(client.send("GET", "/version") for _ in range(10)))
        finally:
            http._Connection.ask = begun  # type: ignore[method-assign]
            await client.close()
        return most, sum(answer.status == 200 for answer in answers)

    with FakeAPI() as api:
        assert asyncio.run(main(api.url)) == (2, 10)
