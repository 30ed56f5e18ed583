"""HTTP responses over ASGI: Response, LazyResponse for long lists, and StreamingResponse for watches."""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol

from fakeapi.asgi import ClientStalled, Gone, Receive, Send, WriteNow, until_disconnected
from fakeapi.http.negotiation import JSON
from fakeapi.http.turns import Turn

WARNINGS_LENGTH_MAX = 4096
"""Length of all warnings together, in characters, above which `shortened` cuts the warnings."""
WARNING_LENGTH_MAX = 256
"""Maximum length of one warning, in characters, if WARNINGS_LENGTH_MAX is exceeded."""

SEND_BYTES_MAX = 256 * 1024
"""Number of bytes at which a stream sends its collected frames as one ASGI message."""

JOINED_BYTES = 120 * 1024
"""Maximum size, in bytes, of one write of a list.

For 128 KiB or more, glibc would map new memory for each copy.
"""

TURN_SECONDS = 0.002
"""Seconds after which the server lets other tasks run while it generates a long list."""

UNREAD_SECONDS = 60.0
"""Seconds after which the server cuts off a long list if the client reads nothing.

kube-apiserver has the same limit for the whole request (`--request-timeout`).
"""

_WARNINGS_CACHED = 256

PLAIN_TEXT = "text/plain; charset=utf-8"
SCHEMA_HEADER, LEVEL_HEADER = b"x-kubernetes-pf-flowschema-uid", b"x-kubernetes-pf-prioritylevel-uid"
FLOW_HEADERS = (
    (b"cache-control", b"no-cache, private"),
    (SCHEMA_HEADER, b"6b8f1f0e-4c0e-4c5c-9d0a-6f616b656170"),
    (LEVEL_HEADER, b"0f9a4d5e-8a43-4d8e-8b1c-6f616b656170"),
)
"""Headers of every response. `fakeapi.http.flows` replaces the uids while FlowSchemas are stored."""


class Packer(Protocol):
    """Compresses a body part by part, like `zlib.compressobj`."""

    def compress(self, data: bytes, /) -> bytes: ...

    def flush(self) -> bytes: ...


@dataclass(slots=True)
class Response:
    """A response with a known body.

    - `warnings`: the texts of the response's Warning headers, in order.
    - `headers`: more headers, which replace default headers with the same names.
    """

    status: int
    body: bytes
    media_type: str = JSON
    warnings: Iterable[str] = ()
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)

    def whole(self) -> bytes:
        """Returns the complete body."""
        return self.body

    async def send(
        self, audit_id: bytes, receive: Receive, send: Send, *, without_body: bool = False
    ) -> None:
        """Sends the response. `without_body`: whether to send only the headers, for a HEAD request."""
        length = (b"content-length", b"%d" % len(self.body))
        headers = [*self._head(audit_id), length, *self.headers]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if without_body else self.body})

    def _head(self, audit_id: bytes) -> list[tuple[bytes, bytes]]:
        """Returns the default headers, except those that `headers` replaces.

        `audit_id`: the value of Audit-ID.
        """
        headers = head(audit_id, self.media_type, self.warnings)
        if not self.headers:
            return headers
        own = {name for name, _ in self.headers}
        return [header for header in headers if header[0] not in own]

    def close(self) -> None:
        """Does nothing, because a Response has no resources to release."""


