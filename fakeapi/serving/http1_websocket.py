"""WebSockets on HTTP/1.1 connections, with hypercorn's WSStream. Imported when the first WebSocket opens."""

from typing import Any, Protocol

from fakeapi.serving.http1_exchange import Answering
from fakeapi.serving.hypercorn_streams import (
    Body,
    Data,
    EndBody,
    EndData,
    Response,
    StreamClosed,
    WSStream,
    request_event,
    websocket_stream,
)
from fakeapi.serving.request_head import RequestHead
from fakeapi.serving.streams import Streams
from fakeapi.serving.tasks import ConnectionTasks

STREAM_ID = 1
"""The stream id that hypercorn receives. An HTTP/1.1 connection has only one stream at a time."""


class SwitchedConnection(Answering, Protocol):
    """The methods of an HTTP/1.1 connection that a WebSocket calls."""

    @property
    def closes(self) -> bool: ...

    async def answer_data(self, data: bytes) -> None: ...

    def end_connection(self) -> None: ...


class WebSocket:
    """A WebSocket between the connection and the ASGI application. Has the methods of an Exchange.

    After the handshake, `take_data` receives the bytes from the client.
    """

    def __init__(self, connection: SwitchedConnection) -> None:
        self._connection = connection
        self._stream: WSStream | None = None

    async def start(self, streams: Streams, tasks: ConnectionTasks, head: RequestHead, version: str) -> None:
        self._stream = websocket_stream(streams, tasks, self._send, STREAM_ID)
        await self._stream.handle(request_event(STREAM_ID, head.method, head.target, version, head.headers))

    async def take_body(self, data: bytes) -> None:
        await self._handle(Body(stream_id=STREAM_ID, data=data))

    async def end_body(self) -> None:
        await self._handle(EndBody(stream_id=STREAM_ID))

    async def take_data(self, data: bytes) -> None:
        await self._handle(Data(stream_id=STREAM_ID, data=data))

    async def close(self) -> None:
        await self._handle(StreamClosed(stream_id=STREAM_ID))

    async def _handle(self, event: Any) -> None:
        if self._stream is not None:
            await self._stream.handle(event)

    async def _send(self, event: Any) -> None:
        connection = self._connection
        if isinstance(event, Response):
            await connection.answer_head(event.status_code, event.headers)
        elif isinstance(event, Body):
            await connection.answer_body(event.data, is_last=False)
        elif isinstance(event, EndBody):
            await connection.answer_body(b"", is_last=True)
            if connection.closes:
                connection.end_connection()  # WSStream rejected the handshake and sends no further event
        elif isinstance(event, Data):
            await connection.answer_data(event.data)
        elif isinstance(event, EndData):
            connection.end_connection()
        elif isinstance(event, StreamClosed):
            await connection.answered()
