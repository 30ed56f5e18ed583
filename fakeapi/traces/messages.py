"""HTTP messages in traces: which headers are kept, bodies without their coding, and what is a watch."""

import gzip
import re
import zlib
from collections.abc import Iterable

from fakeapi.machinery.meta import request_info
from fakeapi.traces.model import Headers

BODY_MAX = 16 << 20
"""Bytes of a body, or of one watch's events, that are recorded; the exchange names the rest as missing."""

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


def decoded(data: bytes, encoding: str) -> bytes | None:
    """A body without its Content-Encoding; None where it cannot be decoded."""
    try:
        if encoding in {"", "identity"}:
            return data
        if encoding == "gzip":
            return gzip.decompress(data)
        if encoding == "deflate":
            return zlib.decompress(data)
    except (OSError, EOFError, zlib.error):
        return None
    return None
