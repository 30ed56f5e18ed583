"""Imports the stream classes of hypercorn, which convert requests of HTTP/2 and WebSockets to ASGI events.

Only this module uses hypercorn. The first HTTP/2 connection or WebSocket imports the module; ordinary
HTTP/1.1 requests use `http1_exchange`. fakeapi does not use hypercorn's classes `H11Protocol` and
`H2Protocol`, because long watches, early responses and hostile clients would need overrides of their private
methods.

Hypercorn does not document the stream classes. `tests/serving/test_hypercorn_streams.py` therefore checks
each name and signature in this table, and reports changes in a new version of hypercorn.

    | name | used for |
    | --- | --- |
    | HTTPStream, WSStream | the ASGI side of one request: `handle(event)`, `app_send(message)` |
    | Config | `root_path`, `server_names`, `log`, websocket limits |
    | WorkerContext | an argument of the stream classes |
    | protocol.events | the arguments of `handle`, and of the `send` of a stream |
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
"""Maximum size of a WebSocket message in bytes.

The server closes a connection with a longer message (code 1009).
"""

SendEvent = Callable[[Any], Awaitable[None]]


class _Settings(Config):
    """The configuration of hypercorn. Disables the Server header, which kube-apiserver does not send."""

    def __init__(self) -> None:
        self.errorlog = logger
        self.include_server_header = False
        self.websocket_max_message_size = WEBSOCKET_MESSAGE_BYTES


_SETTINGS = _Settings()


def http_stream(streams: Streams, tasks: Any, send: SendEvent, stream_id: int) -> HTTPStream:
    """Returns hypercorn's stream for one HTTP request.

    `send`: receives the response's events from the stream.
    """
    return HTTPStream(*_arguments(streams, tasks, send, stream_id))


def websocket_stream(streams: Streams, tasks: Any, send: SendEvent, stream_id: int) -> WSStream:
    """Returns hypercorn's stream for one WebSocket. `send`: receives the stream's events for the client."""
    return WSStream(*_arguments(streams, tasks, send, stream_id))


def _arguments(streams: Streams, tasks: Any, send: SendEvent, stream_id: int) -> tuple[Any, ...]:
    ends = (streams.secure, streams.client, streams.server)
    return (streams.app, _SETTINGS, WorkerContext(None), tasks, *ends, send, stream_id)


def request_event(
    stream_id: int, method: bytes, target: bytes, version: str, headers: list[tuple[bytes, bytes]]
) -> Request:
    """Returns hypercorn's event for a request. The request's method and target must be ASCII."""
    return Request(
        stream_id=stream_id,
        headers=headers,
        http_version=version,
        method=method.decode("ascii"),
        raw_path=target,
        state=ConnectionState({}),
    )
