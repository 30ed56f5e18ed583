"""Encodes one HTTP/1.1 response: status line, headers and body."""

from fakeapi.serving.request_head import Headers

_FRAMING_LENGTHS = {len(b"connection"), len(b"content-length")}
"""The lengths of the header names `connection` and `content-length`.

Names of other lengths need no comparison.
"""


class ResponseWriter:
    """Encodes one response.

    - `http_1_0`: whether the client uses HTTP/1.0, which has no chunks.
    - `is_head`: whether the request is a HEAD request, whose response has no body.
    - `closes`: whether the server closes the connection after the response.
    """

    def __init__(self, *, http_1_0: bool, is_head: bool, closes: bool) -> None:
        self._http_1_0 = http_1_0
        self._is_head = is_head
        self.closes = closes
        self.started = self.ended = False
        self._chunked = False
        self._left: int | None = None

    def start(self, status: int, phrase: bytes, headers: Headers) -> bytes:
        """Returns the bytes of the status line and the headers.

        Raises ValueError for a header with a line break or a NUL byte.
        """
        lines = [b"HTTP/1.1 %d %b" % (status, phrase)]
        for name, value in headers:
            lines.append(b"%b: %b" % (name, value))
            if len(name) not in _FRAMING_LENGTHS:
                continue
            lower = name.lower()
            if lower == b"content-length":
                self._left = int(value)
            elif lower == b"connection" and value.lower() == b"close":
                self.closes = True
        bodiless = status < 200 or status in {204, 304}
        if bodiless:
            self._left = 0
        elif self._left is None and not self._http_1_0:
            self._chunked = True
            lines.append(b"Transfer-Encoding: chunked")
        elif self._left is None:
            self.closes = True
        if self.closes and (b"connection", b"close") not in headers:
            lines.append(b"Connection: close")
        if self._is_head:
            self._left, self._chunked = 0, False
        block = b"\r\n".join(lines)
        breaks = len(lines) - 1
        if block.count(b"\r") != breaks or block.count(b"\n") != breaks or b"\0" in block:
            raise ValueError("a header of the response has a line break")
        self.started = True
        return block + b"\r\n\r\n"

    def data(self, data: bytes) -> bytes:
        """Returns the bytes for a part of the body.

        The bytes are a chunk if the response has no Content-Length, except for a client with HTTP/1.0.

        Raises ValueError if the body becomes longer than its Content-Length.
        """
        if self._chunked:
            return b"%x\r\n%b\r\n" % (len(data), data) if data else b""
        if self._left is not None:
            if len(data) > self._left:
                raise ValueError("the response is longer than its Content-Length")
            self._left -= len(data)
        return data

    def end(self) -> bytes:
        """Ends the body, and returns the bytes of the last chunk. Returns b"" for a body without chunks.

        Raises ValueError if the body is shorter than its Content-Length.
        """
        if self._left:
            raise ValueError("the response is shorter than its Content-Length")
        self.ended = True
        return b"0\r\n\r\n" if self._chunked else b""
