"""PostingClient: sends POST requests to webhooks over HTTP/1.1, with asyncio and h11.

The client reuses connections. If a reused connection ends before the first byte of a response, the client
sends the request again on another connection, like Go's net/http. Error messages equal the messages of
net/http.
"""

import asyncio
import ssl
from collections import deque
from typing import Any

import h11

from fakeapi.outbound.certificates import client_context
from fakeapi.outbound.dialing import Place, connected, place_of
from fakeapi.registry.webhooks.transport import TOO_LATE, Answer, Endpoint, Unreachable, answer_limit

CALLS_MAX = 256
"""Maximum number of parallel requests. Further requests wait, and the wait counts for their timeouts."""

IDLE_MAX = 8
"""Maximum number of idle connections to each endpoint. Further connections are closed after a response."""

PLACES_MAX = 16
"""Maximum number of endpoints with idle connections.

Before the client keeps a connection to a further endpoint, it closes all idle connections.
"""

CONTEXTS_MAX = 200
"""Maximum number of TLS contexts in the cache, one for each set of CA certificates; as in client-go."""

HEAD_MAX = 1 << 20
"""Maximum size in bytes of a response's headers, including 1xx responses, as in net/http."""

EVENTS_IN_A_TURN = 200
"""Number of h11 events that one task reads before other tasks of the event loop can run."""

_PIECE = 1 << 16


class _Gone(Exception):
    """Raised if a connection ends before the first byte of a response."""


