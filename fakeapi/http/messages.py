"""One request in, one response out, over ASGI: the only place that touches its messages."""

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from starlette.types import Receive, Scope, Send

from fakeapi.http.negotiation import JSON
from fakeapi.http.query import Query
from fakeapi.machinery.errors import ApiError

BODY_MAX = 3 * 1024 * 1024
"""The most bytes of a request body; more is a 413, and what follows is read and dropped."""

WARNINGS_LENGTH_MAX = 4096
"""More characters of warnings than this, and each is cut to WARNING_LENGTH_MAX."""
WARNING_LENGTH_MAX = 256

_WARNINGS_CACHED = 256

PLAIN_TEXT = "text/plain; charset=utf-8"
FLOW_HEADERS = (
    (b"cache-control", b"no-cache, private"),
    (b"x-kubernetes-pf-flowschema-uid", b"6b8f1f0e-4c0e-4c5c-9d0a-6f616b656170"),
    (b"x-kubernetes-pf-prioritylevel-uid", b"0f9a4d5e-8a43-4d8e-8b1c-6f616b656170"),
)


class ClientGone(Exception):
    """The client left before its request was whole."""


@dataclass(slots=True)
class Request:
    """A request: its line and headers at once, its body when it is asked for.

    `raw_path` and `query_string` are as the client sent them.
    """

    method: str
    raw_path: bytes
    path: str
    query_string: bytes
    query: Query
    headers: dict[bytes, bytes]
    receive: Receive
    drained: bool = False

    @classmethod
    def of(cls, scope: Scope, receive: Receive) -> "Request":
        """Of a header that is sent more than once the first counts, as in Go."""
        headers = dict(reversed(scope["headers"]))
        asked = scope["query_string"]
        return cls(scope["method"], scope["raw_path"], scope["path"], asked, Query(asked), headers, receive)

    @property
    def uri(self) -> str:
        """The path with the query, as the client sent them."""
        asked = b"?" + self.query_string if self.query_string else b""
        return (self.raw_path + asked).decode("latin-1")

    def header(self, name: bytes) -> str:
        """A header's value; empty where there is none."""
        return self.headers.get(name, b"").decode("latin-1")

    @property
    def user_agent(self) -> str:
        return self.headers.get(b"user-agent", b"").decode("utf-8", "replace")

    async def body(self) -> bytes:
        """The whole body. Raises ApiError 413, ClientGone."""
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
        return chunks[0] if len(chunks) == 1 else b"".join(chunks)

    async def drain(self) -> None:
        """Read what is left of the body: an unread body blocks other streams of an HTTP/2 connection."""
        while not self.drained:
            message = await self.receive()
            if message["type"] == "http.disconnect":
                raise ClientGone
            self.drained = not message.get("more_body", False)


@dataclass(slots=True)
class Response:
    """`warnings` become Warning headers, in order; `headers` replace those that every answer has."""

    status: int
    body: bytes
    media_type: str = JSON
    warnings: Iterable[str] = ()
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)

    async def send(self, send: Send, *, without_body: bool = False) -> None:
        """`without_body` for HEAD: the headers of the answer alone."""
        headers = head(self.media_type, self.warnings)
        if self.headers:
            own = {name for name, _ in self.headers}
            headers = [header for header in headers if header[0] not in own]
        await send(
            {
                "type": "http.response.start",
                "status": self.status,
                "headers": [
                    *headers,
                    (b"content-length", b"%d" % len(self.body)),
                    *self.headers,
                ],
            }
        )
        await send({"type": "http.response.body", "body": b"" if without_body else self.body})


def head(media_type: str, warnings: Iterable[str]) -> list[tuple[bytes, bytes]]:
    """The headers that every answer has, and its type; a 304 has none, or a client would take it for new."""
    headers = [
        (b"audit-id", _audit_id()),
        *FLOW_HEADERS,
    ]
    if media_type:
        headers.append((b"content-type", media_type.encode()))
    headers.extend((b"warning", _warning(text)) for text in shortened(warnings))
    return headers


def shortened(warnings: Iterable[str]) -> list[str]:
    """Warnings as they fit into headers: cut where they are too long together, and then no more than that."""
    texts = list(warnings)
    if sum(map(len, texts)) <= WARNINGS_LENGTH_MAX:
        return texts
    kept: list[str] = []
    length = 0
    for text in texts:
        if length >= WARNINGS_LENGTH_MAX:
            break
        kept.append(text[:WARNING_LENGTH_MAX])
        length += len(kept[-1])
    return kept


def _audit_id() -> bytes:
    text = os.urandom(16).hex()
    return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-8{text[17:20]}-{text[20:]}".encode()


@lru_cache(_WARNINGS_CACHED)
def _warning(text: str) -> bytes:
    """`299 - "text"`, quoted as RFC 7234 has it, control characters left out."""
    clean = (
        text if text.isprintable() else "".join(character for character in text if character.isprintable())
    )
    escaped = clean.replace("\\", "\\\\").replace('"', '\\"')
    return f'299 - "{escaped}"'.encode()
