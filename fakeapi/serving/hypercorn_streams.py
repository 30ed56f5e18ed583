"""All that this package uses of hypercorn: the streams that turn a request into ASGI events and back.

h11, llhttp and h2 parse HTTP here, and are used through their documented interfaces. Hypercorn's protocol
classes, `H11Protocol` and `H2Protocol`, are not used: what they lack for long watches, early answers and
hostile clients could only be added by overriding private methods. Its stream classes are used as they are,
through public names alone. Hypercorn documents none of them, so `tests/serving/test_hypercorn_streams.py`
holds each name and signature that is relied upon; it says what moved when a new version moves one.

| name | relied upon for |
| --- | --- |
| HTTPStream, WSStream | the ASGI side of one request: `handle(event)`, `app_send(message)` |
| Config | `response_headers`, `root_path`, `server_names`, `log`, websocket limits |
| WorkerContext | passed through to the streams |
| protocol.events | what goes into `handle` and comes out of the stream's `send` |
"""

import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from email.utils import formatdate
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

from fakeapi.asgi import ASGIApp

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
    "ServerConfig",
    "StreamClosed",
    "Streams",
    "WSStream",
    "request_event",
]

WEBSOCKET_MESSAGE_BYTES = 1 << 20
"""One message from a WebSocket client; a longer one closes the connection with code 1009."""

Address = tuple[str, int] | None
SendEvent = Callable[[Any], Awaitable[None]]


class ServerConfig(Config):
    """Hypercorn's settings; the Date header is made once a second."""

    def __init__(self) -> None:
        self.errorlog = logger
        self.include_server_header = False  # kube-apiserver sends none
        self.websocket_max_message_size = WEBSOCKET_MESSAGE_BYTES
        self._second = 0
        self._headers: list[tuple[bytes, bytes]] = []

    def response_headers(self, protocol: str) -> list[tuple[bytes, bytes]]:
        second = int(time.time())
        if second != self._second:
            self._second = second
            self._headers = [(b"date", formatdate(second, usegmt=True).encode("ascii"))]
        return self._headers


@dataclass(frozen=True, slots=True)
class Streams:
    """Makes hypercorn's streams for the requests of one connection."""

    app: ASGIApp
    config: ServerConfig
    secure: bool
    client: Address
    server: Address

    def http(self, tasks: Any, send: SendEvent, stream_id: int) -> HTTPStream:
        return HTTPStream(*self._arguments(tasks, send, stream_id))

    def websocket(self, tasks: Any, send: SendEvent, stream_id: int) -> WSStream:
        return WSStream(*self._arguments(tasks, send, stream_id))

    def _arguments(self, tasks: Any, send: SendEvent, stream_id: int) -> tuple[Any, ...]:
        context = WorkerContext(None)
        return (self.app, self.config, context, tasks, self.secure, self.client, self.server, send, stream_id)


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
