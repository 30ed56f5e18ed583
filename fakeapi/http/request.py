"""Request: an HTTP request over ASGI; its body is read on demand."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from fakeapi.asgi import GONE, ROOM, WRITE_NOW, ClientGone, Gone, Message, Receive, Room, Scope, WriteNow
from fakeapi.http.query import Query
from fakeapi.machinery.errors import ApiError

BODY_MAX = 3 * 1024 * 1024
"""Maximum number of bytes of a request body; a longer one gets 413, and its rest is read and dropped."""


_NONE: dict[str, Any] = {}


def _enough_room(_: int) -> AbstractAsyncContextManager[None]:
    """Replaces the extension ROOM on servers without it: there is always room."""
    return nullcontext()


@dataclass(slots=True)
class Request:
    """An HTTP request.

    - `raw_path` and `query_string` are undecoded; `path` is decoded.
    - `headers` has the first value of each header, `all_headers` every value in order.
    - `content` is the body after it was read.
    - `write_now`, `room` and `gone` are the server's extensions WRITE_NOW, ROOM and GONE.
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

    @classmethod
    def of(cls, scope: Scope, receive: Receive) -> "Request":
        """Makes a request from an ASGI scope. The first value of a repeated header counts, as in Go."""
        headers = dict(reversed(scope["headers"]))
        raw_path = scope.get("raw_path") or quote(scope["path"]).encode()  # optional in ASGI
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
        )

    @property
    def uri(self) -> str:
        """The path with the query, undecoded."""
        query = b"?" + self.query_string if self.query_string else b""
        return (self.raw_path + query).decode("latin-1")

    def header(self, name: bytes) -> str:
        """Returns the value of a header; empty if it is missing."""
        return self.headers.get(name, b"").decode("latin-1")

    @property
    def user_agent(self) -> str:
        return self.headers.get(b"user-agent", b"").decode("utf-8", "replace")

    async def body(self) -> bytes:
        """Reads the whole body. Raises ApiError 413, ClientGone."""
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
        """Makes a body readable again after it was read."""
        receive = self.receive

        async def again() -> Message:
            self.receive = receive
            return {"type": "http.request", "body": body, "more_body": False}

        self.receive, self.drained = again, False

    async def drain(self) -> None:
        """Reads and drops the rest of the body, which would block other streams of an HTTP/2 connection.

        Raises ClientGone.
        """
        while not self.drained:
            message = await self.receive()
            if message["type"] == "http.disconnect":
                raise ClientGone
            self.drained = not message.get("more_body", False)
