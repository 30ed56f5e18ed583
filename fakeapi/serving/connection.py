"""One client's connection: bytes in, requests to the application, bytes out."""

import asyncio
import logging
import time
from email.utils import formatdate
from typing import Any

from hypercorn.asyncio.worker_context import WorkerContext
from hypercorn.config import Config
from hypercorn.events import Closed, Event, RawData, Updated
from hypercorn.protocol.h11 import H2ProtocolAssumedError
from hypercorn.typing import ConnectionState

from fakeapi.serving.http1 import HTTP1
from fakeapi.serving.http2 import HTTP2
from fakeapi.serving.tasks import ASGIApp, ConnectionTasks

logger = logging.getLogger("fakeapi.serving")

READ_BYTES = 65_536
"""Read at once from a socket; more waits in the kernel, where it slows the client down."""

BODY_EVENTS = 4_096
"""Pieces of a request body that wait for the application; then the connection is not read any further."""

HEADER_BYTES = 1 << 20
"""The request line and headers, as in Go's net/http; a longer head is answered 431."""

STREAMS = 1_000
"""Concurrent requests on one HTTP/2 connection; hypercorn ends the connection at the next one."""

IDLE_SECONDS = 3_600.0
"""A connection without a request is closed after this time."""


class ServerConfig(Config):
    """Hypercorn's settings for long-lived connections; the Date header is made once a second."""

    def __init__(self) -> None:
        self.errorlog = logger
        self.include_server_header = False  # kube-apiserver sends none
        self.keep_alive_max_requests = 10**9  # at the limit an HTTP/2 connection dies with its watches
        self.h11_max_incomplete_size = HEADER_BYTES
        self.h2_max_header_list_size = HEADER_BYTES
        self.h2_max_concurrent_streams = STREAMS
        self.max_app_queue_size = BODY_EVENTS
        self._second = 0
        self._headers: list[tuple[bytes, bytes]] = []

    def response_headers(self, protocol: str) -> list[tuple[bytes, bytes]]:
        second = int(time.time())
        if second != self._second:
            self._second = second
            self._headers = [(b"date", formatdate(second, usegmt=True).encode("ascii"))]
        return self._headers


class Connection:
    """Speaks HTTP/1.1 or HTTP/2 with one client until either side closes.

    HTTP/2 is spoken when the client negotiated it by ALPN, or begins with its preface (h2c).
    """

    def __init__(
        self,
        app: ASGIApp,
        config: Config,
        context: WorkerContext,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._app: Any = app  # hypercorn's own type for it has two arguments more, which nobody reads here
        self._config = config
        self._context = context
        self._reader = reader
        self._writer = writer
        self._sending = asyncio.Lock()
        self._idle_since: float | None = self._loop.time()
        self.tasks = ConnectionTasks(self._loop)
        self._secure = writer.get_extra_info("ssl_object")
        alpn = self._secure.selected_alpn_protocol() if self._secure is not None else None
        self._protocol: HTTP1 | HTTP2 = self._http2() if alpn == "h2" else self._http1()

    def _arguments(self) -> tuple[Any, ...]:
        return (
            self._context,
            self.tasks,
            ConnectionState({}),
            self._secure is not None,
            _address(self._writer.get_extra_info("peername")),
            _address(self._writer.get_extra_info("sockname")),
            self._send,
        )

    def _http1(self) -> HTTP1:
        return HTTP1(self._app, self._config, *self._arguments())

    def _http2(self) -> HTTP2:
        return HTTP2(self._config, self._app, *self._arguments())

    async def run(self) -> None:
        """Ends when the connection is closed and the requests that were at work have ended."""
        self._watch_idleness(IDLE_SECONDS)
        try:
            await self._protocol.initiate()
            while data := await self._reader.read(READ_BYTES):
                await self._receive(data)
        except OSError:
            pass  # the client is gone, or its TLS broke off
        except Exception:
            logger.exception("A connection failed")
        finally:
            self._watchdog.cancel()
            self.close()
            await self._protocol.handle(Closed())
            while running := self.tasks.requests | self.tasks.helpers:
                await asyncio.wait(running)

    async def _receive(self, data: bytes) -> None:
        try:
            await self._protocol.handle(RawData(data))
        except H2ProtocolAssumedError as preface:
            self._protocol = self._http2()
            await self._protocol.initiate()
            await self._protocol.handle(RawData(preface.data))

    async def _send(self, event: Event) -> None:
        if isinstance(event, RawData):
            await self._write(event.data)
        elif isinstance(event, Updated):
            self._idle_since = self._loop.time() if event.idle else None
        elif isinstance(event, Closed):
            self.close()

    async def _write(self, data: bytes) -> None:
        if self._writer.is_closing():
            await asyncio.sleep(0)  # a producer that does not look for the disconnect still yields
            return
        async with self._sending:
            try:
                self._writer.write(data)
                await self._writer.drain()
            except (OSError, RuntimeError):
                await self._protocol.handle(Closed())

    def _watch_idleness(self, seconds: float) -> None:
        self._watchdog = self._loop.call_later(seconds, self._close_if_long_idle)

    def _close_if_long_idle(self) -> None:
        idle = 0.0 if self._idle_since is None else self._loop.time() - self._idle_since
        if idle >= IDLE_SECONDS:
            self.close()
        else:
            self._watch_idleness(IDLE_SECONDS - idle)

    def close(self) -> None:
        """Sends what is still to be sent, then closes."""
        if not self._writer.is_closing():  # closed twice, a TLS transport can no longer be aborted
            self._writer.close()

    def close_if_idle(self) -> None:
        if not self.tasks.requests and not self.unsent:
            self.close()

    def abort(self) -> None:
        """Closes at once, and cancels what the application still does for this client."""
        self._writer.transport.abort()
        self.tasks.cancel()

    @property
    def unsent(self) -> bool:
        """Whether some of a response waits for the client to read."""
        if isinstance(self._protocol, HTTP2) and self._protocol.unsent:
            return True
        return self._writer.transport.get_write_buffer_size() > 0


def _address(name: Any) -> tuple[str, int] | None:
    return (name[0], name[1]) if isinstance(name, tuple) else None