@dataclass(slots=True)
class LazyResponse(Response):
    """A long response that is generated while the client reads it: first `body`, then `pieces`.

    The length is unknown in advance, so HTTP/1.1 sends the response in chunks, like kube-apiserver.

    - `turn`: a lock that lets the lists of several clients take turns, part by part.
    - `gone` and `write_now`: functions of the ASGI server; see GONE and WRITE_NOW in `fakeapi.asgi`.
    - `packer`: compresses the body; None sends the body uncompressed.
    - `sent`: the number of bytes of the body that `send` has sent.
    """

    pieces: Iterable[bytes] = ()
    turn: Turn = field(default_factory=Turn)
    gone: Gone | None = None
    write_now: WriteNow | None = None
    packer: Packer | None = None
    sent: int = 0

    def whole(self) -> bytes:
        """Returns the complete body.

        Call this before `send` or not at all, because it consumes the pieces.
        """
        return b"".join((self.body, *self.pieces))

    async def send(
        self, audit_id: bytes, receive: Receive, send: Send, *, without_body: bool = False
    ) -> None:
        """Generates and sends the response.

        `without_body`: whether to send only the headers, for a HEAD request.

        Raises ClientGone if the client disconnects, and ClientStalled if the client reads nothing for
        UNREAD_SECONDS.
        """
        headers = [*self._head(audit_id), *self.headers]
        self.turn.lists += 1
        try:
            await _in_time(send({"type": "http.response.start", "status": self.status, "headers": headers}))
            parts = iter(()) if without_body else self._parts()
            while part := await self._next(parts):
                self.sent += len(part)
                if self.write_now is None or not self.write_now(part):
                    await _in_time(send({"type": "http.response.body", "body": part, "more_body": True}))
        except TimeoutError:
            raise ClientStalled from None
        finally:
            self.turn.lists -= 1
        await send({"type": "http.response.body", "body": b""})

    async def _next(self, parts: Iterator[bytes]) -> bytes:
        """Waits until this response may continue; returns the next of its `parts`, b"" at the end."""
        turn = self.turn
        if turn.lists > 1:
            async with turn.held(self.gone):
                part = next(parts, b"")
                await asyncio.sleep(0)
            return part
        part = next(parts, b"")
        if time.perf_counter() - turn.resumed > TURN_SECONDS:
            await asyncio.sleep(0)
            turn.resumed = time.perf_counter()
        return part

    def _parts(self) -> Iterator[bytes]:
        """Yields the body in parts, one for each write. Compresses the parts if the response has a packer."""
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
        """Joins pieces and yields them in parts of at most JOINED_BYTES.

        Compresses the parts if the response has a packer. Yields nothing while the packer keeps the data in
        its own buffer.
        """
        packer = self.packer
        body = pieces[0] if len(pieces) == 1 else b"".join(pieces)
        for start in range(0, len(body), JOINED_BYTES):
            part = body[start : start + JOINED_BYTES]
            if part := part if packer is None else packer.compress(part):
                yield part


@dataclass(slots=True, eq=False)
class StreamingResponse:
    """A response that sends frames as they arrive, and never splits a frame.

    - `frames`: yields lists of frames; a filter can wrap this generator to change the stream.
    - `on_close`: called once, when the stream has ended or when the response is dropped unsent.
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
        """Sends frames until the generator ends, `end` is called, or the client disconnects."""
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
        """Ends the stream as if its timeout had passed.

        `last`: frames to send instead of frames that still wait.
        """
        self._last = last
        self._is_over = True
        if self._pump is not None:
            self._pump.cancel()

    def close(self) -> None:
        """Calls the callback `on_close`. A second call does nothing."""
        on_close, self.on_close = self.on_close, _nothing
        on_close()

    async def _stream(self, receive: Receive, send: Send) -> bool:
        """Sends the frames. Returns whether the frames ended before the client disconnected.

        Raises the exceptions of the generator `frames`.
        """
        self._pump = pump = asyncio.ensure_future(self._send_frames(send))
        leave = asyncio.ensure_future(until_disconnected(receive))
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
        """Joins waiting frames into few long messages, and sends these messages.

        Lets other tasks run between messages.
        """
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
    """Sends a message by awaiting `sending`. Raises TimeoutError if this takes longer than UNREAD_SECONDS."""
    async with asyncio.timeout(UNREAD_SECONDS):
        await sending


def _nothing() -> None:
    """Does nothing. Replaces the callback `on_close` of a stream that is already closed."""


def head(audit_id: bytes, media_type: str, warnings: Iterable[str]) -> list[tuple[bytes, bytes]]:
    """Returns the default headers, the Content-Type and the Warning headers of a response.

    - `audit_id`: the value of the Audit-ID header.
    - `media_type`: empty for no Content-Type. A response 304 has no Content-Type, because clients would treat
      the response as new.
    """
    headers = [(b"audit-id", audit_id), *FLOW_HEADERS]
    if media_type:
        headers.append((b"content-type", media_type.encode()))
    headers.extend((b"warning", _warning(text)) for text in shortened(warnings))
    return headers


def shortened(warnings: Iterable[str]) -> list[str]:
    """Returns the warnings, shortened if they are longer than WARNINGS_LENGTH_MAX characters together.

    Over this limit, cuts each warning to WARNING_LENGTH_MAX characters. Omits all warnings after the one with
    which the cut warnings reach WARNINGS_LENGTH_MAX characters.
    """
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
    """Returns the Warning header `299 - "text"`, quoted as in RFC 7234 and without control characters."""
    clean = (
        text if text.isprintable() else "".join(character for character in text if character.isprintable())
    )
    escaped = clean.replace("\\", "\\\\").replace('"', '\\"')
    return f'299 - "{escaped}"'.encode()
