"""An HTTP/1.1 client on asyncio that costs little: requests are sent as recorded, answers are bytes.

It asks one server, over connections that are kept. What it reads: bodies of a known length, chunked ones, and
those that end with their connection.
"""

import asyncio
import contextlib
import os
import socket
import ssl
from collections import deque
from collections.abc import AsyncIterator, Iterable
from urllib.parse import urlsplit

from fakeapi.traces.client.upstream import Upstream, UpstreamError
from fakeapi.traces.model import Headers, Response

CONNECTIONS = 16
CONNECT_SECONDS = 10.0
ANSWER_SECONDS = 70.0
"""For a whole answer; kube-apiserver gives up after 60."""

HEAD_MAX = 1 << 18
BODY_MAX = 1 << 28
"""Bytes of an answer's head, of its body and of a watch's line; beyond, it is no answer of an API server."""

_STREAM_PAUSE = 1 << 20
"""Bytes of a watch that may wait to be read; the server is held back then."""


class TargetError(Exception):
    """The server that is asked is not there, or does not answer HTTP as an API server does; one line."""


class _Closed(Exception):
    """A kept connection ended before the first byte of an answer: the request may be sent once more."""


class HttpClient:
    """Sends requests to one server over up to `connections` connections; watches have their own.

    Every method raises TargetError.
    """

    def __init__(
        self, target: Upstream, connections: int = CONNECTIONS, timeout: float = ANSWER_SECONDS
    ) -> None:
        parts = urlsplit(target.url)
        self.url = target.url
        self._host = parts.hostname or ""
        self._port = parts.port or (443 if parts.scheme == "https" else 80)
        self._tls = target.tls
        self._server_name = target.server_name
        self._prefix = parts.path.rstrip("/")
        self._fixed = f"Host: {parts.netloc.rpartition('@')[2]}\r\n"
        try:
            authorization = target.authorization()
        except UpstreamError as error:
            raise TargetError(str(error)) from error
        if authorization:
            self._fixed += f"Authorization: {authorization}\r\n"
        self._timeout = timeout
        self._idle: deque[_Connection] = deque()
        self._free = asyncio.Semaphore(connections)

    async def send(self, method: str, target: str, headers: Headers = (), body: bytes = b"") -> Response:
        """The answer to one request."""
        data = self.encode(method, target, headers, body)
        async with self._free:
            while True:
                connection, kept = await self._connection()
                try:
                    response = await connection.ask(data, self._timeout, head=method == "HEAD")
                except _Closed:
                    connection.close()
                    if kept:
                        continue
                    raise TargetError(f"{self.url} closed the connection without an answer") from None
                except BaseException:
                    connection.close()
                    raise
                if connection.usable:
                    self._idle.append(connection)
                return response

    async def watch(self, target: str, headers: Headers = ()) -> "Stream":
        """Opens a watch; returns when the answer's head is there."""
        connection = await self._connect()
        try:
            return await connection.open_stream(self.encode("GET", target, headers, b""), self._timeout)
        except _Closed:
            connection.close()
            raise TargetError(f"{self.url} closed the connection without an answer") from None
        except BaseException:
            connection.close()
            raise

    def encode(self, method: str, target: str, headers: Headers, body: bytes) -> bytes:
        """The bytes of a request."""
        lines = [f"{method} {self._prefix}{target} HTTP/1.1\r\n{self._fixed}"]
        lines += [f"{name}: {value}\r\n" for name, value in headers]
        if body or method in {"POST", "PUT", "PATCH"}:
            lines.append(f"Content-Length: {len(body)}\r\n")
        lines.append("\r\n")
        return "".join(lines).encode("utf-8", "surrogateescape") + body

    async def close(self) -> None:
        while self._idle:
            self._idle.pop().close()
        await asyncio.sleep(0)

    async def _connection(self) -> "tuple[_Connection, bool]":
        while self._idle:
            connection = self._idle.pop()
            if connection.usable:
                return connection, True
            connection.close()
        return await self._connect(), False

    async def _connect(self) -> "_Connection":
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                _, connection = await loop.create_connection(
                    lambda: _Connection(self.url),
                    self._host,
                    self._port,
                    ssl=self._tls,
                    server_hostname=self._server_name if self._tls else None,
                )
        except TimeoutError as error:
            raise TargetError(f"{self.url} does not answer within {CONNECT_SECONDS:.0f} s") from error
        except ssl.SSLError as error:
            raise TargetError(
                f"{self.url} does not speak TLS as expected: {error.reason or error}"
            ) from error
        except OSError as error:
            raise TargetError(f"cannot connect to {self.url}: {_reason(error)}") from error
        return connection


def _reason(error: OSError) -> str:
    if isinstance(error, socket.gaierror) or not error.errno:
        return error.strerror or str(error)
    return os.strerror(error.errno)


class Stream:
    """The lines of an answer as they come. `status` and `headers` are there from the start."""

    def __init__(self, connection: "_Connection", status: int, headers: Headers) -> None:
        self.status = status
        self.headers = headers
        self._connection = connection

    async def lines(self) -> AsyncIterator[bytes]:
        """Each line without its newline, until the server ends the stream; what is left over comes last."""
        rest = b""
        async for data in self._connection.pieces():
            *whole, rest = (rest + data).split(b"\n")
            for line in whole:
                yield line
            if len(rest) > BODY_MAX:
                raise TargetError("a watch answers a line that does not end")
        if rest:
            yield rest

    async def body(self) -> bytes:
        return b"".join([data async for data in self._connection.pieces()])

    def close(self) -> None:
        self._connection.close()


