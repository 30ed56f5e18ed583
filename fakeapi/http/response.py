"""HTTP responses over ASGI: one with a known body, and one that streams frames."""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol

from fakeapi.asgi import ClientStalled, Receive, Send
from fakeapi.http.negotiation import JSON

WARNINGS_LENGTH_MAX = 4096
"""More characters of warnings than this, and each is cut to WARNING_LENGTH_MAX."""
WARNING_LENGTH_MAX = 256

SEND_BYTES_MAX = 256 * 1024
"""Frames of a stream that are waiting go out together up to this size."""

JOINED_BYTES = 120 * 1024
"""Of a part of a list that is sent at once: from 128 KiB on, glibc takes fresh memory for each copy."""

TURN_SECONDS = 0.002
"""After as long others are served while the only long list is made, at the next part of it."""

UNREAD_SECONDS = 60.0
"""A list that is made while it is read waits as long for a client that reads nothing; then it is cut. As
kube-apiserver's limit of every request (`--request-timeout`)."""

_WARNINGS_CACHED = 256

PLAIN_TEXT = "text/plain; charset=utf-8"
FLOW_HEADERS = (
    (b"cache-control", b"no-cache, private"),
    (b"x-kubernetes-pf-flowschema-uid", b"6b8f1f0e-4c0e-4c5c-9d0a-6f616b656170"),
    (b"x-kubernetes-pf-prioritylevel-uid", b"0f9a4d5e-8a43-4d8e-8b1c-6f616b656170"),
)


class Packer(Protocol):
    """Compresses a body, part by part."""

    def compress(self, data: bytes, /) -> bytes: ...

    def flush(self) -> bytes: ...


@dataclass(slots=True)
class Response:
    """`warnings` become Warning headers, in order; `headers` replace those that every response has."""

    status: int
    body: bytes
    media_type: str = JSON
    warnings: Iterable[str] = ()
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)

    def whole(self) -> bytes:
        """The whole body."""
        return self.body

    async def send(
        self, audit_id: bytes, receive: Receive, send: Send, *, without_body: bool = False
    ) -> None:
        """`without_body` for HEAD: the headers of the response alone."""
        length = (b"content-length", b"%d" % len(self.body))
        headers = [*self._head(audit_id), length, *self.headers]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if without_body else self.body})

    def _head(self, audit_id: bytes) -> list[tuple[bytes, bytes]]:
        """The headers that every response has, without those that this one replaces."""
        headers = head(audit_id, self.media_type, self.warnings)
        if not self.headers:
            return headers
        own = {name for name, _ in self.headers}
        return [header for header in headers if header[0] not in own]

    def close(self) -> None:
        """Nothing is held."""


@dataclass(slots=True)
class Turn:
    """Which of the long lists of a server is made at a time: `lists` counts those that are under way."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    lists: int = 0
    began: float = 0.0


@dataclass(slots=True)
class LazyResponse(Response):
    """A long response whose body is made while the client reads: `pieces` follow `body`, one after the other.

    Its length is not known before its end, so it comes in chunks over HTTP/1.1, as a kube-apiserver's does.
    `turn` has other requests served between the parts of all long lists. `packer` compresses what is sent.
    """

    pieces: Iterable[bytes] = ()
    turn: Turn = field(default_factory=Turn)
    packer: Packer | None = None

    def whole(self) -> bytes:
        """The whole body, of which no piece was sent."""
        return b"".join((self.body, *self.pieces))

    async def send(
        self, audit_id: bytes, receive: Receive, send: Send, *, without_body: bool = False
    ) -> None:
        """Raises ClientStalled where the client reads nothing for UNREAD_SECONDS."""
        headers = [*self._head(audit_id), *self.headers]
        self.turn.lists += 1
        try:
            await _in_time(send({"type": "http.response.start", "status": self.status, "headers": headers}))
            parts = iter(()) if without_body else self._parts()
            while part := await self._next(parts):
                await _in_time(send({"type": "http.response.body", "body": part, "more_body": True}))
        except TimeoutError:
            raise ClientStalled from None
        finally:
            self.turn.lists -= 1
        await send({"type": "http.response.body", "body": b""})

    async def _next(self, parts: Iterator[bytes]) -> bytes:
        """The next part of the body, made when it is this response's turn; empty at the end."""
        turn = self.turn
        async with turn.lock:
            part = next(parts, b"")
            now = time.perf_counter()
            if turn.lists > 1 or now - turn.began > TURN_SECONDS:
                await asyncio.sleep(0)
                turn.began = now
        return part

    def _parts(self) -> Iterator[bytes]:
        """The body as it is sent: short pieces together, compressed where the client asked for it."""
        waiting: list[bytes] = [self.body]
        size = len(self.body)
        for piece in self.pieces:
            if len(piece) >= JOINED_BYTES:
                yield from self._packed(waiting)
                yield from self._packed((piece,))
                waiting, size = [], 0
                continue
            waiting.append(piece)
            size += len(piece)
            if size >= JOINED_BYTES // 2:
                yield from self._packed(waiting)
                waiting, size = [], 0
        yield from self._packed(waiting)
        if self.packer is not None:
            yield self.packer.flush()

    def _packed(self, pieces: Sequence[bytes]) -> Iterator[bytes]:
        """Pieces as parts of the body; none where nothing is to be sent yet."""
        packer = self.packer
        body = pieces[0] if len(pieces) == 1 else b"".join(pieces)
        for start in range(0, len(body), JOINED_BYTES):
            part = body[start : start + JOINED_BYTES]
            if part := part if packer is None else packer.compress(part):
                yield part


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


async def _in_time(sending: Awaitable[None]) -> None:
    """Raises TimeoutError where the client reads nothing for UNREAD_SECONDS."""
    async with asyncio.timeout(UNREAD_SECONDS):
        await sending


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
