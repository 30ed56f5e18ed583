"""Clients that send raw bytes, for the tests of fakeapi's HTTP server."""

import asyncio
import contextlib
import http.client
import re
import socket
from collections.abc import Iterator
from pathlib import Path

from fakeapi.serving.runner import Runner

ROOT = Path(__file__).parent.parent.parent


@contextlib.contextmanager
def connected(runner: Runner) -> Iterator[http.client.HTTPConnection]:
    connection = http.client.HTTPConnection("127.0.0.1", runner.port, timeout=30)
    with contextlib.closing(connection):
        yield connection


def ask(connection: http.client.HTTPConnection, path: str, body: bytes | None = None) -> tuple[int, bytes]:
    connection.request("GET" if body is None else "POST", path, body)
    response = connection.getresponse()
    return response.status, response.read()


def raw(runner: Runner) -> socket.socket:
    return socket.create_connection(("127.0.0.1", runner.port), timeout=30)


def converse(runner: Runner, data: bytes) -> bytes:
    """Sends bytes on a new connection; returns all bytes that the server sends before it closes."""
    with raw(runner) as client:
        with contextlib.suppress(ConnectionError):
            client.sendall(data)
        return until_closed(client)


def until_closed(client: socket.socket) -> bytes:
    answer = b""
    with contextlib.suppress(ConnectionError):
        while data := client.recv(65_536):
            answer += data
    return answer


def statuses(answer: bytes) -> list[int]:
    return [int(code) for code in re.findall(rb"HTTP/1\.1 (\d+) ", answer)]


def turns(runner: Runner, count: int) -> None:
    """Waits for `count` iterations of the server's event loop, so that its other tasks can run."""

    async def turn() -> None:
        for _ in range(count):
            await asyncio.sleep(0)

    runner.call(turn)
