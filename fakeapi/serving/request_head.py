"""Checks the head of an HTTP/1.1 request like Go's net/http, after the parser has checked its syntax."""

import re

import msgspec

from fakeapi.machinery.lazy_pattern import lazy_pattern

Headers = list[tuple[bytes, bytes]]

_ABSOLUTE = lazy_pattern(rb"[A-Za-z][A-Za-z0-9+.-]*:(?://(?P<authority>[^/?#]*)(?P<path>.*))?", re.DOTALL)
_HOST_AND_PORT = lazy_pattern(rb"(?:\[[0-9A-Fa-f:.%]*\]|[^\[\]:]*)(?::[0-9]*)?")


class Refusal(msgspec.Struct, frozen=True):
    """The error response to an invalid request. The application does not receive the request.

    The server closes the connection after this response.
    """

    status: int
    phrase: bytes
    body: bytes


def refusal(status: int, phrase: bytes, detail: bytes = b"") -> Refusal:
    """Returns an error response with the texts of Go's net/http.

    Both the status line and the body of the response contain `phrase` and `detail`.
    """
    complete = phrase + b": " + detail if detail else phrase
    return Refusal(status, complete, b"%d %b" % (status, complete))


BAD_REQUEST = refusal(400, b"Bad Request")
REQUEST_TIMEOUT = refusal(408, b"Request Timeout")
HEAD_TOO_LARGE = refusal(431, b"Request Header Fields Too Large")
UNSUPPORTED_ENCODING = Refusal(501, b"Not Implemented", b"Unsupported transfer encoding")
UNSUPPORTED_VERSION = refusal(505, b"HTTP Version Not Supported", b"unsupported protocol version")
UNKNOWN_EXPECTATION = Refusal(417, b"Expectation Failed", b"")


class RequestHead(msgspec.Struct, frozen=True):
    """The parsed head of a request.

    - `target`: a path with its query, or `*`; empty for CONNECT, and for a URL that is opaque or has no path.
    - `headers`: the headers for the application, with names in lower case.
    - `content_length`: 0 without the header Content-Length.
    - `closes`: whether the server closes the connection after the response.
    """

    method: bytes
    target: bytes
    headers: Headers
    content_length: int
    has_body: bool
    is_websocket: bool
    closes: bool


def read_head(method: bytes, target: bytes, version: bytes, headers: Headers) -> RequestHead | Refusal:
    """Checks the head of a request. Returns the checked head, or the error response if the head is invalid.

    The parser must have checked the syntax. The names in `headers` must be in lower case.

    - The host of a target such as `http://host/path` replaces the Host header.
    - If the request has Content-Length and Transfer-Encoding, drops the Content-Length. The server then
      closes the connection after the response (RFC 9112, 6.3).
    - Drops the header Sec-WebSocket-Extensions of a WebSocket handshake.

    Follows net/http readRequest and readTransfer, and net/url ParseRequestURI.
    """
    if not version.startswith(b"1."):
        return UNSUPPORTED_VERSION
    path_and_host = _read_target(method, target)
    if path_and_host is None:
        return BAD_REQUEST
    path, host = path_and_host
    if host:
        headers = [(b"host", host), *((n, v) for n, v in headers if n != b"host")]
    names = {name for name, _ in headers}
    if b"expect" in names and version != b"1.0" and not _has_token(headers, b"expect", b"100-continue"):
        return UNKNOWN_EXPECTATION
    both = b"transfer-encoding" in names and b"content-length" in names
    if both:
        headers = [(n, v) for n, v in headers if n != b"content-length"]
    is_websocket = b"upgrade" in names and _asks_for_websocket(method, headers)
    if is_websocket:
        if not all(value.isascii() for _, value in headers):
            return BAD_REQUEST
        # Without extensions, a client cannot send compressed messages, which could fill the memory.
        headers = [(n, v) for n, v in headers if n != b"sec-websocket-extensions"]
    length = int(next((value for name, value in headers if name == b"content-length"), b"0"))
    has_body = length > 0 or b"transfer-encoding" in names
    closes = both or version == b"1.0" or _has_token(headers, b"connection", b"close")
    return RequestHead(method, path, headers, length, has_body, is_websocket, closes)


def _read_target(method: bytes, target: bytes) -> tuple[bytes, bytes] | None:
    """Returns a target's path with its query, and the host of an absolute URL or b"".

    Returns None for an invalid target.
    """
    if target.startswith(b"/") or target == b"*":
        return target, b""
    if method == b"CONNECT":
        return b"", b""
    absolute = _ABSOLUTE.match(target)
    if absolute is None:
        return None
    if absolute["authority"] is None:
        return b"", b""
    host = absolute["authority"].rpartition(b"@")[2]
    if _HOST_AND_PORT.fullmatch(host) is None:
        return None
    return absolute["path"], host


def _asks_for_websocket(method: bytes, headers: Headers) -> bool:
    return (
        method == b"GET"
        and _has_token(headers, b"connection", b"upgrade")
        and _has_token(headers, b"upgrade", b"websocket")
    )


def _has_token(headers: Headers, name: bytes, token: bytes) -> bool:
    return any(
        token == part.strip() for key, value in headers if key == name for part in value.lower().split(b",")
    )
