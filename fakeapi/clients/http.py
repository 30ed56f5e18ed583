"""HttpClient: an HTTP/1.1 client on asyncio and h11. Can send recorded requests unchanged.

The client reuses its connections. h11 checks each request before sending, so a recorded method, target or
header cannot smuggle a second request.
"""

import asyncio
import os
import socket
import ssl
from collections import deque
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit

import h11

from fakeapi.clients.errors import untrusted_text
from fakeapi.clients.lines import LineSplitter, LineTooLong
from fakeapi.clients.messages import Headers, Response, first_header
from fakeapi.clients.target import Target, TargetError

CONNECTIONS = 16
"""Default maximum number of connections of a client, without the connections of watches."""

CONNECT_SECONDS = 10.0
"""Maximum number of seconds to open a connection, with its TLS handshake."""

ANSWER_SECONDS = 70.0
"""Default maximum number of seconds for a complete response. kube-apiserver ends requests after 60 s."""

HEAD_MAX = 1 << 18
"""Maximum size, in bytes, of the status line and headers of a response; more bytes raise TargetError."""

BODY_MAX = 1 << 28
"""Maximum size, in bytes, of a response body or of a line of a watch; more bytes raise TargetError."""

UNREAD_MAX = 1 << 20
"""Number of buffered bytes per connection above which reading from the socket pauses."""

_START = b"HTTP/1."


class UnsendableRequest(Exception):
    """Raised for a request with an invalid method, target or header. The message says what is invalid."""


class _Closed(Exception):
    """Raised if a connection ends before the first byte of a response.

    If the connection was reused, the client then sends the request again on another connection.
    """


class HttpClient:
    """An HTTP/1.1 client for one server.

    - `connections`: the maximum number of connections, without the connections of watches.
    - `timeout`: the maximum number of seconds for a complete response.

    The methods `send` and `watch` raise TargetError if the server does not respond with valid HTTP. They
    raise UnsendableRequest, without sending a byte, if the request is not valid HTTP.
    """

    def __init__(
        self, target: Target, connections: int = CONNECTIONS, timeout: float = ANSWER_SECONDS
    ) -> None:
        parts = urlsplit(target.url)
        self.url = target.url
        self._host = parts.hostname or ""
        self._port = parts.port or (443 if parts.scheme == "https" else 80)
        self._tls = target.tls
        self._server_name = target.server_name
        self._prefix = parts.path.rstrip("/")
        self._fixed = [(b"Host", parts.netloc.rpartition("@")[2].encode())]
        authorization = target.authorization()
        if authorization:
            self._fixed.append((b"Authorization", authorization.encode("utf-8")))
        self._timeout = timeout
        self._idle: deque[_Connection] = deque()
        self._free = asyncio.Semaphore(connections)

    async def send(self, method: str, target: str, headers: Headers = (), body: bytes = b"") -> Response:
        """Sends a request and returns its complete response. Waits if all connections are in use.

        - `target`: the path and query. The client adds the path of the server's URL in front.
        - `headers`: the headers except Host, Authorization and Content-Length.
        """
        request = self._request(method, target, headers, body)
        async with self._free:
            while True:
                connection, kept = await self._connection()
                try:
                    response = await connection.ask(request, body, self._timeout)
                except _Closed:
                    connection.close()
                    if kept:
                        continue
                    raise TargetError(f"{self.url} closed the connection without a response") from None
                except BaseException:
                    connection.close()
                    raise
                if connection.usable:
                    self._idle.append(connection)
                else:
                    connection.close()
                return response

    async def watch(self, target: str, headers: Headers = ()) -> "Stream":
        """Sends a GET request for a watch on a new connection; returns the stream of its response.

        The method returns when the status and headers of the response have arrived.
        """
        request = self._request("GET", target, headers, b"")
        connection = await self._connect()
        try:
            return await connection.open_stream(request, self._timeout)
        except _Closed:
            connection.close()
            raise TargetError(f"{self.url} closed the connection without a response") from None
        except BaseException:
            connection.close()
            raise

    def _request(self, method: str, target: str, headers: Headers, body: bytes) -> h11.Request:
        pairs = [*self._fixed, *((name.encode(), _bytes(value)) for name, value in headers)]
        if body or method in {"POST", "PUT", "PATCH"}:
            pairs.append((b"Content-Length", b"%d" % len(body)))
        if not target.startswith("/"):  # a proxy would send `http://other/path` to another server
            raise UnsendableRequest("the target does not begin with a slash")
        try:
            return h11.Request(method=method, target=_escaped(self._prefix + target), headers=pairs)
        except (h11.LocalProtocolError, UnicodeEncodeError) as error:
            raise UnsendableRequest(str(error)) from error

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
        except ssl.SSLCertVerificationError as error:
            raise TargetError(untrusted_text(self.url, error)) from error
        except ssl.SSLError as error:
            raise TargetError(f"TLS with {self.url} fails: {error.reason or error}") from error
        except OSError as error:
            raise TargetError(f"cannot connect to {self.url}: {_reason(error)}") from error
        return connection


def _bytes(text: str) -> bytes:
    """Encodes a header value in Latin-1, or in UTF-8 if a character does not exist in Latin-1."""
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        return text.encode("utf-8")


def _escaped(target: str) -> bytes:
    """Returns a request target with its non-ASCII bytes percent-encoded."""
    if target.isascii():
        return target.encode()
    return b"".join(b"%%%02X" % byte if byte > 127 else bytes((byte,)) for byte in _bytes(target))


def _reason(error: OSError) -> str:
    if isinstance(error, socket.gaierror) or not error.errno:
        return error.strerror or str(error)
    return os.strerror(error.errno)


