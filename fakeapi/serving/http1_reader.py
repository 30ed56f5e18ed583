"""Parses HTTP/1.1 requests: with llhttp, or with h11 if llhttp might read the request differently.

The first request for h11 imports h11. Servers of most tests never get such a request.
"""

from typing import TYPE_CHECKING

import httptools
import msgspec

from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.serving.request_head import (
    BAD_REQUEST,
    HEAD_TOO_LARGE,
    UNSUPPORTED_ENCODING,
    Headers,
    Refusal,
    RequestHead,
    read_head,
)

if TYPE_CHECKING:
    import h11

HEADER_BYTES = 1 << 20
"""Maximum size of request line and headers in bytes, as in Go's net/http.

The server sends 431 for a larger request line and headers.
"""

REMEMBERED_HEADS = 4
"""Maximum number of header blocks that a connection caches in parsed form. A full cache is cleared."""

REMEMBERED_BYTES = 4096
"""Maximum size, in bytes, of a cached header block. Longer header blocks are parsed for each request."""

_LINE = lazy_pattern(rb"(GET|POST|PUT|PATCH|DELETE) (/[A-Za-z0-9/._~!$&'()*+,;=:@%?-]*) HTTP/1\.1\r\n")
"""Matches request lines that llhttp and h11 parse with equal results."""

_REFUSALS = {431: HEAD_TOO_LARGE, 501: UNSUPPORTED_ENCODING}
_UNUSUAL = {b"transfer-encoding", b"expect", b"upgrade"}


class Ended:
    """The event that the body of a request is completely parsed."""


ENDED = Ended()


class Started(msgspec.Struct, frozen=True):
    """The event that the head of a request is complete. Events for the body follow, and then ENDED.

    - `version`: the HTTP version, such as "1.1".
    - `asks`: whether the client waits for the response 100 Continue before it sends the body.
    """

    head: RequestHead
    version: str
    asks: bool = False


class Preface(msgspec.Struct, frozen=True):
    """The event that the client sent the HTTP/2 preface.

    `rest`: the received bytes after the preface's first line.
    """

    rest: bytes


