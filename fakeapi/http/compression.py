"""Compresses large answers for clients that accept gzip.

Follows k8s.io/apiserver `pkg/endpoints/handlers/responsewriters/writers.go`: objects, lists and discovery
documents above a size, at the fastest level; streams and pages of text never.
"""

import asyncio
import zlib

from fakeapi.http.negotiation import OFFERED
from fakeapi.http.request import Request
from fakeapi.http.response import AnyResponse, LazyResponse, Packer, Response
from fakeapi.registry.requests.decoding import CBOR

COMPRESSED_FROM = 128 * 1024
"""A body of more bytes than this is compressed."""
IN_THREAD_FROM = 1 << 20
"""A larger one is compressed in a thread, so that other requests are answered meanwhile."""
LEVEL = 1
_COMPRESSED = (*OFFERED, CBOR)
_GZIP = "gzip"
_GZIP_WINDOW = 31
_OPENAPI = "/openapi/"
"""Documents that have tags of their own bytes and are never compressed."""


async def compress(response: AnyResponse, request: Request) -> None:
    """Changes a response that is large enough, of a type that can be negotiated, for a client that asks."""
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
    """Whether an Accept-Encoding names gzip, at its bare name: upstream reads no qualities."""
    return any(token.strip() == _GZIP for token in header.split(","))


def _compressed(body: bytes) -> bytes:
    packer = _packer()
    return packer.compress(body) + packer.flush()


def _packer() -> Packer:
    return zlib.compressobj(LEVEL, zlib.DEFLATED, _GZIP_WINDOW)
