"""Connection: reads the requests of one client, calls the application, and writes the responses."""

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from fakeapi.asgi import ASGIApp
from fakeapi.serving.client_certificate import with_client_certificate
from fakeapi.serving.http1 import HTTP1, HTTP2Preface
from fakeapi.serving.response_bytes import UNREAD_SECONDS, ConnectionBytes, ResponseBytes
from fakeapi.serving.streams import Dates, Streams
from fakeapi.serving.tasks import ConnectionTasks
from fakeapi.serving.wire import BODY_SECONDS

if TYPE_CHECKING:
    from fakeapi.serving.http2 import HTTP2

logger = logging.getLogger("fakeapi.serving")

READ_BYTES = 65_536
"""Maximum number of bytes per read from a socket.

More received bytes stay in the kernel until the next read.
"""

HEAD_SECONDS = 32.0
"""Seconds in which a client must send the complete head of a request, counted from its first byte.

On a new connection, the time starts when the server accepts the connection. The value equals
ReadHeaderTimeout of kube-apiserver. A slower client is disconnected. Over HTTP/1.1, the client first gets 400
if the server has received a part of the head. The check can be up to 32 s late.
"""

IDLE_SECONDS = 3_600.0
"""Seconds without a request after which the server closes an idle connection."""

WRITE_BYTES = 128 * 1024
"""Number of bytes per write of a long response.

After each write, the server waits while the client has too many unread bytes.
"""

CLOSE_SECONDS = 10.0
"""Seconds in which a client must read the last bytes of a closing connection before the server aborts it."""

LINGER_SECONDS = 0.5
"""Seconds that a closing connection stays open if the client may still be sending.

The client can read the response in this time, as with Go's net/http. The server drops all received bytes.
"""


