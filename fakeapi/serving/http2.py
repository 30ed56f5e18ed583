"""HTTP/2 connections: h2 parses and encodes frames, hypercorn's HTTPStream calls the application.

The behaviour towards clients follows Go's net/http.
"""

import asyncio
import struct
from collections.abc import Callable, Iterable
from typing import Any

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions
import h2.settings
import hpack

from fakeapi.asgi import Send
from fakeapi.serving.http1_reader import HEADER_BYTES
from fakeapi.serving.http2_output import Output
from fakeapi.serving.hypercorn_streams import (
    Body,
    EndBody,
    HTTPStream,
    Response,
    StreamClosed,
    http_stream,
    request_event,
)
from fakeapi.serving.rate import Allowance
from fakeapi.serving.response_bytes import UNREAD_SECONDS, ConnectionBytes
from fakeapi.serving.streams import Streams
from fakeapi.serving.tasks import UNREAD_BYTES, ConnectionTasks
from fakeapi.serving.wire import BODY_SECONDS, Wire

STREAMS = 1_000
"""Maximum number of concurrent requests on one connection.

The server refuses more requests with REFUSED_STREAM.
"""

CONNECTION_WINDOW = 16 * UNREAD_BYTES
"""Number of body bytes that a client can send on one connection before the application reads them."""

RESETS = 1_000
"""Maximum number of streams that a client can reset, or cause the server to reset, in a burst.

The next reset ends the connection with GOAWAY and ENHANCE_YOUR_CALM, as in Go's net/http (CVE-2023-39325,
CVE-2025-8671).
"""

RESETS_PER_SECOND = 200.0
"""Maximum average number of stream resets per second that one client can cause."""

PARSED_BYTES = 8 * 1024
"""Maximum number of bytes to parse before other tasks can run, even in a flood of small frames."""

GOAWAY = ">xHBBIII"
"""The `struct` format of a GOAWAY frame: frame header, last stream and error code (RFC 9113, 6.8)."""

_BLANK = b" \t"

_OF_A_FAILURE = [(b"content-length", b"0"), (b"connection", b"close")]
"""The headers of hypercorn's response if the application failed. HTTP2 ignores their `connection: close`."""

Pairs = list[tuple[bytes, bytes]]


class AnnouncedSettings(h2.settings.Settings):
    """The HTTP/2 settings that the server announces.

    The class HTTP2 itself enforces the maximum number of streams, and refuses further streams. h2 would close
    the whole connection, with all its watches, instead of refusing one stream.
    """

    def __init__(self) -> None:
        codes = h2.settings.SettingCodes
        super().__init__(
            client=False,
            initial_values={
                codes.MAX_CONCURRENT_STREAMS: STREAMS,
                codes.MAX_HEADER_LIST_SIZE: HEADER_BYTES,
                codes.INITIAL_WINDOW_SIZE: UNREAD_BYTES,
            },
        )

    @property
    def max_concurrent_streams(self) -> int:
        return 2**31 - 1

    @max_concurrent_streams.setter
    def max_concurrent_streams(self, value: int) -> None:
        self[h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS] = value


class TrimmingDecoder(hpack.Decoder):
    """Decodes headers to bytes, and removes spaces and tabs around their values.

    Go's net/http accepts such values from clients, for example a User-Agent that ends in a space. h2 would
    close the whole connection.
    """

    def decode(self, data: bytes, raw: bool = True) -> Iterable[hpack.HeaderTuple]:  # noqa: FBT001, FBT002 - of hpack
        headers = list(super().decode(data, raw=True))
        if all(value == value.strip(_BLANK) for _, value in headers):
            return headers
        return [hpack.HeaderTuple(name, value.strip(_BLANK)) for name, value in headers]


class RequestTask:
    """Starts the application for one HTTP/2 stream.

    `on_read`: called with the number of body bytes that the application has received, or that were dropped
    because the application has ended.
    """

    def __init__(self, tasks: ConnectionTasks, on_read: Callable[[int], None]) -> None:
        self._tasks = tasks
        self._on_read = on_read

    async def spawn_app(self, app: Any, config: Any, scope: Any, send: Send) -> Send:
        return await self._tasks.spawn_app(app, config, scope, send, self._on_read)


