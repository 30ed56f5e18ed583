"""The only module that uses hypercorn: its streams convert a request to ASGI events and back.

They serve HTTP/2 and WebSockets, and are imported with the first of these; ordinary HTTP/1.1 requests use
`http1_exchange`. h11, llhttp and h2 parse HTTP here, and are used through their documented interfaces.
Hypercorn's protocol classes, `H11Protocol` and `H2Protocol`, are not used: support for long watches, early
responses and hostile clients would need overrides of their private methods. Its stream classes are used
unchanged, through public names. Hypercorn documents none of them, so
`tests/serving/test_hypercorn_streams.py` checks each name and signature in use, and shows what a new version
changed.

| name | used for |
| --- | --- |
| HTTPStream, WSStream | the ASGI side of one request: `handle(event)`, `app_send(message)` |
| Config | `root_path`, `server_names`, `log`, websocket limits |
| WorkerContext | passed through to the streams |
| protocol.events | the arguments of `handle`, and of the stream's `send` |
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
"""Maximum number of bytes of a WebSocket message; a longer one closes the connection with code 1009."""

SendEvent = Callable[[Any], Awaitable[None]]


class _Settings(Config):
    """Hypercorn's settings, without the Server header, which kube-apiserver does not send."""

    def __init__(self) -> None:
        self.errorlog = logger
        self.include_server_header = False
        self.websocket_max_message_size = WEBSOCKET_MESSAGE_BYTES


_SETTINGS = _Settings()


def http_stream(streams: Streams, tasks: Any, send: SendEvent, stream_id: int) -> HTTPStream:
    """Returns the ASGI side of one request."""
    return HTTPStream(*_arguments(streams, tasks, send, stream_id))


def websocket_stream(streams: Streams, tasks: Any, send: SendEvent, stream_id: int) -> WSStream:
    """Returns the ASGI side of one WebSocket."""
    return WSStream(*_arguments(streams, tasks, send, stream_id))


def _arguments(streams: Streams, tasks: Any, send: SendEvent, stream_id: int) -> tuple[Any, ...]:
    ends = (streams.secure, streams.client, streams.server)
    return (streams.app, _SETTINGS, WorkerContext(None), tasks, *ends, send, stream_id)


def request_event(
    stream_id: int, method: bytes, target: bytes, version: str, headers: list[tuple[bytes, bytes]]
) -> Request:
    """Makes hypercorn's event for a request. The parsers guarantee that `method` and `target` are ASCII."""
    return Request(
        stream_id=stream_id,
        headers=headers,
        http_version=version,
        method=method.decode("ascii"),
        raw_path=target,
        state=ConnectionState({}),
    )
