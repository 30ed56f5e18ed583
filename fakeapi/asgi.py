"""ASGI types, and the extensions of ASGI that fakeapi's ASGI server offers to its application."""

from asyncio import Future
from collections.abc import Awaitable, Callable, Coroutine, MutableMapping
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

import msgspec

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Any], Awaitable[None]]
ASGIApp = Callable[[Scope, Receive, Send], Awaitable[None]]


WRITE_NOW = "fakeapi.write_now"
"""Scope key of a function `(bytes) -> bool` that writes a part of a response body without waiting.

Call the function only after the response has started. The function returns False, without writing, if the
client has not read earlier bytes. Middleware that inspects responses must remove the key from the scope.
"""

WriteNow = Callable[[bytes], bool]

ROOM = "fakeapi.room"
"""Scope key of a function `(size) -> async context manager` that reserves memory for a response of this size.

Entering the block waits while this client, or all clients together, have too many unread bytes. The block
raises NoRoom if the wait takes too long, and ClientGone if the client disconnects.
"""

Room = Callable[[int], AbstractAsyncContextManager[None]]

GONE = "fakeapi.gone"
"""Scope key of a function `() -> Future`; the future completes when the client has disconnected.

A request that waits for other requests can wait for this future too, and stop when the client disconnects.
"""

Gone = Callable[[], "Future[None]"]

WEBSOCKET = "fakeapi.websocket"
"""Scope key of the WebSocketUpgrade of a request over WebSocket. Scopes of other requests do not have it."""


class WebSocketUpgrade(msgspec.Struct, frozen=True):
    """A client's request to open a WebSocket, for requests with a subprotocol, such as exec.

    - `receive` and `send`: exchange the messages `websocket.*` of ASGI.
    - `protocols`: the subprotocols that the client offers.
    """

    receive: Receive
    send: Send
    protocols: tuple[str, ...]


CLIENT_CERTIFICATE = "fakeapi.client_certificate"
"""Scope key of the ClientCertificate of the connection. Without a client certificate, the key is missing."""


class ClientCertificate(msgspec.Struct, frozen=True):
    """A client certificate that the TLS handshake has verified with the CAs of the server.

    - `subject`: the subject's attributes in order, as pairs of name and value. The names are OpenSSL's, such
      as "commonName"; an attribute without a name has its object identifier instead.
    - `not_after`: the end of the certificate's validity, in seconds since the epoch.
    - `der`: the certificate in DER.
    """

    subject: tuple[tuple[str, str], ...]
    not_after: float
    der: bytes


ROOM_FROM_BYTES = 256 * 1024
"""Minimum size of a response, in bytes, for which the application reserves memory with ROOM."""


class NoRoom(Exception):
    """Raised if the server could not reserve memory for a long response in time."""


class ClientGone(OSError):
    """Raised if the client has disconnected, so that the application stops working on the request."""


class ClientStalled(Exception):
    """Raised by an application if its client does not read the response.

    The server then ends the HTTP/2 stream or the connection without waiting for the client.
    """


class DropConnection(Exception):
    """Raised by an application to close the client's connection after the bytes that were already sent.

    ASGI servers other than fakeapi's also close the connection, or send 500 if no bytes were sent.
    """


class Application(Protocol):
    """An ASGI application whose server calls `startup`, `shutdown` and `reset` in the event loop."""

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Coroutine[Any, Any, None]: ...

    async def startup(self) -> None: ...

    async def shutdown(self) -> None:
        """Releases all resources. The server calls this once when it stops, even if `startup` failed."""
        ...

    async def reset(self) -> None:
        """Deletes all objects and other state, and ends all watches."""
        ...

    def end_watches(self) -> None: ...


async def until_disconnected(receive: Receive) -> None:
    """Waits until the client has disconnected; ignores all other ASGI messages from the client."""
    while (await receive())["type"] != "http.disconnect":
        pass
