"""The ASGI types, and the protocol of applications that the project's own server runs."""

from collections.abc import Awaitable, Callable, Coroutine, MutableMapping
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Any], Awaitable[None]]
ASGIApp = Callable[[Scope, Receive, Send], Awaitable[None]]


WRITE_NOW = "fakeapi.write_now"
"""An extension of a request's scope: writes a part of the body of the response, which has begun, without
waiting. (bytes) -> whether it was written; not where the client has something to read already. A middleware
that looks at what is sent takes it out of the scope.
"""

WriteNow = Callable[[bytes], bool]

ROOM = "fakeapi.room"
"""An extension of a request's scope: waits until the client, and all clients together, have few enough unread
bytes for an answer of a given size, and keeps that room while the answer is made. Raises NoRoom, ClientGone.
"""

Room = Callable[[int], AbstractAsyncContextManager[None]]

ROOM_FROM_BYTES = 256 * 1024
"""An application asks for room before it makes an answer of this size or longer."""


class NoRoom(Exception):
    """There was no room for a long answer in the time that a request waits for it."""


class ClientGone(OSError):
    """The client has left. Raised by `send`, so that nothing more is made for it."""


class ClientStalled(Exception):
    """An application raises it where a client does not read: the server ends the stream or the connection
    without waiting for the client.
    """


class DropConnection(Exception):
    """An application raises it to have the client's connection closed, after what it has sent and without
    another byte. A server that does not know it closes the connection, or answers 500 where nothing was sent.
    """


class Application(Protocol):
    """An ASGI application with a life cycle that its server calls directly, in the server's loop."""

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Coroutine[Any, Any, None]: ...

    async def startup(self) -> None: ...

    async def shutdown(self) -> None:
        """Called once, at the end; also where `startup` failed half-way."""
        ...

    async def reset(self) -> None:
        """Drops all state; watches end."""
        ...

    def end_watches(self) -> None: ...
