"""ConnectionTasks: runs the requests of a connection in tasks, and queues ASGI events for them."""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from fakeapi.asgi import GONE, ROOM, ASGIApp, ClientGone, ClientStalled, DropConnection, Message, Scope, Send
from fakeapi.machinery.printable import printable_line
from fakeapi.serving.response_bytes import ConnectionBytes

logger = logging.getLogger("fakeapi.serving")

UNREAD_BYTES = 256 * 1024
"""Maximum number of bytes that the server buffers for the application per request, such as body bytes.

At the limit, the server stops reading from an HTTP/1.1 connection. On HTTP/2, only this stream pauses.
"""


class RequestEvents:
    """The queue of ASGI events from the client of one request to the application.

    Joins waiting parts of a body into one event. After a disconnect, every call of `receive` returns the
    event of the disconnect.
    """

    def __init__(self, on_read: Callable[[int], None] | None = None) -> None:
        """Starts without events.

        `on_read`: called with the number of body bytes that the application has received, or that were
        dropped because the application has ended.
        """
        self._body = bytearray()
        self._body_is_due = self._body_is_complete = False
        self._others: deque[Message] = deque()
        self._others_bytes = 0
        self._left: Message | None = None
        self._gone: asyncio.Future[None] | None = None
        self._closed = False
        self._arrived = asyncio.Event()
        self._room = asyncio.Event()
        self._on_read = on_read

    @property
    def client_left(self) -> bool:
        return self._left is not None

    def gone(self) -> "asyncio.Future[None]":
        """Returns a future that completes when the client disconnects.

        Implements GONE, an entry in the ASGI scope.
        """
        if self._gone is None:
            self._gone = asyncio.get_running_loop().create_future()
            if self.client_left:
                self._gone.set_result(None)
        return self._gone

    async def put(self, event: Any) -> None:
        """Queues an event for the application. Waits while more than UNREAD_BYTES are queued.

        Drops the event if the application has ended.
        """
        if self._closed:
            if self._on_read is not None and event.get("body"):
                self._on_read(len(event["body"]))
            return
        kind = event["type"]
        if kind == "http.request":
            self._body += event["body"]
            self._body_is_due = True
            self._body_is_complete = not event["more_body"]
        elif kind.endswith(".disconnect"):
            self._left = event
            if self._gone is not None and not self._gone.done():
                self._gone.set_result(None)
        else:
            self._others.append(event)
            self._others_bytes += len(event.get("bytes") or event.get("text") or b"")
        self._arrived.set()
        while len(self._body) + self._others_bytes > UNREAD_BYTES and not self._closed:
            self._room.clear()
            await self._room.wait()

    async def receive(self) -> Message:
        while not (self._body_is_due or self._others or self._left):
            self._arrived.clear()
            await self._arrived.wait()
        if self._body_is_due:
            return self._take_body()
        self._room.set()
        if self._others:
            event = self._others.popleft()
            self._others_bytes -= len(event.get("bytes") or event.get("text") or b"")
            return event
        assert self._left is not None, "the loop waits for one of the three"
        return self._left

    def _take_body(self) -> Message:
        body = bytes(self._body)
        self._body.clear()
        self._body_is_due = False
        self._room.set()
        if body and self._on_read is not None:
            self._on_read(len(body))
        return {"type": "http.request", "body": body, "more_body": not self._body_is_complete}

    def close(self) -> None:
        """Drops unread events, because the application has ended. Lets a waiting `put` return."""
        self._closed = True
        if self._body and self._on_read is not None:
            self._on_read(len(self._body))
        self._body.clear()
        self._others.clear()
        self._room.set()


class ConnectionTasks:
    """The tasks of one connection: `requests` run the application, and `helpers` do all other work.

    If a task fails, logs the error; the other tasks continue.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        drop: Callable[[], None] | None = None,
        unread: ConnectionBytes | None = None,
    ) -> None:
        """Starts without tasks.

        - `drop`: closes the connection if the application raises DropConnection.
        - `unread`: counts the unread bytes of responses. New requests wait while there are too many unread
          bytes.
        """
        self._loop = loop
        self._drop = drop
        self._unread = unread
        self.requests: set[asyncio.Task[None]] = set()
        self.helpers: set[asyncio.Task[None]] = set()

    def spawn(self, function: Callable[..., Coroutine[Any, Any, None]], *args: Any) -> None:
        self._start(function(*args), self.helpers)

    async def spawn_app(
        self, app: Any, config: Any, scope: Any, send: Send, on_read: Callable[[int], None] | None = None
    ) -> Send:
        """Starts the application for a request. Returns a function that queues ASGI events for the
        application.

        Hypercorn's streams call this method, so it has the signature of hypercorn's task groups.
        """
        events = RequestEvents(on_read)
        self._start(self._answer(app, scope, events, send), self.requests)
        return events.put

    async def _answer(self, app: ASGIApp, scope: Scope, events: RequestEvents, send: Send) -> None:
        try:
            if scope["type"] == "http":
                await self._answer_http(app, scope, events, send)
            else:
                await app(scope, events.receive, send)
        except DropConnection:
            if self._drop is not None:
                self._drop()
                return
        except (ClientGone, ClientStalled):
            pass  # `send(None)` below resets the HTTP/2 stream or closes the HTTP/1.1 connection
        except Exception:
            place = printable_line(f"{scope.get('method')} {scope.get('path')}")
            logger.exception("The application failed at %s", place)
        finally:
            events.close()
        await send(None)

    async def _answer_http(self, app: ASGIApp, scope: Scope, events: RequestEvents, send: Send) -> None:
        """Runs the application for a request.

        Raises ClientGone if the application sends to a disconnected client. Also raises ClientGone, without
        running the application, if the client of a GET has already disconnected.
        """

        async def send_unless_gone(message: Message) -> None:
            if events.client_left:
                raise ClientGone
            await send(message)
            if events.client_left and message.get("more_body"):
                raise ClientGone

        scope["extensions"][GONE] = events.gone
        if self._unread is not None:
            await self._unread.turn()
            scope["extensions"][ROOM] = partial(_room, self._unread, events)
        if events.client_left and scope["method"] == "GET":
            raise ClientGone
        await app(scope, events.receive, send_unless_gone)

    def _start(self, work: Coroutine[Any, Any, None], kept: set[asyncio.Task[None]]) -> None:
        task = self._loop.create_task(work)
        kept.add(task)
        task.add_done_callback(kept.discard)
        task.add_done_callback(_log_failure)

    def cancel(self) -> None:
        for task in (*self.requests, *self.helpers):
            task.cancel()


@asynccontextmanager
async def _room(unread: ConnectionBytes, events: RequestEvents, size: int) -> AsyncIterator[None]:
    """Holds room for a response of `size` bytes. Raises ClientGone if the client has disconnected before."""
    async with unread.room(size):
        if events.client_left:
            raise ClientGone
        yield


def _log_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        logger.error("A task of a connection failed", exc_info=error)
