"""HTTP/1.1 connections: llhttp and h11 parse the requests, and an Exchange calls the application.

The behaviour towards clients follows Go's net/http.
"""

import asyncio
from typing import TYPE_CHECKING

from fakeapi.serving.http1_exchange import Exchange
from fakeapi.serving.http1_reader import ENDED, Preface, RequestReader, Started
from fakeapi.serving.http1_writer import ResponseWriter
from fakeapi.serving.request_head import (
    BAD_REQUEST,
    REQUEST_TIMEOUT,
    UNSUPPORTED_VERSION,
    Headers,
    Refusal,
    RequestHead,
)
from fakeapi.serving.streams import Streams
from fakeapi.serving.tasks import ConnectionTasks
from fakeapi.serving.wire import Wire

if TYPE_CHECKING:
    from fakeapi.serving.http1_websocket import WebSocket

PIPELINED_BYTES = 64 * 1024
"""Maximum number of bytes of pipelined requests that wait for the running request to end.

At the limit, the server stops reading. The server then notices a disconnect only after the running request.
"""

DISCARDED_BYTES = 256 * 1024
"""Maximum number of body bytes that the server drops after an early response, as in Go's net/http.

If the client sends more bytes, the server closes the connection.
"""

EVENTS_IN_A_TURN = 200
"""Maximum number of parser events before the event loop runs other tasks, even in a flood of requests."""

REASONS = {
    101: b"Switching Protocols",
    200: b"OK",
    201: b"Created",
    202: b"Accepted",
    204: b"No Content",
    304: b"Not Modified",
    400: b"Bad Request",
    401: b"Unauthorized",
    403: b"Forbidden",
    404: b"Not Found",
    405: b"Method Not Allowed",
    406: b"Not Acceptable",
    408: b"Request Timeout",
    409: b"Conflict",
    410: b"Gone",
    413: b"Request Entity Too Large",
    415: b"Unsupported Media Type",
    417: b"Expectation Failed",
    422: b"Unprocessable Entity",
    429: b"Too Many Requests",
    431: b"Request Header Fields Too Large",
    500: b"Internal Server Error",
    501: b"Not Implemented",
    502: b"Bad Gateway",
    503: b"Service Unavailable",
    504: b"Gateway Timeout",
    505: b"HTTP Version Not Supported",
}
"""The reason phrases of Go's net/http by status code. Clients display or compare these phrases."""

PREFACE_LINE = b"PRI * HTTP/2.0\r\n\r\n"

JOINED_BYTES = 64 * 1024
"""Maximum size, in bytes, of a body part that the server copies, to send it in one write with the head."""


class HTTP2Preface(Exception):
    """Raised if a connection starts with the HTTP/2 preface. `data`: all bytes received so far."""

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self.data = data