class RequestReader:
    """Parses the requests of one HTTP/1.1 connection, one after the other.

    llhttp takes a tenth of the time of h11. The reader uses llhttp for a head that arrives in one piece, if
    both parsers read it with equal results. Such a head is HTTP/1.1 with one Host header, and without
    Transfer-Encoding, Expect and Upgrade. For all other requests, h11 decides whether they are valid.
    """

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._h11: h11.Connection | None = None
        self._left = 0
        self._in_request = False
        self._over = False
        self._remembered: dict[bytes, RequestHead] = {}

    @property
    def waiting(self) -> int:
        """The number of received bytes that the reader has not parsed yet."""
        if self._h11 is not None:
            return len(self._h11.trailing_data[0])
        return len(self._buffer)

    @property
    def complete(self) -> bool:
        """Whether the current request is completely parsed, including its body."""
        return self._over

    def feed(self, data: bytes) -> None:
        if self._h11 is not None:
            self._h11.receive_data(data)
        else:
            self._buffer += data

    def next_request(self) -> None:
        """Starts to parse the next request. The current request must be complete."""
        if self._h11 is not None:
            self._buffer = bytearray(self._h11.trailing_data[0])
            self._h11 = None
        self._in_request = self._over = False

    def rest(self) -> bytes:
        """Returns all received bytes after the end of the request, such as WebSocket frames."""
        return bytes(self._buffer) if self._h11 is None else self._h11.trailing_data[0]

    def next(self) -> Started | Preface | Refusal | bytes | Ended | None:
        """Returns the next event: a request head, body bytes, ENDED, a Preface, or a Refusal.

        A Refusal is the error response for an invalid request.

        Returns None if the parser needs more bytes, or if the current request is complete or refused.
        """
        if self._over:
            return None
        if self._h11 is not None:
            return self._next_of_h11()
        if self._in_request:
            return self._next_of_body()
        if not self._buffer:
            return None
        started = self._read_ordinary()
        if started is not None:
            self._in_request = True
            self._left = started.head.content_length
            return started
        import h11  # noqa: PLC0415 - see the docstring of the module

        self._h11 = h11.Connection(h11.SERVER, max_incomplete_event_size=HEADER_BYTES)
        self._h11.receive_data(bytes(self._buffer))
        self._buffer.clear()
        return self._next_of_h11()

    def _next_of_body(self) -> bytes | Ended | None:
        if self._left == 0:
            self._over = True
            return ENDED
        data = bytes(self._buffer[: self._left])
        del self._buffer[: len(data)]
        self._left -= len(data)
        return data or None

    def _next_of_h11(self) -> Started | Preface | Refusal | bytes | Ended | None:
        import h11  # noqa: PLC0415 - see the docstring of the module

        assert self._h11 is not None, "the caller has looked"
        try:
            event = self._h11.next_event()
        except h11.RemoteProtocolError as error:
            return _REFUSALS.get(error.error_status_hint, BAD_REQUEST)
        if isinstance(event, h11.Data):
            return bytes(event.data)
        if isinstance(event, h11.EndOfMessage):
            self._over = True
            return ENDED
        if not isinstance(event, h11.Request):
            return None
        if (event.method, event.target, event.http_version) == (b"PRI", b"*", b"2.0"):
            return Preface(self._h11.trailing_data[0])
        head = read_head(event.method, event.target, event.http_version, list(event.headers))
        if isinstance(head, Refusal):
            return head
        asks = self._h11.they_are_waiting_for_100_continue
        return Started(head, event.http_version.decode("ascii"), asks)

    def _read_ordinary(self) -> Started | None:
        end = self._buffer.find(b"\r\n\r\n") + 4
        if end < 4 or end > HEADER_BYTES:
            return None
        raw = bytes(self._buffer[:end])
        line = _LINE.match(raw)
        fields = b"" if line is None else raw[line.end() :]
        known = self._remembered.get(fields)
        if line is not None and known is not None:
            del self._buffer[:end]
            return Started(_again(known, *line.groups()), "1.1")
        started = self._read_anew(raw)
        if started is not None:
            del self._buffer[:end]
            if fields and len(fields) <= REMEMBERED_BYTES:
                if len(self._remembered) >= REMEMBERED_HEADS:
                    self._remembered.clear()
                self._remembered[fields] = started.head
        return started

    def _read_anew(self, raw: bytes) -> Started | None:
        """Parses a request head with llhttp.

        Returns None if h11 must parse the head, because the result of h11 might differ.
        """
        collected = _Collected()
        parser = httptools.HttpRequestParser(collected)
        try:
            parser.feed_data(raw)
        except httptools.HttpParserError:
            return None
        except httptools.HttpParserUpgrade:
            return None
        method = parser.get_method()
        names = collected.names
        line = method + b" " + collected.target + b" HTTP/1.1\r\n"
        if not raw.startswith(line) or names.count(b"host") != 1 or not _UNUSUAL.isdisjoint(names):
            return None
        head = read_head(method, collected.target, b"1.1", collected.headers)
        return None if isinstance(head, Refusal) else Started(head, "1.1")


def _again(known: RequestHead, method: bytes, target: bytes) -> RequestHead:
    """Returns the cached request head `known` with a new method and target.

    The new request has the same headers as the cached request.
    """
    return RequestHead(
        method,
        target,
        [*known.headers],
        known.content_length,
        known.has_body,
        known.is_websocket,
        known.closes,
    )


class _Collected:
    """Collects the request target and the headers from the callbacks of httptools."""

    def __init__(self) -> None:
        self.target = b""
        self.headers: Headers = []
        self.names: list[bytes] = []

    def on_url(self, url: bytes) -> None:
        self.target += url

    def on_header(self, name: bytes, value: bytes) -> None:
        lower = name.lower()
        self.names.append(lower)
        self.headers.append((lower, value.strip(b" \t")))
