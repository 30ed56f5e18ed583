"""Compresses large responses for clients that accept gzip.

Follows k8s.io/apiserver `pkg/endpoints/handlers/responsewriters/writers.go`: compresses objects, lists and
discovery documents above a minimum size, at the fastest level. Never compresses watches and text pages.
"""

import asyncio
import zlib

from fakeapi.http.negotiation import OFFERED
from fakeapi.http.request import Request
from fakeapi.http.response import AnyResponse, LazyResponse, Packer, Response
from fakeapi.registry.requests.decoding import CBOR

COMPRESSED_FROM = 128 * 1024
"""Size in bytes above which a response body is compressed."""
IN_THREAD_FROM = 1 << 20
"""Size in bytes above which a thread compresses a response body, so that other requests do not wait."""
LEVEL = 1
_COMPRESSED = (*OFFERED, CBOR)
_GZIP = "gzip"
_GZIP_WINDOW = 31
_OPENAPI = "/openapi/"
"""The path prefix of OpenAPI documents.

OpenAPI documents are never compressed, because their ETags depend on the bytes.
"""


async def compress(response: AnyResponse, request: Request) -> None:
    """Compresses a large response in JSON, YAML, protobuf or CBOR if the client accepts gzip."""
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
    """Whether an Accept-Encoding header lists gzip without a quality value, as kube-apiserver requires."""
    return any(token.strip() == _GZIP for token in header.split(","))


def _compressed(body: bytes) -> bytes:
    packer = _packer()
    return packer.compress(body) + packer.flush()


def _packer() -> Packer:
    return zlib.compressobj(LEVEL, zlib.DEFLATED, _GZIP_WINDOW)
