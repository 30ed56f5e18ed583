"""HTTP messages in traces: selects headers, decodes bodies and recognizes watches."""

import zlib
from collections.abc import Iterable

from fakeapi.clients.messages import Headers
from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.machinery.meta import request_info

BODY_MAX = 16 << 20
"""Maximum number of recorded bytes of a body, or of the events of a watch.

A longer body is not recorded at all. For a watch, only the events up to this size are recorded.
"""

MEMBERS_MAX = 16
"""Maximum number of members in a gzip body.

More members would take quadratic time, because zlib copies the rest of the body after each member.
"""

_WINDOW_BITS = {"gzip": 31, "x-gzip": 31, "deflate": 15}
"""The argument `wbits` of zlib for each supported Content-Encoding."""

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
"""Headers that are not recorded, because they only describe the connection, the encoding or the date."""

_KUBERNETES = lazy_pattern(
    r"/(?:apis?|version|openapi|healthz|livez|readyz|metrics|\.well-known|logs|flagz|statusz)(?:[/?]|$)"
)


def kept(headers: Iterable[tuple[str, str]]) -> Headers:
    """Returns the headers to record, with their names in lower case."""
    lowered = ((name.lower(), value) for name, value in headers)
    return tuple(pair for pair in lowered if pair[0] not in _NOT_KEPT and pair[0][:1] != ":")


def is_kubernetes(target: str) -> bool:
    """Whether a request target is a path of kube-apiserver, such as /api/v1/pods or /version."""
    return _KUBERNETES.match(target) is not None


def is_watch(method: str, target: str) -> bool:
    """Whether a request is a watch. `target`: its path and query."""
    if method != "GET" or "watch" not in target:
        return False
    path, _, query = target.partition("?")
    return request_info.verb_of(method, request_info.parse(path), query) == "watch"


class NotDecoded(Exception):
    """Raised for a body whose Content-Encoding cannot be decoded. The message names the cause."""


def decoded(data: bytes, encoding: str) -> bytes:
    """Decodes a body with this Content-Encoding.

    Raises NotDecoded if the encoding is unknown, the data are damaged, or the result is longer than BODY_MAX
    bytes.
    """
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
    """Decompresses a gzip or deflate stream in several calls, with a limit for the result of each call."""

    def __init__(self, encoding: str) -> None:
        """Starts a stream. `encoding`: "gzip", "x-gzip" or "deflate"."""
        self._bits = _WINDOW_BITS[encoding]
        self._members = 1
        self._stream = zlib.decompressobj(self._bits)

    def inflate(self, data: bytes, limit: int) -> bytes:
        """Decompresses `data` into at most `limit` bytes, and drops the rest.

        Raises zlib.error for damaged data, and for more than MEMBERS_MAX gzip members.
        """
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
        """Whether the compressed stream has been decompressed up to its end."""
        return self._stream.eof
