"""HTTP messages in traces: which headers are kept, how bodies are decoded, and what is a watch."""

import re
import zlib
from collections.abc import Iterable

from fakeapi.machinery.meta import request_info
from fakeapi.traces.model import Headers

BODY_MAX = 16 << 20
"""Bytes of a body, or of one watch's events, that are recorded; the exchange names the rest as missing."""

MEMBERS_MAX = 16
"""Members of a gzip body; each copies all that follow, so that many would take quadratic time."""

_WINDOW_BITS = {"gzip": 31, "x-gzip": 31, "deflate": 15}
"""zlib's `wbits` for each Content-Encoding that is decoded."""

PROTOBUF = "application/vnd.kubernetes.protobuf"
CBOR = "application/cbor"

_NOT_KEPT = frozenset(
    {
        "accept-encoding",
        "alt-svc",
        "connection",
        "content-encoding",
        "content-length",
        "date",
        "expect",
        "host",
        "keep-alive",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
"""Headers about the connection, the transfer coding or the date. They say nothing about the request."""

_KUBERNETES = re.compile(
    r"/(?:apis?|version|openapi|healthz|livez|readyz|metrics|\.well-known|logs|flagz|statusz)(?:[/?]|$)"
)


def kept(headers: Iterable[tuple[str, str]]) -> Headers:
    """The headers that belong in a trace, with their names in lower case."""
    lowered = ((name.lower(), value) for name, value in headers)
    return tuple(pair for pair in lowered if pair[0] not in _NOT_KEPT and pair[0][:1] != ":")


def first(headers: Iterable[tuple[str, str]], name: str) -> str:
    """The value of the first header with that name, which is in lower case, or ""."""
    return next((value for key, value in headers if key == name), "")


def is_kubernetes(target: str) -> bool:
    """Whether the path of a target is one of the Kubernetes API server's."""
    return _KUBERNETES.match(target) is not None


def is_watch(method: str, target: str) -> bool:
    """Whether Kubernetes answers the request with a stream of events."""
    if method != "GET" or "watch" not in target:
        return False
    path, _, query = target.partition("?")
    return request_info.verb_of(method, request_info.parse(path), query) == "watch"


class NotDecoded(Exception):
    """A body cannot be decoded; the message says why."""


def decoded(data: bytes, encoding: str) -> bytes:
    """A body without its Content-Encoding, of at most BODY_MAX bytes. Raises NotDecoded."""
    encoding = encoding.strip().lower()
    if encoding in {"", "identity"}:
        return data
    if encoding not in _WINDOW_BITS:
        raise NotDecoded(f"{encoding} cannot be decoded")
    inflater = Inflater(encoding)
    try:
        body = inflater.inflate(data, BODY_MAX + 1)
    except zlib.error as error:
        raise NotDecoded(f"{encoding} cannot be decoded") from error
    if len(body) > BODY_MAX:
        raise NotDecoded("too long")
    if not inflater.is_complete:
        raise NotDecoded(f"{encoding} cannot be decoded")
    return body


class Inflater:
    """Decompresses a gzip or deflate stream piece by piece, into no more bytes than are asked for."""

    def __init__(self, encoding: str) -> None:
        """`encoding`: "gzip" or "deflate"."""
        self._bits = _WINDOW_BITS[encoding]
        self._members = 1
        self._stream = zlib.decompressobj(self._bits)

    def inflate(self, data: bytes, limit: int) -> bytes:
        """At most `limit` bytes; the rest of the data is dropped. Raises zlib.error."""
        body = bytearray(self._stream.decompress(data, limit))
        while self._stream.eof and self._stream.unused_data and len(body) < limit:
            self._members += 1
            if self._members > MEMBERS_MAX:
                raise zlib.error(f"more than {MEMBERS_MAX} members")
            data = self._stream.unused_data
            self._stream = zlib.decompressobj(self._bits)
            body += self._stream.decompress(data, limit - len(body))
        return bytes(body)

    @property
    def is_complete(self) -> bool:
        """Whether the end of the stream has come."""
        return self._stream.eof