class Stream:
    """The response to a watch. `lines` yields its lines as they arrive."""

    def __init__(self, connection: "_Connection", status: int, headers: Headers) -> None:
        self.status = status
        self.headers = headers
        self._connection = connection

    async def lines(self) -> AsyncIterator[bytes]:
        """Yields each line without its newline, until the server ends the stream.

        If the stream does not end with a newline, the last line may be incomplete. Raises TargetError if the
        connection fails, if the stream is not valid HTTP, or if a line is longer than BODY_MAX bytes.
        """
        lines = LineSplitter(BODY_MAX)
        try:
            async for data in self._connection.pieces():
                for line in lines.feed(data):
                    yield line
        except LineTooLong as error:
            raise TargetError(f"watch: {error}") from error
        if rest := lines.rest():
            yield rest

    async def body(self) -> bytes:
        """Returns the complete body, for example of an error response.

        Raises TargetError if the body is incomplete or longer than BODY_MAX bytes.
        """
        return await self._connection.body()

    def close(self) -> None:
        self._connection.close()


class _Connection(asyncio.Protocol):
    """A connection to a server, for one request at a time."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=HEAD_MAX)
        self._transport: Any = None  # uvloop's transports do not inherit from asyncio.Transport
        self._waiter: asyncio.Future[None] | None = None
        self._unread = bytearray()
        self._ended = False
        self._failure: Exception | None = None
        self._start = b""
        self._paused = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._unread += data
        if len(self._unread) > UNREAD_MAX and not self._paused:
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
        """Whether the connection can carry another request."""
        return not self._ended and not self._unread and self._http.our_state is h11.IDLE

    def close(self) -> None:
        self._ended = True
        if self._transport is not None:
            self._transport.abort()

    async def ask(self, request: h11.Request, body: bytes, timeout: float) -> Response:  # noqa: ASYNC109 - one timer is cheaper than a context
        guard = asyncio.get_running_loop().call_later(timeout, self._time_out, timeout)
        try:
            status, headers = await self._head(request, body)
            return Response(status, headers, await self.body())
        finally:
            guard.cancel()

    async def open_stream(self, request: h11.Request, timeout: float) -> Stream:  # noqa: ASYNC109 - one timer is cheaper than a context
        guard = asyncio.get_running_loop().call_later(timeout, self._time_out, timeout)
        try:
            return Stream(self, *await self._head(request, b""))
        finally:
            guard.cancel()

    def _time_out(self, timeout: float) -> None:
        self._failure = TimeoutError(f"no answer within {timeout:.0f} s")
        self._ended = True
        self._wake()

    async def _head(self, request: h11.Request, body: bytes) -> tuple[int, Headers]:
        """Sends a request; returns the status and headers of its response.

        Raises _Closed if the connection ends before the first byte of the response. Raises TargetError if the
        response is incomplete, late, too long or not valid HTTP.
        """
        self._start = b""
        data = self._http.send(request) or b""
        if body:
            data += self._http.send(h11.Data(data=body)) or b""
        self._transport.write(data + (self._http.send(h11.EndOfMessage()) or b""))
        while True:
            event = await self._event()
            if isinstance(event, h11.Response):
                headers = tuple((name.decode(), value.decode("latin-1")) for name, value in event.headers)
                # the number in the message is short, because h11 allows at most 20 digits
                length = int(first_header(headers, "content-length") or 0)
                if length > BODY_MAX:
                    raise TargetError(f"{self._url} sends {length} bytes; the maximum is {BODY_MAX}")
                return event.status_code, headers

    async def pieces(self) -> AsyncIterator[bytes]:
        """Yields the bytes of the response body as they arrive.

        Raises TargetError if the response is incomplete, late or not valid HTTP.
        """
        while isinstance(event := await self._event(), h11.Data):
            yield bytes(event.data)
        if self._http.our_state is self._http.their_state is h11.DONE:
            self._http.start_next_cycle()

    async def body(self) -> bytes:
        """Returns the complete body.

        Raises TargetError if the body is longer than BODY_MAX bytes, incomplete, late or not valid HTTP.
        """
        parts: list[bytes] = []
        size = 0
        async for part in self.pieces():
            parts.append(part)
            size += len(part)
            if size > BODY_MAX:
                raise TargetError(f"{self._url} sent a response of more than {BODY_MAX} bytes")
        return parts[0] if len(parts) == 1 else b"".join(parts)

    async def _event(self) -> Any:
        """Waits for the next event of h11 and returns it.

        Raises _Closed if the connection ends before the first byte of a response. Raises TargetError if the
        response is incomplete, late or not valid HTTP.
        """
        try:
            while (event := self._http.next_event()) is h11.NEED_DATA:
                await self._receive()
        except h11.RemoteProtocolError as error:
            if self._ended and "closed" in str(error):
                raise TargetError(f"{self._url} closed the connection in the middle of a response") from error
            raise TargetError(f"{self._url} sent a response that is not HTTP: {error}") from error
        return event

    async def _receive(self) -> None:
        """Waits for data and passes it to h11.

        Raises _Closed if the connection ends before the first byte of a response. Raises TargetError after a
        timeout, and for data that is not an HTTP response.
        """
        while not self._unread and not self._ended:
            if self._paused:
                self._paused = False
                self._transport.resume_reading()
            self._waiter = asyncio.get_running_loop().create_future()
            await self._waiter
        if isinstance(self._failure, TimeoutError):
            raise TargetError(f"{self._url}: {self._failure}")
        if not self._unread and not self._start:
            raise _Closed
        data, self._unread = bytes(self._unread), bytearray()
        if len(self._start) < len(_START):
            self._start += data[: len(_START) - len(self._start)]
            if not _START.startswith(self._start):
                raise TargetError(f"{self._url} sent a response that is not HTTP: {data[:80]!r}")
        self._http.receive_data(data)
