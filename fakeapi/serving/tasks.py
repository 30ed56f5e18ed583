"""What a connection's requests run in."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, MutableMapping
from typing import Any

from hypercorn.config import Config

logger = logging.getLogger("fakeapi.serving")

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Any], Awaitable[None]]
ASGIApp = Callable[[Message, Receive, Send], Awaitable[None]]


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


def _log_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        logger.error("A task of a connection failed", exc_info=error)
