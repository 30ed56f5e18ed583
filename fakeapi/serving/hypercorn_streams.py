"""All that this package uses of hypercorn: the streams that turn a request into ASGI events and back.

They serve HTTP/2 and WebSockets, and are imported with the first of these; an ordinary HTTP/1.1 request is an
`http1_exchange`. h11, llhttp and h2 parse HTTP here, and are used through their documented interfaces.
Hypercorn's protocol classes, `H11Protocol` and `H2Protocol`, are not used: what they lack for long watches,
early answers and hostile clients could only be added by overriding private methods. Its stream classes are
used as they are, through public names alone. Hypercorn documents none of them, so
`tests/serving/test_hypercorn_streams.py` holds each name and signature that is relied upon; it says what
moved when a new version moves one.

| name | relied upon for |
| --- | --- |
| HTTPStream, WSStream | the ASGI side of one request: `handle(event)`, `app_send(message)` |
| Config | `root_path`, `server_names`, `log`, websocket limits |
| WorkerContext | passed through to the streams |
| protocol.events | what goes into `handle` and comes out of the stream's `send` |
"""

import logging
from collections.abc import Awaitable, Callable
from typing import Any

from hypercorn.asyncio.worker_context import WorkerContext
from hypercorn.config import Config
from hypercorn.protocol.events import (
    Body,
    Data,
    EndBody,
    EndData,
    Event,
    Request,
    Response,
    StreamClosed,
)
from hypercorn.protocol.http_stream import HTTPStream
from hypercorn.protocol.ws_stream import WSStream
from hypercorn.typing import ConnectionState

from fakeapi.serving.streams import Streams

logger = logging.getLogger("fakeapi.serving")

__all__ = [
    "Body",
    "Data",
    "EndBody",
    "EndData",
    "Event",
    "HTTPStream",
    "Request",
    "Response",
    "StreamClosed",
    "WSStream",
    "http_stream",
    "request_event",
    "websocket_stream",
]

WEBSOCKET_MESSAGE_BYTES = 1 << 20
"""One message from a WebSocket client; a longer one closes the connection with code 1009."""

SendEvent = Callable[[Any], Awaitable[None]]


class _Settings(Config):
    """Hypercorn's settings; kube-apiserver sends no Server header."""

    def __init__(self) -> None:
        self.errorlog = logger
        self.include_server_header = False
        self.websocket_max_message_size = WEBSOCKET_MESSAGE_BYTES


_SETTINGS = _Settings()


def http_stream(streams: Streams, tasks: Any, send: SendEvent, stream_id: int) -> HTTPStream:
    """The ASGI side of one request."""
    return HTTPStream(*_arguments(streams, tasks, send, stream_id))


def websocket_stream(streams: Streams, tasks: Any, send: SendEvent, stream_id: int) -> WSStream:
    """The ASGI side of one WebSocket."""
    return WSStream(*_arguments(streams, tasks, send, stream_id))


def _arguments(streams: Streams, tasks: Any, send: SendEvent, stream_id: int) -> tuple[Any, ...]:
    ends = (streams.secure, streams.client, streams.server)
    return (streams.app, _SETTINGS, WorkerContext(None), tasks, *ends, send, stream_id)


def request_event(
    stream_id: int, method: bytes, target: bytes, version: str, headers: list[tuple[bytes, bytes]]
) -> Request:
    """`method` and `target` are ASCII, which the parsers have checked."""
    return Request(
        stream_id=stream_id,
        headers=headers,
        http_version=version,
        method=method.decode("ascii"),
        raw_path=target,
        state=ConnectionState({}),
    )