class _Connection:
    """A connection to one endpoint, for one request at a time."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=HEAD_MAX)
        self._parsed = 0

    @property
    def is_usable(self) -> bool:
        closed = self._reader.at_eof() or self._writer.is_closing()
        return not closed and self._http.our_state is h11.IDLE

    def close(self) -> None:
        self._writer.transport.abort()

    async def ask(self, host: str, target: str, body: bytes) -> tuple[int, str]:
        """Sends a POST request with a JSON body; returns the status and the Content-Type of the response.

        - `host`: the value of the header Host.
        - `target`: the path and query of the URL.

        Raises _Gone if the connection ends before the first byte of a response. Raises Unreachable if the
        response is invalid or its headers exceed HEAD_MAX.
        """
        headers = [
            ("Host", host),
            ("User-Agent", "kube-apiserver-admission"),
            ("Content-Length", str(len(body))),
            ("Accept", "application/json, */*"),
            ("Content-Type", "application/json"),
        ]
        request = self._http.send(h11.Request(method="POST", target=target, headers=headers)) or b""
        request += self._http.send(h11.Data(data=body)) or b""
        try:
            self._writer.write(request + (self._http.send(h11.EndOfMessage()) or b""))
            head = await self._head()
        except OSError as error:  # ssl.SSLError is an OSError
            raise _Gone from error
        types = (value.decode("latin-1") for name, value in head.headers if name == b"content-type")
        return head.status_code, next(types, "")

    async def _head(self) -> h11.Response:
        received = 0
        while True:
            try:
                event = await self._next_event()
            except h11.RemoteProtocolError as error:
                if not received:
                    raise _Gone from error
                raise Unreachable(f"net/http: HTTP/1.x transport connection broken: {error}") from error
            if isinstance(event, h11.Response):
                return event
            if event is h11.NEED_DATA:
                if received > HEAD_MAX:
                    raise Unreachable(f"net/http: server response headers exceeded {HEAD_MAX} bytes; aborted")
                data = await self._reader.read(_PIECE)
                if not data and not received:
                    raise _Gone
                received += len(data)
                self._http.receive_data(data)

    async def body(self, limit: int) -> tuple[bytes, str]:
        """Reads the body of the response; returns the body and an error message.

        The message is "" if the body is complete. If the body is incomplete, or longer than `limit` bytes,
        the returned body is b"".
        """
        body = bytearray()
        try:
            while not isinstance(event := await self._next_event(), h11.EndOfMessage):
                if event is h11.NEED_DATA:
                    self._http.receive_data(await self._reader.read(_PIECE))
                elif isinstance(event, h11.Data):
                    body += event.data
                    if len(body) > limit:
                        return b"", f"the body is longer than {limit} bytes"
        except (h11.RemoteProtocolError, OSError):
            return b"", "unexpected EOF"
        if self._http.our_state is self._http.their_state is h11.DONE:
            self._http.start_next_cycle()
        return bytes(body), ""

    async def _next_event(self) -> Any:
        """Returns the next h11 event. Raises h11.RemoteProtocolError if the response violates HTTP/1.1.

        After every EVENTS_IN_A_TURN events, lets other tasks run first.
        """
        self._parsed += 1
        if self._parsed % EVENTS_IN_A_TURN == 0:
            await asyncio.sleep(0)
        return self._http.next_event()


class PostingClient:
    """A client for the webhooks of one API server. All calls must come from one event loop."""

    def __init__(self) -> None:
        self._idle: dict[Place, deque[_Connection]] = {}
        self._contexts: dict[bytes, ssl.SSLContext] = {}
        self._free = asyncio.Semaphore(CALLS_MAX)

    async def post(self, endpoint: Endpoint, target: str, body: bytes, seconds: float) -> Answer:
        """Sends a POST request with a JSON body; returns the response.

        - `target`: the path and query of the URL.
        - `seconds`: the timeout, which includes the wait for a free connection.

        If the body of the response is incomplete or too long, the result has a `problem`. Raises Unreachable
        if no valid response arrives in time, and BadAuthority if the endpoint's CA certificates cannot be
        parsed.
        """
        place, host = place_of(endpoint)
        context = self._context(place.authority) if place.scheme == "https" else None
        until = asyncio.get_running_loop().time() + seconds
        try:
            async with asyncio.timeout_at(until):
                await self._free.acquire()
        except TimeoutError:
            raise Unreachable(TOO_LATE) from None
        try:
            return await self._answer(place, context, (host, target, body), until)
        finally:
            self._free.release()

    def close(self) -> None:
        for kept in self._idle.values():
            while kept:
                kept.pop().close()
        self._idle.clear()

    async def _answer(
        self, place: Place, context: ssl.SSLContext | None, request: tuple[str, str, bytes], until: float
    ) -> Answer:
        connection: _Connection | None = None
        try:
            async with asyncio.timeout_at(until):
                connection, status, content_type = await self._asked(place, context, request)
        except TimeoutError:
            raise Unreachable(TOO_LATE) from None
        try:
            async with asyncio.timeout_at(until):
                body, problem = await connection.body(answer_limit(len(request[2])))
        except TimeoutError:
            body, problem = b"", TOO_LATE
        except BaseException:
            connection.close()
            raise
        self._keep(place, connection, is_whole=not problem)
        return Answer(status, content_type, body, problem)

    async def _asked(
        self, place: Place, context: ssl.SSLContext | None, request: tuple[str, str, bytes]
    ) -> tuple[_Connection, int, str]:
        """Sends a request on a reused or new connection.

        Returns the connection, and the status and Content-Type of the response. `request`: the Host header,
        the target and the body. Raises Unreachable if no valid response arrives.
        """
        while True:
            kept = self._kept(place)
            connection = kept or _Connection(*await connected(place, context))
            try:
                return connection, *await connection.ask(*request)
            except _Gone:
                connection.close()
                if kept is None:
                    raise Unreachable("EOF") from None
            except BaseException:
                connection.close()
                raise

    def _kept(self, place: Place) -> _Connection | None:
        kept = self._idle.get(place)
        while kept:
            connection = kept.pop()
            if connection.is_usable:
                return connection
            connection.close()
        return None

    def _keep(self, place: Place, connection: _Connection, *, is_whole: bool) -> None:
        if place not in self._idle and len(self._idle) >= PLACES_MAX:
            self.close()
        kept = self._idle.setdefault(place, deque())
        if is_whole and connection.is_usable and len(kept) < IDLE_MAX:
            kept.append(connection)
        else:
            connection.close()

    def _context(self, authority: bytes) -> ssl.SSLContext:
        if authority not in self._contexts:
            if len(self._contexts) >= CONTEXTS_MAX:
                self._contexts.clear()
                self.close()
            self._contexts[authority] = client_context(authority)
        return self._contexts[authority]
