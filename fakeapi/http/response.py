"""HTTP responses over ASGI: one with a known body, and one that streams frames."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from fakeapi.asgi import Receive, Send
from fakeapi.http.negotiation import JSON

WARNINGS_LENGTH_MAX = 4096
"""More characters of warnings than this, and each is cut to WARNING_LENGTH_MAX."""
WARNING_LENGTH_MAX = 256

SEND_BYTES_MAX = 256 * 1024
"""Frames of a stream that are waiting go out together up to this size."""

SENT_UNCOPIED_FROM = 64 * 1024
"""A piece of as many bytes is sent by itself, and not copied into a message with others."""

_WARNINGS_CACHED = 256

PLAIN_TEXT = "text/plain; charset=utf-8"
FLOW_HEADERS = (
    (b"cache-control", b"no-cache, private"),
    (b"x-kubernetes-pf-flowschema-uid", b"6b8f1f0e-4c0e-4c5c-9d0a-6f616b656170"),
    (b"x-kubernetes-pf-prioritylevel-uid", b"0f9a4d5e-8a43-4d8e-8b1c-6f616b656170"),
)


@dataclass(slots=True)
class Response:
    """`warnings` become Warning headers, in order; `headers` replace those that every response has.

    A large body is in `pieces`, which follow `body` and are sent one by one: it is never joined.
    """

    status: int
    body: bytes
    media_type: str = JSON
    warnings: Iterable[str] = ()
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)
    pieces: Sequence[bytes] = ()

    @property
    def size(self) -> int:
        """Bytes of the whole body."""
        return len(self.body) + sum(map(len, self.pieces))

    async def send(
        self, audit_id: bytes, receive: Receive, send: Send, *, without_body: bool = False
    ) -> None:
        """`without_body` for HEAD: the headers of the response alone."""
        headers = head(audit_id, self.media_type, self.warnings)
        if self.headers:
            own = {name for name, _ in self.headers}
            headers = [header for header in headers if header[0] not in own]
        await send(
            {
                "type": "http.response.start",
                "status": self.status,
                "headers": [
                    *headers,
                    (b"content-length", b"%d" % self.size),
                    *self.headers,
                ],
            }
        )
        if self.pieces and not without_body:
            await self._send_pieces(send)
        else:
            await send({"type": "http.response.body", "body": b"" if without_body else self.body})

    async def _send_pieces(self, send: Send) -> None:
        """Sends few messages, giving the loop a turn between them."""
        waiting, size = [self.body], len(self.body)
        for piece in self.pieces:
            if len(piece) >= SENT_UNCOPIED_FROM:
                await send(_part(waiting))
                await send(_part((piece,)))
                await asyncio.sleep(0)
                waiting, size = [], 0
                continue
            waiting.append(piece)
            size += len(piece)
            if size >= SEND_BYTES_MAX:
                await send(_part(waiting))
                await asyncio.sleep(0)
                waiting, size = [], 0
        await send({"type": "http.response.body", "body": b"".join(waiting)})

    def close(self) -> None:
        """Nothing is held."""


@dataclass(slots=True, eq=False)
class StreamingResponse:
    """A response whose body is sent in frames as they come; a frame is never split.

    `frames` yields lists of them; a filter changes a stream by putting a generator of its own around it.
    `on_close` is called once, when the stream has ended or the response is thrown away unsent.
    """

    frames: AsyncGenerator[Sequence[bytes], None]
    on_close: Callable[[], None]
    status: int = 200
    media_type: str = JSON
    warnings: Iterable[str] = ()
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)
    _pump: "asyncio.Future[None] | None" = None
    _is_over: bool = False
    _last: Sequence[bytes] = ()

    async def send(
        self, audit_id: bytes, receive: Receive, send: Send, *, without_body: bool = False
    ) -> None:
        """Sends frames until they end, `end` is called, or the client leaves."""
        headers = [*head(audit_id, self.media_type, self.warnings), *self.headers]
        try:
            await send({"type": "http.response.start", "status": self.status, "headers": headers})
            if not self._is_over and not await self._stream(receive, send):
                return
            if self._last:
                await send(_part(self._last))
            await send({"type": "http.response.body", "body": b""})
        finally:
            self.close()

    def end(self, *last: bytes) -> None:
        """Ends the stream as if its time had come, with these frames; those that are waiting are dropped."""
        self._last = last
        self._is_over = True
        if self._pump is not None:
            self._pump.cancel()

    def close(self) -> None:
        """Releases the source of the frames; harmless when repeated."""
        on_close, self.on_close = self.on_close, _nothing
        on_close()

    async def _stream(self, receive: Receive, send: Send) -> bool:
        """Whether the stream has ended before the client left. Raises what the frames raise."""
        self._pump = pump = asyncio.ensure_future(self._send_frames(send))
        leave = asyncio.ensure_future(_until_gone(receive))
        try:
            await asyncio.wait((pump, leave), return_when=asyncio.FIRST_COMPLETED)
            if pump.done() and not pump.cancelled():
                pump.result()
            return pump.done() or not leave.done()
        finally:
            pump.cancel()
            leave.cancel()
            await asyncio.gather(pump, leave, return_exceptions=True)
            await self.frames.aclose()

    async def _send_frames(self, send: Send) -> None:
        """Sends few messages for many frames, giving the loop a turn between them."""
        async for frames in self.frames:
            waiting: list[bytes] = []
            size = 0
            for frame in frames:
                waiting.append(frame)
                size += len(frame)
                if size >= SEND_BYTES_MAX:
                    await send(_part(waiting))
                    await asyncio.sleep(0)
                    waiting, size = [], 0
            if waiting:
                await send(_part(waiting))


AnyResponse = Response | StreamingResponse


def _part(frames: Sequence[bytes]) -> dict[str, object]:
    body = frames[0] if len(frames) == 1 else b"".join(frames)
    return {"type": "http.response.body", "body": body, "more_body": True}


def _nothing() -> None:
    """There is nothing to close any more."""


async def _until_gone(receive: Receive) -> None:
    """Returns when the client has left; what it still sends is dropped."""
    while (await receive())["type"] != "http.disconnect":
        pass


def head(audit_id: bytes, media_type: str, warnings: Iterable[str]) -> list[tuple[bytes, bytes]]:
    """The headers that every response has, and its type.

    A 304 has no type: with one, a client would take it for new.
    """
    headers = [(b"audit-id", audit_id), *FLOW_HEADERS]
    if media_type:
        headers.append((b"content-type", media_type.encode()))
    headers.extend((b"warning", _warning(text)) for text in shortened(warnings))
    return headers


def shortened(warnings: Iterable[str]) -> list[str]:
    """Warnings as they fit into headers: too long together, each is cut, and the last are left out."""
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


@lru_cache(_WARNINGS_CACHED)
def _warning(text: str) -> bytes:
    """`299 - "text"`, quoted as RFC 7234 has it, control characters left out."""
    clean = (
        text if text.isprintable() else "".join(character for character in text if character.isprintable())
    )
    escaped = clean.replace("\\", "\\\\").replace('"', '\\"')
    return f'299 - "{escaped}"'.encode()
