"""Request: an HTTP request over ASGI that reads its body on demand."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any
from urllib.parse import quote

import msgspec

from fakeapi.asgi import (
    CLIENT_CERTIFICATE,
    GONE,
    ROOM,
    WEBSOCKET,
    WRITE_NOW,
    ClientCertificate,
    ClientGone,
    Gone,
    Message,
    Receive,
    Room,
    Scope,
    WebSocketUpgrade,
    WriteNow,
)
from fakeapi.http.query import Query
from fakeapi.journal.observer import OBSERVER_BYTES
from fakeapi.machinery.errors import ApiError

BODY_MAX = 3 * 1024 * 1024
"""Maximum size of a request body in bytes.

The server sends 413 for a longer body, and drops the rest of the body.
"""


_NONE: dict[str, Any] = {}


def _enough_room(_: int) -> AbstractAsyncContextManager[None]:
    """Default of `Request.room`, for ASGI servers without ROOM: reserves no memory and never waits."""
    return nullcontext()


class Request(msgspec.Struct):
    """An HTTP request.

    - `raw_path` and `query_string`: percent-encoded; `path` is decoded.
    - `headers`: the first value of each header; `all_headers`: all values in order.
    - `drained`: whether the whole body has been received.
    - `content`: the body; empty until the method `body` has returned.
    - `write_now`, `room` and `gone`: the values of WRITE_NOW, ROOM and GONE in the ASGI scope.
    - `certificate`: the client certificate of the connection; None without one.
    - `websocket`: the WebSocket that the client wants to open; None for a plain request.
    """

    method: str
    raw_path: bytes
    path: str
    query_string: bytes
    query: Query
    headers: dict[bytes, bytes]
    receive: Receive
    drained: bool = False
    scheme: str = "http"
    all_headers: Sequence[tuple[bytes, bytes]] = ()
    content: bytes = b""
    write_now: WriteNow | None = None
    room: Room = _enough_room
    gone: Gone | None = None
    certificate: ClientCertificate | None = None
    websocket: WebSocketUpgrade | None = None

    @classmethod
    def of(cls, scope: Scope, receive: Receive) -> "Request":
        """Returns the request of an ASGI scope. Uses the first value of a repeated header, as Go does."""
        headers = dict(reversed(scope["headers"]))
        raw_path = scope.get("raw_path") or quote(scope["path"]).encode()  # `raw_path` is optional in ASGI
        query_string = scope["query_string"]
        query = Query(query_string)
        extensions = scope.get("extensions", _NONE)
        return cls(
            scope["method"],
            raw_path,
            scope["path"],
            query_string,
            query,
            headers,
            receive,
            scheme=scope.get("scheme", "http"),
            all_headers=scope["headers"],
            write_now=extensions.get(WRITE_NOW),
            room=extensions.get(ROOM, _enough_room),
            gone=extensions.get(GONE),
            certificate=extensions.get(CLIENT_CERTIFICATE),
            websocket=extensions.get(WEBSOCKET),
        )

    @property
    def uri(self) -> str:
        """The path and the query of the request, percent-encoded."""
        query = b"?" + self.query_string if self.query_string else b""
        return (self.raw_path + query).decode("latin-1")

    def header(self, name: bytes) -> str:
        """Returns the first value of a header; "" if the header is missing. `name` must be in lower case."""
        return self.headers.get(name, b"").decode("latin-1")

    @property
    def user_agent(self) -> str:
        return self.headers.get(b"user-agent", b"").decode("utf-8", "replace")

    @property
    def is_from_observer(self) -> bool:
        """Whether an observer has sent the request (`fakeapi.journal.observer`)."""
        return self.headers.get(b"user-agent") == OBSERVER_BYTES

    async def body(self) -> bytes:
        """Receives and returns the whole body.

        Raises ApiError 413 if the body is longer than BODY_MAX, and ClientGone if the client disconnects.
        """
        chunks: list[bytes] = []
        size = 0
        while not self.drained:
            message = await self.receive()
            if message["type"] == "http.disconnect":
                raise ClientGone
            chunk = message.get("body", b"")
            size += len(chunk)
            if size <= BODY_MAX:
                chunks.append(chunk)
            self.drained = not message.get("more_body", False)
        if size > BODY_MAX:
            raise ApiError(413, "RequestEntityTooLarge", f"Request entity too large: limit is {BODY_MAX}")
        self.content = chunks[0] if len(chunks) == 1 else b"".join(chunks)
        return self.content

    def unread(self, body: bytes) -> None:
        """Lets the next call of `body` return these bytes, instead of receiving bytes from the client."""
        receive = self.receive

        async def again() -> Message:
            self.receive = receive
            return {"type": "http.request", "body": body, "more_body": False}

        self.receive, self.drained = again, False

    async def drain(self) -> None:
        """Receives and drops the rest of the body. Raises ClientGone if the client disconnects.

        Without this, an unread body would block other streams of an HTTP/2 connection.
        """
        while not self.drained:
            message = await self.receive()
            if message["type"] == "http.disconnect":
                raise ClientGone
            self.drained = not message.get("more_body", False)