class HTTP2:
    """Serves the concurrent requests of one HTTP/2 connection.

    An error in one stream does not affect the connection's other streams.
    """

    def __init__(self, wire: Wire, streams: Streams, tasks: ConnectionTasks, unread: ConnectionBytes) -> None:
        self._wire = wire
        self._make = streams
        self._tasks = tasks
        self._streams: dict[int, HTTPStream] = {}
        self._bodies_due: dict[int, float] = {}
        self._loop = asyncio.get_running_loop()
        self._resets = Allowance(RESETS, RESETS_PER_SECOND, self._loop.time)
        self._closed = False
        self._going_away = False
        self._last_stream = 0
        config = h2.config.H2Configuration(client_side=False, header_encoding=None)
        self._h2 = h2.connection.H2Connection(config)
        self._h2.local_settings = AnnouncedSettings()
        self._h2.decoder = TrimmingDecoder()
        self._h2.decoder.max_header_list_size = HEADER_BYTES  # the decoder of h2 has its own limit
        self._output = Output(self._h2, wire, unread, self._response_is_out)

    @property
    def unsent(self) -> bool:
        return self._output.pending

    def check_time(self, now: float) -> None:
        """Resets streams whose client is too slow to send the request body or to read the response.

        `now`: the current time on the clock of the event loop.
        """
        for stream_id in self._output.stalled(now - UNREAD_SECONDS):
            self._tasks.spawn(self._reset_stream, stream_id)
        for stream_id in [s for s, since in self._bodies_due.items() if now - since >= BODY_SECONDS]:
            self._tasks.spawn(self._give_up_stream, stream_id)

    async def _give_up_stream(self, stream_id: int) -> None:
        if self._bodies_due.pop(stream_id, None) is None:
            return  # the body has been completed in the meantime
        await self._reset_stream(stream_id)

    async def _reset_stream(self, stream_id: int) -> None:
        self._output.reset(stream_id, h2.errors.ErrorCodes.CANCEL)
        await self._end_stream(stream_id)
        self._rest_if_idle()

    async def give_up(self) -> None:
        """Closes the connection, because the client exceeded its deadline for the next request."""
        await self._close()

    async def initiate(self) -> None:
        self._h2.initiate_connection()
        self._h2.increment_flow_control_window(CONNECTION_WINDOW - 65_535)
        self._tasks.spawn(self._output.run)
        self._output.wake()

    async def receive(self, data: bytes) -> None:
        for start in range(0, len(data), PARSED_BYTES):
            if start:
                await asyncio.sleep(0)
            if self._closed:
                return
            await self._receive(data[start : start + PARSED_BYTES])

    async def _receive(self, data: bytes) -> None:
        try:
            events = self._h2.receive_data(data)
        except h2.exceptions.ProtocolError:
            await self._close()
            return
        gone = {event.stream_id or 0 for event in events if isinstance(event, h2.events.StreamReset)}
        for event in events:
            if self._closed:
                return
            await self._handle(event, gone)
        self._output.wake()

    async def _handle(self, event: h2.events.Event, gone: set[int]) -> None:
        if isinstance(event, h2.events.RequestReceived):
            if event.stream_id not in gone:
                await self._begin(
                    event.stream_id or 0, [(bytes(n), bytes(v)) for n, v in event.headers or ()]
                )
        elif isinstance(event, h2.events.DataReceived):
            await self._take_body(event.stream_id or 0, event.data or b"", event.flow_controlled_length or 0)
        elif isinstance(event, h2.events.StreamEnded):
            self._bodies_due.pop(event.stream_id or 0, None)
            if (stream := self._streams.get(event.stream_id or 0)) is not None:
                await stream.handle(EndBody(stream_id=stream.stream_id))
        elif isinstance(event, h2.events.StreamReset):
            self._bodies_due.pop(event.stream_id or 0, None)
            await self._end_stream(event.stream_id or 0)
            self._output.drop(event.stream_id or 0)
            self._rest_if_idle()
            await self._count_reset()
        elif isinstance(event, h2.events.WindowUpdated):
            self._output.window_opened(event.stream_id or 0)
        elif isinstance(event, h2.events.RemoteSettingsChanged):
            self._output.window_opened(0)
            self._rest_if_idle()
        elif isinstance(event, h2.events.ConnectionTerminated):
            await self._close()

    async def _begin(self, stream_id: int, headers: Pairs) -> None:
        fields = dict(headers)
        method, target = fields.get(b":method", b""), fields.get(b":path", b"")
        if not _is_target(method, target):
            await self._break_off(stream_id, h2.errors.ErrorCodes.PROTOCOL_ERROR)
        elif self._wire.ending or self._going_away or self._output.count >= STREAMS:
            await self._break_off(stream_id, h2.errors.ErrorCodes.REFUSED_STREAM)
        else:
            self._wire.expect_nothing()
            self._last_stream = stream_id
            self._output.open(stream_id)
            self._bodies_due[stream_id] = self._loop.time()
            task = RequestTask(self._tasks, lambda count: self._acknowledge(stream_id, count))
            stream = http_stream(self._make, task, self._stream_send, stream_id)
            self._streams[stream_id] = stream
            await stream.handle(request_event(stream_id, method, target, "2", _http1_headers(headers)))

    async def _break_off(self, stream_id: int, code: h2.errors.ErrorCodes) -> None:
        self._h2.reset_stream(stream_id, code)
        await self._count_reset()

    async def _count_reset(self) -> None:
        if not self._resets.take():
            self._h2.close_connection(h2.errors.ErrorCodes.ENHANCE_YOUR_CALM)
            await self._close()

    async def _take_body(self, stream_id: int, data: bytes, counted: int) -> None:
        stream = self._streams.get(stream_id)
        if stream is None:  # this is the rest of a body after an early response
            self._acknowledge(stream_id, counted)
            return
        self._acknowledge(stream_id, counted - len(data))  # the application does not receive the padding
        if data:
            await stream.handle(Body(stream_id=stream_id, data=data))

    def _acknowledge(self, stream_id: int, count: int) -> None:
        """Increases the client's flow-control windows by `count`, the number of bytes consumed."""
        if count and not self._closed:
            self._h2.acknowledge_received_data(count, stream_id)
            self._output.wake()

    async def _stream_send(self, event: Any) -> None:
        stream_id = event.stream_id
        if isinstance(event, Response):
            if (b"connection", b"close") in event.headers and event.headers != _OF_A_FAILURE:
                self._go_away()
            date = self._make.dates.headers()
            head = [
                (b":status", b"%d" % event.status_code),
                *(h for h in event.headers if h[0] != b"connection"),
                *date,
            ]
            await self._output.send_head(stream_id, head)
        elif isinstance(event, Body):
            await self._output.send_body(stream_id, event.data)
        elif isinstance(event, EndBody):
            self._output.end(stream_id)
        elif isinstance(event, StreamClosed):
            await self._end_stream(stream_id)
            self._output.end_abruptly(stream_id)
            self._rest_if_idle()

    async def _end_stream(self, stream_id: int) -> None:
        stream = self._streams.pop(stream_id, None)
        if stream is not None:
            await stream.handle(StreamClosed(stream_id=stream_id))

    def _go_away(self) -> None:
        """Sends GOAWAY, so that the client opens no more streams, like Go's net/http for `Connection: close`.

        Open streams end normally, and then the connection closes. Does not use `close_connection` of h2,
        which would end the open streams.
        """
        if self._going_away or self._closed:
            return
        self._going_away = True
        self._wire.write_soon(self._h2.data_to_send())
        self._wire.write_soon(struct.pack(GOAWAY, 8, 7, 0, 0, self._last_stream, 0))

    def _response_is_out(self, stream_id: int) -> None:
        if stream_id in self._bodies_due:  # the client can stop sending its body, as in Go's net/http
            del self._bodies_due[stream_id]
            self._h2.reset_stream(stream_id, h2.errors.ErrorCodes.NO_ERROR)
        self._rest_if_idle()

    def _rest_if_idle(self) -> None:
        """Waits for the next request if no streams are open.

        If the server is stopping or has sent GOAWAY, closes the connection instead. Does nothing while
        streams are open.
        """
        if self._streams or self._output.count or self._closed:
            return
        if self._wire.ending or self._going_away:
            self._closed = True
            self._h2.close_connection()
            self._wire.write_soon(self._h2.data_to_send())
            self._wire.close()
        else:
            self._wire.expect_request()

    async def _close(self) -> None:
        """Sends the frames that h2 has queued, such as GOAWAY, and closes the connection."""
        self._closed = True
        await self._wire.write(self._h2.data_to_send())
        self._wire.close_after_reading()
        await self.end()

    async def end(self) -> None:
        """Ends all streams and drops unsent bytes after the connection has ended."""
        self._closed = True
        self._output.close()
        for stream_id in list(self._streams):
            await self._end_stream(stream_id)


def _is_target(method: bytes, target: bytes) -> bool:
    """Whether the target of a request is valid, as in Go's http2: a path or `*`, or anything for CONNECT.

    Method and target must also be ASCII, because hypercorn requires ASCII.
    """
    if not (method.isascii() and target.isascii()):
        return False
    return target.startswith(b"/") or target == b"*" or method == b"CONNECT"


def _http1_headers(headers: Pairs) -> Pairs:
    """Converts HTTP/2 headers to HTTP/1.1 headers.

    `:authority` becomes the Host header. Drops all other pseudo-headers.
    """
    fields = dict(headers)
    host = fields.get(b":authority", fields.get(b"host", b""))
    return [(b"host", host), *((n, v) for n, v in headers if not n.startswith(b":") and n != b"host")]
