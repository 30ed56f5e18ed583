"""HTTP/1.1: h11 parses and writes, hypercorn's streams call the application, Go's net/http is the model."""

import asyncio
from typing import Any

import h11

from fakeapi.serving.hypercorn_streams import (
    Body,
    Data,
    EndBody,
    EndData,
    HTTPStream,
    Response,
    StreamClosed,
    Streams,
    WSStream,
    request_event,
)
from fakeapi.serving.request_head import (
    BAD_REQUEST,
    HEAD_TOO_LARGE,
    REQUEST_TIMEOUT,
    UNSUPPORTED_ENCODING,
    Refusal,
    RequestHead,
    read_head,
)
from fakeapi.serving.tasks import ConnectionTasks
from fakeapi.serving.wire import Wire

HEADER_BYTES = 1 << 20
"""The request line and headers, as in Go's net/http; a longer head is answered 431."""

PIPELINED_BYTES = 64 * 1024
"""Of further requests that wait behind the one at work. At the limit the connection is not read any further,
so that a client that leaves is noticed only when the request ends."""

DISCARDED_BYTES = 256 * 1024
"""Of a body that was answered before it was read, as in Go's net/http. The connection is kept if the rest is
shorter, and closed otherwise."""

EVENTS_IN_A_TURN = 200
"""Of the parser, handled in one turn of the event loop, so that a flood of small chunks or pipelined requests
leaves other clients their turns."""

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
"""As Go's net/http writes them beside the status; clients show them, and some compare them."""

_REFUSALS = {431: HEAD_TOO_LARGE, 501: UNSUPPORTED_ENCODING}

PREFACE = (b"PRI", b"*", b"2.0")
PREFACE_LINE = b"PRI * HTTP/2.0\r\n\r\n"

STREAM_ID = 1
"""Hypercorn's streams have a number; on HTTP/1.1 there is one at a time."""


class HTTP2Preface(Exception):
    """The client speaks HTTP/2 by prior knowledge; `data` is all that it has sent."""

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self.data = data


