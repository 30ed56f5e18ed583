"""Sends raw bytes, such as malformed requests, to an HTTP server, and reads raw responses."""

import contextlib
import json
import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

TIMEOUT_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP response. `code` is 0 if the server closed the connection without a response."""

    code: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def is_status(self) -> bool:
        """Whether the body is a Status object with the same code as the response."""
        try:
            status = self.json()
        except ValueError:
            return False
        return isinstance(status, dict) and status.get("kind") == "Status" and status["code"] == self.code


@contextlib.contextmanager
def connection(url: str) -> Iterator[socket.socket]:
    parts = urlsplit(url)
    with socket.create_connection((parts.hostname or "", parts.port or 80), TIMEOUT_SECONDS) as plain:
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if parts.scheme == "https":
            context = ssl._create_unverified_context()
            with context.wrap_socket(plain) as secure:
                yield secure
        else:
            yield plain


def head(method: bytes, target: bytes, headers: list[tuple[bytes, bytes]]) -> bytes:
    lines = [b"%b %b HTTP/1.1" % (method, target), *(b"%b: %b" % header for header in headers)]
    return b"\r\n".join((*lines, b"", b""))


def exchange(url: str, data: bytes, *, without_body: bool = False) -> Answer:
    """Sends bytes on a new connection; reads and returns one response.

    The server may close the connection before it has read all bytes. `without_body`: whether the request is a
    HEAD, so that the response has no body.
    """
    with connection(url) as sock:
        with contextlib.suppress(ConnectionError):
            sock.sendall(data)
        return read_answer(sock, without_body=without_body)


def read_answer(sock: socket.socket, *, without_body: bool = False) -> Answer:
    reader = sock.makefile("rb")
    try:
        code, headers = read_head(reader)
        if not code:
            return Answer(0, {}, b"")
        return Answer(code, headers, b"" if without_body else _read_body(reader, headers))
    except ConnectionError:
        return Answer(0, {}, b"")


def read_head(reader: Any) -> tuple[int, dict[str, str]]:
    line = reader.readline()
    while line.startswith(b"HTTP/1.1 100"):
        reader.readline()
        line = reader.readline()
    if not line:
        return 0, {}
    code = int(line.split()[1])
    headers: dict[str, str] = {}
    while (line := reader.readline()) not in (b"\r\n", b"\n", b""):
        name, _, value = line.decode("latin-1").partition(":")
        headers.setdefault(name.strip().lower(), value.strip())
    return code, headers


def _read_body(reader: Any, headers: dict[str, str]) -> bytes:
    if headers.get("transfer-encoding") == "chunked":
        chunks = []
        while size := int(reader.readline(), 16):
            chunks.append(reader.read(size))
            reader.readline()
        return b"".join(chunks)
    length = headers.get("content-length")
    body: bytes = reader.read() if length is None else reader.read(int(length))
    return body