class _Connection(asyncio.Protocol):
    """One connection; one request at a time."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._transport: asyncio.Transport | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._buffer = bytearray()
        self._ended = False
        self._failure: Exception | None = None
        self._reusable = True
        self._paused = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if len(self._buffer) > _STREAM_PAUSE and not self._paused and self._transport is not None:
            self._paused = True
            self._transport.pause_reading()
        self._wake()

    def eof_received(self) -> None:
        self._ended = True
        self._wake()

    def connection_lost(self, exc: Exception | None) -> None:
        self._ended = True
        self._failure = exc
        self._wake()

    def _wake(self) -> None:
        waiter, self._waiter = self._waiter, None
        if waiter is not None and not waiter.done():
            waiter.set_result(None)

    @property
    def usable(self) -> bool:
        return self._reusable and not self._ended and not self._buffer

    def close(self) -> None:
        self._reusable = False
        if self._transport is not None:
            self._transport.abort()

    async def ask(self, data: bytes, timeout: float, *, head: bool) -> Response:  # noqa: ASYNC109 - cheaper once, outside
        assert self._transport is not None
        self._transport.write(data)
        loop = asyncio.get_running_loop()
        guard = loop.call_later(timeout, self._time_is_over, timeout)
        try:
            status, headers = await self._head()
            if head or status in {204, 304}:
                return Response(status, headers)
            length = _value(headers, "content-length")
            if length.isdecimal():
                return Response(status, headers, await self._exactly(int(length)))
            pieces = [piece async for piece in self._pieces(headers)]
            return Response(status, headers, b"".join(pieces))
        finally:
            guard.cancel()

    def _time_is_over(self, timeout: float) -> None:
        self._failure = TimeoutError(f"no answer within {timeout:.0f} s")
        self._ended = True
        self._wake()

    async def open_stream(self, data: bytes, timeout: float) -> Stream:  # noqa: ASYNC109 - as above
        assert self._transport is not None
        self._transport.write(data)
        guard = asyncio.get_running_loop().call_later(timeout, self._time_is_over, timeout)
        try:
            status, headers = await self._head()
        finally:
            guard.cancel()
        self._headers = headers
        return Stream(self, status, headers)

    def pieces(self) -> AsyncIterator[bytes]:
        """The body of an opened stream, piece by piece."""
        return self._pieces(self._headers)

    async def _head(self) -> tuple[int, Headers]:
        while (end := self._buffer.find(b"\r\n\r\n")) < 0:
            if len(self._buffer) > HEAD_MAX or not b"HTTP/1.".startswith(self._buffer[:7]):
                raise self._garbage()
            await self._more(start=True)
        text = self._take(end + 4)[:-4].decode("latin-1")
        first, *lines = text.split("\r\n")
        version, _, rest = first.partition(" ")
        code = rest[:3]
        if version not in {"HTTP/1.1", "HTTP/1.0"} or not code.isdecimal():
            raise TargetError(f"{self._url} answers what is not HTTP: {first[:80]!r}")
        if code[0] == "1" and code != "101":
            return await self._head()
        pairs = (line.partition(":") for line in lines)
        headers = tuple((name.lower(), value.strip()) for name, _, value in pairs)
        if version == "HTTP/1.0" or _value(headers, "connection").lower() == "close":
            self._reusable = False
        return int(code), headers

    def _garbage(self) -> TargetError:
        return TargetError(f"{self._url} answers what is not HTTP: {bytes(self._buffer[:80])!r}")

    def _take(self, size: int) -> bytes:
        data = bytes(self._buffer[:size])
        del self._buffer[:size]
        if self._paused and len(self._buffer) <= _STREAM_PAUSE and self._transport is not None:
            self._paused = False
            self._transport.resume_reading()
        return data

    async def _more(self, *, start: bool = False) -> None:
        if self._ended:
            if isinstance(self._failure, TimeoutError):
                raise TargetError(f"{self._url}: {self._failure}")
            if start and not self._buffer:
                raise _Closed
            raise TargetError(f"{self._url} closed the connection in the middle of an answer")
        if self._paused and self._transport is not None:
            self._paused = False
            self._transport.resume_reading()
        self._waiter = asyncio.get_running_loop().create_future()
        await self._waiter

    async def _exactly(self, size: int) -> bytes:
        if size > BODY_MAX:
            raise TargetError(f"{self._url} answers {size} bytes")
        while len(self._buffer) < size:
            await self._more()
        return self._take(size)

    async def _line(self) -> bytes:
        while (end := self._buffer.find(b"\r\n")) < 0:
            if len(self._buffer) > HEAD_MAX:
                raise TargetError(f"{self._url} answers chunks that are none")
            await self._more()
        return self._take(end + 2)[:-2]

    async def _pieces(self, headers: Headers) -> AsyncIterator[bytes]:
        length = _value(headers, "content-length")
        if length.isdecimal():
            yield await self._exactly(int(length))
        elif "chunked" in _value(headers, "transfer-encoding").lower():
            while size := self._size(await self._line()):
                yield await self._exactly(size)
                await self._line()
            while await self._line():
                pass
        else:
            self._reusable = False
            with contextlib.suppress(_Closed):
                while True:
                    if self._buffer:
                        yield self._take(len(self._buffer))
                    await self._more(start=True)

    def _size(self, line: bytes) -> int:
        try:
            return int(line.partition(b";")[0], 16)
        except ValueError:
            raise TargetError(f"{self._url} answers chunks that are none: {line[:40]!r}") from None


def _value(headers: Iterable[tuple[str, str]], name: str) -> str:
    for key, value in headers:
        if key == name:
            return value
    return ""
