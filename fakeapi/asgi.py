"""The ASGI types, and the protocol of applications that the project's own server runs."""

from asyncio import Future
from collections.abc import Awaitable, Callable, Coroutine, MutableMapping
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Any], Awaitable[None]]
ASGIApp = Callable[[Scope, Receive, Send], Awaitable[None]]


WRITE_NOW = "fakeapi.write_now"
"""Scope extension `(bytes) -> bool`: writes a part of a started response's body without waiting.

Returns False, without writing, if the client has unread bytes. Middleware that inspects responses must remove
it from the scope.
"""

WriteNow = Callable[[bytes], bool]

ROOM = "fakeapi.room"
"""Scope extension: reserves room for a response of a given size while the response is made.

Waits until the client, and all clients together, have few enough unread bytes. Raises NoRoom, ClientGone.
"""

Room = Callable[[int], AbstractAsyncContextManager[None]]

GONE = "fakeapi.gone"
"""Scope extension `() -> Future`: completes when the client has disconnected.

Requests that wait for each other use it to stop waiting.
"""

Gone = Callable[[], "Future[None]"]

ROOM_FROM_BYTES = 256 * 1024
"""An application asks for room before it makes an answer of this size or longer."""


class NoRoom(Exception):
    """A long response got no room within the time that a request waits for it."""


class ClientGone(OSError):
    """The client has disconnected.

    `send` raises it, so that the application stops working for this client.
    """


class ClientStalled(Exception):
    """Raised by an application whose client does not read.

    The server then ends the stream or the connection without waiting for the client.
    """


class DropConnection(Exception):
    """Raised by an application to close the client's connection after the bytes that it has sent.

    Other ASGI servers also close the connection, or answer 500 if nothing was sent.
    """


class Application(Protocol):
    """An ASGI application whose server calls `startup`, `shutdown` and `reset` in its event loop."""

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Coroutine[Any, Any, None]: ...

    async def startup(self) -> None: ...

    async def shutdown(self) -> None:
        """Called once, at the end, even if `startup` failed."""
        ...

    async def reset(self) -> None:
        """Drops all state; watches end."""
        ...

    def end_watches(self) -> None: ...
