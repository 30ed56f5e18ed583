"""What of an HTTP message belongs into a trace, whoever recorded it."""

import gzip
import re
import zlib
from collections.abc import Iterable
from urllib.parse import parse_qs

from fakeapi.machinery.meta import request_info
from fakeapi.traces.model import Headers

BODY_MAX = 16 << 20
"""Bytes of a body, or of one watch's events, that are recorded; what goes beyond is said to be missing."""

_OF_THE_CONNECTION = frozenset(
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
"""Headers that speak of the connection, of the transfer's coding or of the day, not of what is asked."""

_KUBERNETES = re.compile(
    r"/(?:apis?|version|openapi|healthz|livez|readyz|metrics|\.well-known|logs|flagz|statusz)(?:[/?]|$)"
)


def kept(headers: Iterable[tuple[str, str]]) -> Headers:
    """The headers that matter, with their names in lower case."""
    lowered = ((name.lower(), value) for name, value in headers)
    return tuple(pair for pair in lowered if pair[0] not in _OF_THE_CONNECTION and pair[0][:1] != ":")


def first(headers: Iterable[tuple[str, str]], name: str) -> str:
    """The first header of that name, which is in lower case, or ""."""
    return next((value for key, value in headers if key == name), "")


def is_kubernetes(target: str) -> bool:
    """Whether an API server could be asked this."""
    return _KUBERNETES.match(target) is not None


def is_watch(method: str, target: str) -> bool:
    """Whether Kubernetes answers it with a stream of events."""
    if method != "GET" or "watch" not in target:
        return False
    path, _, query = target.partition("?")
    info = request_info.parse(path)
    if info is None or not info.resource:
        return False
    flags = parse_qs(query, keep_blank_values=True).get("watch")
    return info.watched or (not info.name and flags is not None and flags[0].lower() not in {"0", "false"})


def decoded(data: bytes, encoding: str) -> bytes | None:
    """A body without its Content-Encoding; None where it cannot be undone."""
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