class Connection:
    """Serves one client over HTTP/1.1 or HTTP/2 until either side closes the connection.

    The client selects HTTP/2 by ALPN, or by starting with the HTTP/2 preface (h2c).
    """

    def __init__(
        self,
        app: ASGIApp,
        dates: Dates,
        unread: ResponseBytes,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._reader = reader
        self._writer = writer
        self._unread = ConnectionBytes(unread, self.abort)
        self.tasks = ConnectionTasks(self._loop, self.close, self._unread)
        self.ending = False
        self._dropping_input = False
        self._awaiting_head = True
        self._deadline: float | None = self._loop.time() + HEAD_SECONDS
        secure = writer.get_extra_info("ssl_object")
        client, server = (_address(writer.get_extra_info(name)) for name in ("peername", "sockname"))
        app = app if secure is None else with_client_certificate(app, secure)
        self._streams = Streams(app, dates, secure is not None, client, server)
        alpn = secure.selected_alpn_protocol() if secure is not None else None
        self._protocol: HTTP1 | HTTP2
        self._protocol = self._http2() if alpn == "h2" else HTTP1(self, self._streams, self.tasks)

    async def run(self) -> None:
        """Serves the client. Returns when the connection is closed and all its requests have ended."""
        self._watch_time()
        try:
            await self._protocol.initiate()
            while data := await self._reader.read(READ_BYTES):
                if not self._dropping_input:
                    await self._receive(data)
        except OSError:
            pass  # the client has disconnected, or its TLS failed
        except Exception:
            logger.exception("A connection failed")
        finally:
            self._timer.cancel()
            self.close()
            await self._protocol.end()
            self._unread.close()
            while running := self.tasks.requests | self.tasks.helpers:
                await asyncio.wait(running)

    async def _receive(self, data: bytes) -> None:
        try:
            await self._protocol.receive(data)
        except HTTP2Preface as preface:
            self._protocol = self._http2()
            await self._protocol.initiate()
            await self._protocol.receive(preface.data)

    def _http2(self) -> "HTTP2":
        from fakeapi.serving.http2 import HTTP2  # noqa: PLC0415 - imports h2 and hypercorn

        return HTTP2(self, self._streams, self.tasks, self._unread)

    async def write(self, data: bytes) -> None:
        if self._writer.is_closing() or self._dropping_input:
            await asyncio.sleep(0)  # other tasks must run even if the application ignores the disconnect
            return
        try:
            if len(data) < 2 * WRITE_BYTES:
                self._writer.write(data)
                await self._writer.drain()
            else:
                await self._write_in_pieces(data)
        except (OSError, RuntimeError):
            await self._protocol.end()

    async def _write_in_pieces(self, data: bytes) -> None:
        """Writes a long response in pieces. Waits after each piece while too many bytes are unread."""
        unread = len(data)
        self._unread.add(unread)
        view = memoryview(data)
        try:
            while unread and not self._writer.is_closing():
                piece = view[-unread:][:WRITE_BYTES]
                self._writer.write(piece)
                await self._writer.drain()
                unread -= len(piece)
                self._unread.remove(len(piece))
        finally:
            self._unread.remove(unread)

    def write_soon(self, data: bytes) -> None:
        if not (self._writer.is_closing() or self._dropping_input):
            self._writer.write(data)

    @property
    def writes_at_once(self) -> bool:
        writer = self._writer
        return not (self._dropping_input or writer.is_closing() or writer.transport.get_write_buffer_size())

    def expect_request(self) -> None:
        self._awaiting_head = False
        self._deadline = self._loop.time() + IDLE_SECONDS

    def expect_rest_of_head(self) -> None:
        if not self._awaiting_head:
            self._awaiting_head = True
            self._deadline = self._loop.time() + HEAD_SECONDS

    def expect_body(self) -> None:
        self._awaiting_head = False
        self._deadline = self._loop.time() + BODY_SECONDS

    def expect_nothing(self) -> None:
        self._awaiting_head = False
        self._deadline = None

    def _watch_time(self) -> None:
        """Starts a timer that checks the deadline at intervals, so that requests need no timers."""
        left = HEAD_SECONDS if self._deadline is None else self._deadline - self._loop.time()
        self._timer = self._loop.call_later(min(HEAD_SECONDS, max(left, 0.0)), self._close_if_too_late)

    def _close_if_too_late(self) -> None:
        if self._deadline is not None and self._loop.time() >= self._deadline:
            self._deadline = None
            self.tasks.spawn(self._protocol.give_up)
            return
        now = self._loop.time()
        self._protocol.check_time(now)
        if self._unread.is_stalled(now - UNREAD_SECONDS):
            self.abort()
            return
        self._watch_time()

    def close(self) -> None:
        """Sends the remaining bytes, then closes the connection.

        Aborts the connection if the client does not read the bytes in time.
        """
        if not self._writer.is_closing():  # a TLS transport that is closed twice cannot be aborted
            self._writer.close()
            if self._writer.transport.get_write_buffer_size():
                self._loop.call_later(CLOSE_SECONDS, self._writer.transport.abort)

    def close_after_reading(self) -> None:
        if self._dropping_input or self._writer.is_closing():
            return
        if self.ending:
            self.close()
            return
        self._dropping_input = True
        if self._writer.can_write_eof():
            self._writer.write_eof()
        self._loop.call_later(LINGER_SECONDS, self.close)

    def end_soon(self) -> None:
        """Stops accepting requests.

        Closes the connection now if no request is running and all response bytes are sent, otherwise after
        the last request.
        """
        self.ending = True
        if not self.tasks.requests and not self.unsent:
            self.close()

    def abort(self) -> None:
        """Closes the connection at once, and cancels the requests of this client."""
        self._writer.transport.abort()
        self.tasks.cancel()

    @property
    def unsent(self) -> bool:
        """Whether the server still has response bytes that are not sent to the client."""
        return self._protocol.unsent or self._writer.transport.get_write_buffer_size() > 0


def _address(name: Any) -> tuple[str, int] | None:
    return (name[0], name[1]) if isinstance(name, tuple) else None
