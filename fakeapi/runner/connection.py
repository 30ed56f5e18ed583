"""One client's connection: bytes in, requests to the application, bytes out."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine, MutableMapping
from email.utils import formatdate
from itertools import chain
from typing import Any

import h11
from hypercorn.asyncio.worker_context import WorkerContext
from hypercorn.config import Config
from hypercorn.events import Closed, Event, RawData, Updated
from hypercorn.protocol.h11 import H2ProtocolAssumedError, H11Protocol
from hypercorn.typing import ConnectionState

from fakeapi.runner.http2 import HTTP2

logger = logging.getLogger("fakeapi.runner")

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

PREFACE_LINE = b"PRI * HTTP/2.0\r\n\r\n"

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Any], Awaitable[None]]
ASGIApp = Callable[[Message, Receive, Send], Awaitable[None]]


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


class RequestBody:
    """A request's events on their way to the application, which may end without having read them."""

    def __init__(self, limit: int) -> None:
        self._events: asyncio.Queue[Message] = asyncio.Queue(limit)
        self._ended = False
        self.receive = self._events.get

    async def put(self, event: Any) -> None:
        if not self._ended:
            await self._events.put(event)

    def end(self) -> None:
        """Drops what is left and lets go of a reader that waits to add to it."""
        self._ended = True
        while not self._events.empty():
            self._events.get_nowait()


class ConnectionTasks:
    """The tasks of a connection, in the shape that hypercorn's protocols ask for.

    One that fails is logged and leaves the others alone.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self.requests: set[asyncio.Task[None]] = set()
        self.helpers: set[asyncio.Task[None]] = set()

    def spawn(self, function: Callable[..., Coroutine[Any, Any, None]], *args: Any) -> None:
        self._start(function(*args), self.helpers)

    async def spawn_app(self, app: Any, config: Config, scope: Any, send: Send) -> Send:
        body = RequestBody(config.max_app_queue_size)
        self._start(self._answer(app, scope, body, send), self.requests)
        return body.put

    async def _answer(self, app: ASGIApp, scope: Message, body: RequestBody, send: Send) -> None:
        try:
            await app(scope, body.receive, send)
        except Exception:
            logger.exception("The application failed at %s %s", scope.get("method"), scope.get("path"))
        finally:
            body.end()
        await send(None)

    def _start(self, work: Coroutine[Any, Any, None], kept: set[asyncio.Task[None]]) -> None:
        task = self._loop.create_task(work)
        kept.add(task)
        task.add_done_callback(kept.discard)
        task.add_done_callback(_log_failure)

    def cancel(self) -> None:
        for task in (*self.requests, *self.helpers):
            task.cancel()


class HTTP1(H11Protocol):
    """Hypercorn's HTTP/1.1 with two habits of Go's net/http.

    What is no HTTP is answered in its words, and the upgrade to h2c is not offered: a client that asks for it
    is answered in HTTP/1.1.
    """

    async def _check_protocol(self, event: h11.Request) -> None:
        if event.method == b"PRI" and event.target == b"*" and event.http_version == b"2.0":
            raise H2ProtocolAssumedError(PREFACE_LINE + self.connection.trailing_data[0])

    async def _send_error_response(self, status_code: int) -> None:
        text = b"400 Bad Request" if status_code == 400 else b"431 Request Header Fields Too Large"
        headers = [
            (b"content-type", b"text/plain; charset=utf-8"),
            (b"content-length", b"%d" % len(text)),
            (b"connection", b"close"),
        ]
        await self._send_h11_event(
            h11.Response(
                status_code=status_code, headers=list(chain(headers, self.config.response_headers("h11")))
            )
        )
        await self._send_h11_event(h11.Data(data=text))
        await self._send_h11_event(h11.EndOfMessage())


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
        watchdog = self._loop.call_later(IDLE_SECONDS, self._close_if_long_idle)
        try:
            await self._protocol.initiate()
            while data := await self._reader.read(READ_BYTES):
                await self._receive(data)
        except OSError:
            pass  # the client is gone, or its TLS broke off
        except Exception:
            logger.exception("A connection failed")
        finally:
            watchdog.cancel()
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

    def _close_if_long_idle(self) -> None:
        idle = 0.0 if self._idle_since is None else self._loop.time() - self._idle_since
        if idle >= IDLE_SECONDS:
            self.close()
        else:
            self._loop.call_later(IDLE_SECONDS - idle, self._close_if_long_idle)

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


def _log_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        logger.error("A task of a connection failed", exc_info=error)
