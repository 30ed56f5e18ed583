"""Compresses large responses for clients that accept gzip.

Follows k8s.io/apiserver `pkg/endpoints/handlers/responsewriters/writers.go`: objects, lists and discovery
documents above a size, at the fastest level; never streams and text pages.
"""

import asyncio
import zlib

from fakeapi.http.negotiation import OFFERED
from fakeapi.http.request import Request
from fakeapi.http.response import AnyResponse, LazyResponse, Packer, Response
from fakeapi.registry.requests.decoding import CBOR

COMPRESSED_FROM = 128 * 1024
"""A body with more bytes is compressed."""
IN_THREAD_FROM = 1 << 20
"""A body with more bytes is compressed in a thread, so that other requests do not wait."""
LEVEL = 1
_COMPRESSED = (*OFFERED, CBOR)
_GZIP = "gzip"
_GZIP_WINDOW = 31
_OPENAPI = "/openapi/"
"""The path prefix of documents that are never compressed, because their entity tags depend on their bytes."""


async def compress(response: AnyResponse, request: Request) -> None:
    """Compresses a large response of a negotiable media type, if the client accepts gzip."""
    if not isinstance(response, Response):
        return
    size = len(response.body)
    if size <= COMPRESSED_FROM and not isinstance(response, LazyResponse):
        return
    if not accepts_gzip(request.header(b"accept-encoding")) or request.path.startswith(_OPENAPI):
        return
    if response.media_type.partition(";")[0] not in _COMPRESSED:
        return
    if isinstance(response, LazyResponse):
        response.packer = _packer()
    elif size > IN_THREAD_FROM:
        response.body = await asyncio.to_thread(_compressed, response.body)
    else:
        response.body = _compressed(response.body)
    response.headers += [(b"content-encoding", b"gzip"), (b"vary", b"Accept-Encoding")]


def accepts_gzip(header: str) -> bool:
    """Whether an Accept-Encoding header contains gzip without a quality value, as upstream requires."""
    return any(token.strip() == _GZIP for token in header.split(","))


def _compressed(body: bytes) -> bytes:
    packer = _packer()
    return packer.compress(body) + packer.flush()


def _packer() -> Packer:
    return zlib.compressobj(LEVEL, zlib.DEFLATED, _GZIP_WINDOW)