class HTTP1:
    """One connection's requests, one after the other.

    A status has its reason beside it. The upgrade to h2c is not offered: a client that asks for it is
    answered in HTTP/1.1. The connection is read while a request is at work, so that a client that leaves is
    noticed also behind pipelined requests.
    """

    def __init__(self, wire: Wire, streams: Streams, tasks: ConnectionTasks) -> None:
        self._wire = wire
        self._streams = streams
        self._tasks = tasks
        self._loop = asyncio.get_running_loop()
        self._h11 = h11.Connection(h11.SERVER, max_incomplete_event_size=HEADER_BYTES)
        self._stream: HTTPStream | WSStream | None = None
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
        return False  # all is in the connection's own buffer

    def check_time(self, now: float) -> None: ...

    async def give_up(self) -> None:
        """The client let the time pass in which it should have sent something."""
        if self._head is not None:
            await self.refuse(REQUEST_TIMEOUT)
        elif self._h11.trailing_data[0]:
            await self.refuse(BAD_REQUEST)
        else:
            self._wire.close()

    async def initiate(self) -> None: ...

    async def receive(self, data: bytes) -> None:
        """Raises HTTP2Preface where the connection begins with it."""
        if isinstance(self._stream, WSStream):
            await self._stream.handle(Data(stream_id=STREAM_ID, data=data))
            return
        self._h11.receive_data(data)
        await self._parse()
        while self._pipelined and len(self._h11.trailing_data[0]) > PIPELINED_BYTES:
            self._resumed.clear()
            await self._resumed.wait()

    async def end(self) -> None:
        """The connection is at its end: tells the application."""
        self._pipelined = False
        self._resumed.set()
        await self._end_stream()

    async def refuse(self, refusal: Refusal) -> None:
        """Answers in place of the application, and closes."""
        if self._h11.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
            headers = [
                (b"content-type", b"text/plain; charset=utf-8"),
                (b"content-length", b"%d" % len(refusal.body)),
                (b"connection", b"close"),
            ]
            response = self._response(refusal.status, refusal.phrase, headers)
            await self._write(self._encode(response), self._encode(h11.Data(data=refusal.body)))
        self._refused = True
        self._wire.close_after_reading()

    async def _parse(self) -> None:
        """Handles the bytes that have arrived; called again for pipelined requests when one is answered."""
        if self._parsing:
            return  # the call at work sees the new bytes
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
        """Handles one event of the parser; False where it needs more bytes."""
        try:
            event = self._h11.next_event()
        except h11.RemoteProtocolError as error:
            await self.refuse(_REFUSALS.get(error.error_status_hint, BAD_REQUEST))
            return False
        if isinstance(event, h11.Request):
            await self._begin(event)
        elif isinstance(event, h11.Data):
            await self._take_body(bytes(event.data))
        elif isinstance(event, h11.EndOfMessage):
            if self._head is not None and self._head.has_body:
                self._wire.expect_nothing()
            if self._stream is not None:
                await self._stream.handle(EndBody(stream_id=STREAM_ID))
            else:
                await self._finish_exchange()
        else:
            self._pipelined = event is h11.PAUSED and self._head is not None
            if event is h11.NEED_DATA and self._head is None and self._h11.trailing_data[0]:
                self._wire.expect_rest_of_head()
            return False
        return True

    async def _begin(self, request: h11.Request) -> None:
        if not self._served and (request.method, request.target, request.http_version) == PREFACE:
            raise HTTP2Preface(PREFACE_LINE + self._h11.trailing_data[0])
        self._to_discard = DISCARDED_BYTES
        head = read_head(request.method, request.target, request.http_version, list(request.headers))
        if isinstance(head, Refusal):
            await self.refuse(head)
            return
        self._head = head
        if head.has_body:
            self._wire.expect_body()
        else:
            self._wire.expect_nothing()
        make = self._streams.websocket if head.is_websocket else self._streams.http
        self._stream = stream = make(self._tasks, self._stream_send, STREAM_ID)
        if self._h11.they_are_waiting_for_100_continue:
            await self._write(self._encode(h11.InformationalResponse(status_code=100, headers=[])))
        version = request.http_version.decode("ascii")
        await stream.handle(request_event(STREAM_ID, head.method, head.target, version, head.headers))

    async def _take_body(self, data: bytes) -> None:
        if self._stream is not None:
            await self._stream.handle(Body(stream_id=STREAM_ID, data=data))
            return
        self._to_discard -= len(data)
        if self._to_discard < 0:
            self._wire.close_after_reading()

    async def _stream_send(self, event: Any) -> None:
        if self._refused:
            await asyncio.sleep(0)  # answered already; the application has not heard yet
        elif isinstance(event, Response):
            await self._send_head(event.status_code, event.headers)
        elif isinstance(event, Body):
            await self._write(self._encode(h11.Data(data=event.data)))
        elif isinstance(event, EndBody):
            await self._write(self._encode(h11.EndOfMessage()))
            if self._h11.our_state is h11.MUST_CLOSE and isinstance(self._stream, WSStream):
                self._wire.close_after_reading()  # refused by the stream itself, which says no more
        elif isinstance(event, Data):
            await self._write(event.data)
        elif isinstance(event, EndData):
            self._wire.close_after_reading()  # the client answers the close frame, or does not
        elif isinstance(event, StreamClosed):
            await self._end_stream()
            await self._finish_exchange()

    async def _send_head(self, status: int, headers: list[tuple[bytes, bytes]]) -> None:
        if status < 200:
            await self._switch(status, headers)
            return
        head = self._head
        body_is_due = self._h11.their_state is h11.SEND_BODY
        if head is not None and (head.closes or (body_is_due and head.content_length > DISCARDED_BYTES)):
            headers = [*headers, (b"connection", b"close")]
        self._unsent_head = self._encode(self._response(status, REASONS.get(status, b""), headers))
        self._loop.call_soon(self._write_unsent_head)  # with the body, if that comes at once

    async def _switch(self, status: int, headers: list[tuple[bytes, bytes]]) -> None:
        """The answer that makes the connection a WebSocket."""
        response = h11.InformationalResponse(
            status_code=status, headers=self._with_date(headers), reason=REASONS.get(status, b"")
        )
        await self._write(self._encode(response))
        early = self._h11.trailing_data[0]
        if early and self._stream is not None:
            await self._stream.handle(Data(stream_id=STREAM_ID, data=early))

    def _response(self, status: int, phrase: bytes, headers: list[tuple[bytes, bytes]]) -> h11.Response:
        return h11.Response(status_code=status, headers=self._with_date(headers), reason=phrase)

    def _with_date(self, headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        return [*headers, *self._streams.config.response_headers("h11")]

    def _encode(self, event: h11.Event) -> bytes:
        try:
            return self._h11.send(event) or b""
        except h11.LocalProtocolError:
            if self._h11.their_state is not h11.ERROR:
                raise
            return b""  # the client broke the exchange, and was told

    def _write_unsent_head(self) -> None:
        head, self._unsent_head = self._unsent_head, b""
        if head:
            self._wire.write_soon(head)

    async def _write(self, *parts: bytes) -> None:
        head, self._unsent_head = self._unsent_head, b""
        if data := b"".join((head, *parts)):
            await self._wire.write(data)

    async def _end_stream(self) -> None:
        stream, self._stream = self._stream, None
        if stream is not None:
            await stream.handle(StreamClosed(stream_id=STREAM_ID))

    async def _finish_exchange(self) -> None:
        """Goes on to the next request once both sides are done; closes where that cannot be."""
        ours, theirs = self._h11.our_state, self._h11.their_state
        if ours is h11.DONE and theirs is h11.SEND_BODY and not self._wire.ending:
            return  # the rest of the body is read and dropped
        if ours is h11.DONE and theirs is h11.DONE and not self._wire.ending:
            self._h11.start_next_cycle()
            self._head = None
            self._served = True
            self._wire.expect_request()
            if self._pipelined:
                self._pipelined = False
                self._resumed.set()
                self._tasks.spawn(self._parse)  # not here: this may be the task of the last request
        elif theirs is h11.DONE and not self._pipelined:
            self._wire.close()
        else:
            self._wire.close_after_reading()