class HTTP1:
    """Serves the requests of one HTTP/1.1 connection, one after the other.

    Ignores requests to upgrade to h2c. Continues to read while a request runs, so that the server notices a
    disconnect. Stops reading only while more than PIPELINED_BYTES of pipelined requests wait.
    """

    def __init__(self, wire: Wire, streams: Streams, tasks: ConnectionTasks) -> None:
        self._wire = wire
        self._streams = streams
        self._tasks = tasks
        self._loop = asyncio.get_running_loop()
        self._reader = RequestReader()
        self._response = ResponseWriter(http_1_0=False, is_head=False, closes=False)
        self._stream: Exchange | WebSocket | None = None
        self._head: RequestHead | None = None
        self._unsent_head = b""
        self._to_discard = DISCARDED_BYTES
        self._parsing = False
        self._pipelined = False
        self._served = False
        self._refused = False
        self._resumed = asyncio.Event()

    @property
    def unsent(self) -> bool:
        return False  # all unsent bytes are in the buffer of the connection

    def check_time(self, now: float) -> None: ...

    async def give_up(self) -> None:
        """Ends a connection whose client exceeded a deadline.

        Sends 408 for a late body, and 400 for a late head. Without a started request, closes the connection
        without a response.
        """
        if self._head is not None:
            await self.refuse(REQUEST_TIMEOUT)
        elif self._reader.waiting:
            await self.refuse(BAD_REQUEST)
        else:
            self._wire.close()

    async def initiate(self) -> None: ...

    async def receive(self, data: bytes) -> None:
        """Handles received bytes; waits while the limit of pipelined bytes is exceeded.

        Raises HTTP2Preface if the connection starts with the HTTP/2 preface.
        """
        if self._stream is not None and not isinstance(self._stream, Exchange):
            await self._stream.take_data(data)
            return
        self._reader.feed(data)
        await self._parse()
        while self._pipelined and self._reader.waiting > PIPELINED_BYTES:
            self._resumed.clear()
            await self._resumed.wait()

    async def end(self) -> None:
        """Ends the running request, after the connection has ended."""
        self._pipelined = False
        self._resumed.set()
        await self._end_stream()

    async def refuse(self, refusal: Refusal) -> None:
        """Sends an error response and closes the connection.

        Sends no error response if the application has already started its response.
        """
        if self._head is None or not self._response.started:
            headers = [
                (b"content-type", b"text/plain; charset=utf-8"),
                (b"content-length", b"%d" % len(refusal.body)),
            ]
            response = ResponseWriter(http_1_0=False, is_head=False, closes=True)
            head = response.start(refusal.status, refusal.phrase, self._with_date(headers))
            await self._write(head, refusal.body)
        self._refused = True
        self._wire.close_after_reading()

    async def _parse(self) -> None:
        """Parses the received bytes and handles the parsed events, until the parser needs more bytes."""
        if self._parsing:
            return  # the call that is running handles the new bytes
        self._parsing = True
        parsed = 0
        try:
            while await self._parse_event():
                parsed += 1
                if parsed % EVENTS_IN_A_TURN == 0:
                    await asyncio.sleep(0)
        finally:
            self._parsing = False

    async def _parse_event(self) -> bool:
        """Handles one event of the parser.

        Returns False if the request was refused, if the parser needs more bytes, or if the request is
        complete. Raises HTTP2Preface if the connection starts with the HTTP/2 preface.
        """
        event = self._reader.next()
        if isinstance(event, Started):
            await self._begin(event)
        elif isinstance(event, bytes):
            await self._take_body(event)
        elif event is ENDED:
            await self._end_body()
        elif isinstance(event, Refusal):
            await self.refuse(event)
            return False
        elif isinstance(event, Preface):
            if not self._served:
                raise HTTP2Preface(PREFACE_LINE + event.rest)
            await self.refuse(UNSUPPORTED_VERSION)
            return False
        else:
            waiting = self._reader.waiting > 0
            self._pipelined = waiting and self._reader.complete
            if waiting and self._head is None:
                self._wire.expect_rest_of_head()
            return False
        return True

    async def _begin(self, request: Started) -> None:
        self._to_discard = DISCARDED_BYTES
        self._head = head = request.head
        http_1_0 = request.version == "1.0"
        self._response = ResponseWriter(http_1_0=http_1_0, is_head=head.method == b"HEAD", closes=head.closes)
        if head.has_body:
            self._wire.expect_body()
        else:
            self._wire.expect_nothing()
        self._stream = stream = self._websocket() if head.is_websocket else Exchange(self)
        if request.asks:
            await self._write(b"HTTP/1.1 100 Continue\r\n\r\n")
        await stream.start(self._streams, self._tasks, head, request.version)

    def _websocket(self) -> "WebSocket":
        from fakeapi.serving.http1_websocket import WebSocket  # noqa: PLC0415 - imports hypercorn and wsproto

        return WebSocket(self)

    async def _end_body(self) -> None:
        if self._head is not None and self._head.has_body:
            self._wire.expect_nothing()
        if self._stream is not None:
            await self._stream.end_body()
        else:
            await self._finish_exchange()

    async def _take_body(self, data: bytes) -> None:
        if self._stream is not None:
            await self._stream.take_body(data)
            return
        self._to_discard -= len(data)
        if self._to_discard < 0:
            self._wire.close_after_reading()

    async def answer_head(self, status: int, headers: Headers) -> None:
        if self._refused:
            await asyncio.sleep(0)  # the client already has an error response
        else:
            await self._send_head(status, headers)

    async def answer_body(self, data: bytes, *, is_last: bool) -> None:
        if self._refused:
            await asyncio.sleep(0)
        elif is_last:
            data = self._response.data(data)
            await self._write(data, self._response.end())
        else:
            await self._write(self._response.data(data))

    def write_now(self, data: bytes) -> bool:
        if self._refused or not self._wire.writes_at_once:
            return False
        self._write_unsent_head()
        self._wire.write_soon(self._response.data(data))
        return True

    async def answer_data(self, data: bytes) -> None:
        """Writes the bytes of WebSocket frames."""
        await (asyncio.sleep(0) if self._refused else self._write(data))

    async def answered(self) -> None:
        if self._refused:
            await asyncio.sleep(0)
            return
        await self._end_stream()
        await self._finish_exchange()

    def end_connection(self) -> None:
        """Closes the connection of a WebSocket.

        The client has LINGER_SECONDS to respond to the close frame.
        """
        if not self._refused:
            self._wire.close_after_reading()

    @property
    def closes(self) -> bool:
        """Whether the server closes the connection after this response."""
        return self._response.closes

    async def _send_head(self, status: int, headers: Headers) -> None:
        if status < 200:
            await self._switch(status, headers)
            return
        head = self._head
        if head is not None and head.content_length > DISCARDED_BYTES and not self._reader.complete:
            self._response.closes = True
        self._unsent_head = self._response.start(status, REASONS.get(status, b""), self._with_date(headers))
        self._loop.call_soon(self._write_unsent_head)  # this does nothing if `_write` sent the head

    async def _switch(self, status: int, headers: Headers) -> None:
        """Sends the response 101.

        Passes bytes that the client sent right after its request to the WebSocket.
        """
        self._response.closes = False
        await self._write(self._response.start(status, REASONS.get(status, b""), self._with_date(headers)))
        early = self._reader.rest()
        if early and self._stream is not None and not isinstance(self._stream, Exchange):
            await self._stream.take_data(early)

    def _with_date(self, headers: Headers) -> Headers:
        return [*headers, *self._streams.dates.headers()]

    def _write_unsent_head(self) -> None:
        head, self._unsent_head = self._unsent_head, b""
        if head:
            self._wire.write_soon(head)

    async def _write(self, *parts: bytes) -> None:
        head, self._unsent_head = self._unsent_head, b""
        if len(parts[0]) > JOINED_BYTES:
            self._wire.write_soon(head)
            head = b""
        filled = [part for part in (head, *parts) if part]
        data = filled[0] if len(filled) == 1 else b"".join(filled)
        if data:
            await self._wire.write(data)

    async def _end_stream(self) -> None:
        stream, self._stream = self._stream, None
        if stream is not None:
            await stream.close()

    async def _finish_exchange(self) -> None:
        """Continues with the next request after a complete response, or closes the connection.

        If the request's body is incomplete, first waits for the rest of the body.
        """
        whole = self._response.ended and not self._response.closes and not self._wire.ending
        if whole and not self._reader.complete:
            return  # the server first reads and drops the rest of the body
        if whole:
            self._reader.next_request()
            self._head = None
            self._served = True
            self._wire.expect_request()
            if self._pipelined:
                self._pipelined = False
                self._resumed.set()
                # A new task is needed, because this code can run in the task of the previous request.
                self._tasks.spawn(self._parse)
        elif self._reader.complete and not self._pipelined:
            self._wire.close()
        else:
            self._wire.close_after_reading()
