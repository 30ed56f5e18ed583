"""Reads and writes the SPDY/3.1 frames and headers that kubectl uses to forward ports.

Follows the SPDY Protocol, Draft 3.1. Omits flow control, like github.com/moby/spdystream.
"""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass

SYN_STREAM, SYN_REPLY, RST_STREAM, PING, GOAWAY = 1, 2, 3, 6, 7
FIN = 1
CANCEL = 5

FRAME_BYTES_MAX = 1 << 20
"""Maximum length of a frame in bytes. A longer frame ends the session."""
HEADER_BYTES_MAX = 16 * 1024
"""Maximum length of the headers of a stream in bytes. Longer headers end the session."""

_WORDS = (
    "options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges "
    "age allow authorization cache-control connection content-base content-encoding content-language "
    "content-length content-location content-md5 content-range content-type date etag expect expires from "
    "host if-match if-modified-since if-none-match if-range if-unmodified-since last-modified location "
    "max-forwards pragma proxy-authenticate proxy-authorization range referer retry-after server te trailer "
    "transfer-encoding upgrade user-agent vary via warning www-authenticate method get status 200_OK version "
    "HTTP/1.1 url public set-cookie keep-alive origin"
)
_REST = (
    "100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505"
    "203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized"
    "403 Forbidden404 Not Found500 Internal Server Error501 Not Implemented503 Service Unavailable"
    "Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMT"
    "chunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,"
    "text/javascript,publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0."
)


def _prefixed(data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + data


DICTIONARY = b"".join(_prefixed(word.replace("_", " ").encode()) for word in _WORDS.split()) + _REST.encode()
"""The zlib dictionary for compressed headers."""


class SpdyError(Exception):
    """Raised for invalid SPDY bytes, or for data over a limit. The session then ends."""


@dataclass(frozen=True, slots=True)
class Frame:
    """An SPDY frame.

    - `type`: None for a data frame.
    - `stream`: the id of the stream; 0 for the whole session. For a PING, the id of the ping.
    """

    type: int | None
    stream: int
    flags: int
    data: bytes


class FrameReader:
    """Splits received bytes into SPDY frames."""

    def __init__(self) -> None:
        self._left = b""

    def feed(self, data: bytes) -> Iterator[Frame]:
        """Adds received bytes and yields the complete frames.

        Raises SpdyError for a frame over FRAME_BYTES_MAX.
        """
        self._left += data
        while len(self._left) >= 8:
            length = int.from_bytes(self._left[5:8], "big")
            if length > FRAME_BYTES_MAX:
                raise SpdyError(f"a frame of {length} bytes")
            if len(self._left) < 8 + length:
                return
            head, body = self._left[:8], self._left[8 : 8 + length]
            self._left = self._left[8 + length :]
            first = int.from_bytes(head[:4], "big")
            if not first >> 31:
                yield Frame(None, first, head[4], body)
                continue
            kind = first & 0xFFFF
            yield Frame(kind, int.from_bytes(body[:4], "big") & 0x7FFFFFFF, head[4], body[4:])


class HeaderReader:
    """Decompresses the headers of the client's streams."""

    def __init__(self) -> None:
        self._zlib = zlib.decompressobj(zdict=DICTIONARY)

    def read(self, data: bytes) -> dict[str, str]:
        """Returns headers by lower-case name. Raises SpdyError if the headers are invalid or too long."""
        try:
            block = self._zlib.decompress(data, HEADER_BYTES_MAX)
        except zlib.error as error:
            raise SpdyError(str(error)) from None
        if self._zlib.unconsumed_tail:
            raise SpdyError(f"headers of more than {HEADER_BYTES_MAX} bytes")
        texts: list[str] = []
        position = 4
        for _ in range(2 * int.from_bytes(block[:4], "big")):
            length = int.from_bytes(block[position : position + 4], "big")
            if position + 4 + length > len(block):
                raise SpdyError("headers that are cut off")
            texts.append(block[position + 4 : position + 4 + length].decode("latin-1"))
            position += 4 + length
        return dict(zip((name.lower() for name in texts[::2]), texts[1::2], strict=True))


class FrameWriter:
    """Creates the SPDY frames that the server sends."""

    def __init__(self) -> None:
        self._zlib = zlib.compressobj(zdict=DICTIONARY)

    def reply(self, stream: int) -> bytes:
        """Returns the frame that accepts a stream, without headers."""
        block = self._zlib.compress(bytes(4)) + self._zlib.flush(zlib.Z_SYNC_FLUSH)
        return _control(SYN_REPLY, stream.to_bytes(4, "big") + block)

    @staticmethod
    def data(stream: int, data: bytes, *, is_last: bool = False) -> bytes:
        return stream.to_bytes(4, "big") + bytes((int(is_last),)) + len(data).to_bytes(3, "big") + data

    @staticmethod
    def reset(stream: int) -> bytes:
        return _control(RST_STREAM, stream.to_bytes(4, "big") + CANCEL.to_bytes(4, "big"))

    @staticmethod
    def ping(number: int) -> bytes:
        return _control(PING, number.to_bytes(4, "big"))


def _control(kind: int, body: bytes) -> bytes:
    head = ((1 << 31) | (3 << 16) | kind).to_bytes(4, "big")
    return head + bytes(1) + len(body).to_bytes(3, "big") + body
