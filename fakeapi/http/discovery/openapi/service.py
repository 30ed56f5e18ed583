"""OpenAPI over HTTP: documents with ETags, at URLs that contain the hash of their contents.

Follows k8s.io/kube-openapi `pkg/handler` and `pkg/handler3`.
"""

import asyncio
import hashlib
import time
import weakref
from collections.abc import Callable, Sequence
from email.utils import formatdate
from functools import partial
from typing import TypeAlias

import msgspec

from fakeapi.http import negotiation
from fakeapi.http.discovery.generation import GenerationCache
from fakeapi.http.discovery.openapi.documents import (
    Document,
    document_of,
    resources_by_version,
    root_document,
    swagger,
)
from fakeapi.http.discovery.openapi.gnostic import encode_document
from fakeapi.http.discovery.openapi.operations import PathItem
from fakeapi.http.discovery.openapi.roots import root_paths
from fakeapi.http.request import Request
from fakeapi.http.response import PLAIN_TEXT, Response
from fakeapi.machinery import codec
from fakeapi.registry.model.catalogue import Catalogue
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.offloading.heavy_steps import HeavySteps

V2, V3 = "/openapi/v2", "/openapi/v3"
YEAR_SECONDS = 365 * 24 * 3600
_PROTOBUF = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
_V2_TYPES = {
    negotiation.JSON: negotiation.JSON,
    "application/com.github.proto-openapi.spec.v2@v1.0+protobuf": _PROTOBUF,
    _PROTOBUF: _PROTOBUF,
}
"""The Content-Type of the OpenAPI 2 document for each media type in the Accept header."""
_V3_TYPES = {negotiation.JSON: negotiation.JSON}


class Encoded(msgspec.Struct, frozen=True):
    """An encoded OpenAPI document with its ETag."""

    body: bytes
    tag: str


class _VersionDocument(msgspec.Struct, frozen=True):
    """The OpenAPI document of an API version, with weak references to the resources in the document."""

    resources: tuple[weakref.ref[Resource], ...]
    encoded: Encoded

    def is_of(self, resources: Sequence[Resource]) -> bool:
        """Whether the document describes exactly these resources."""
        return [reference() for reference in self.resources] == [*resources]


Versions: TypeAlias = dict[str, list[Resource]]
"""The resources of each API version, by the name of the version's OpenAPI document."""


class _CachedDocuments(msgspec.Struct):
    """Generated OpenAPI documents, which are valid until the API resources in the catalogue change.

    `roots`: the path and path item of each path that belongs to no API version, by document name.
    """

    roots: dict[str, tuple[str, PathItem]]
    encoded: dict[str, Encoded] = msgspec.field(default_factory=dict)
    """The generated documents: documents of `roots` by name, and OpenAPI 2 documents by Content-Type."""


class OpenAPI:
    """Serves the OpenAPI documents below /openapi.

    A thread generates the OpenAPI 2 document and the OpenAPI 3 document of each API version. This happens at
    the first request for the document, and again after its resources have changed. Only one such thread runs
    at a time. The event loop generates the short documents of other paths.
    """

    def __init__(self, catalogue: Catalogue, heavy: HeavySteps) -> None:
        self._catalogue = catalogue
        self._heavy = heavy
        self._cache = GenerationCache(catalogue)
        self._of_versions: dict[str, _VersionDocument] = {}
        self._turn = asyncio.Lock()

    async def document(self, request: Request) -> Response | None:
        """Returns the response for a path below /openapi; None if the path has no document."""
        path = request.path
        if not path.startswith((V2, V3)):
            return None
        versions = resources_by_version(self._catalogue)
        cached = self._cache.get("documents", lambda: self._begin(versions))
        if path == V2:
            return await self._v2(request, versions, cached)
        if path == V3:
            return await self._index(versions, cached)
        name = path.removeprefix(f"{V3}/")
        if name not in versions and name not in cached.roots:
            return None
        return await self._v3(request, name, versions, cached)

    async def _v2(self, request: Request, versions: Versions, cached: _CachedDocuments) -> Response:
        media_type = _negotiated(request, _V2_TYPES)
        if media_type is None:
            return _not_acceptable()
        tag = (await self._swagger(negotiation.JSON, codec.encode, versions, cached)).tag
        encode = codec.encode if media_type == negotiation.JSON else encode_document
        body = (await self._swagger(media_type, encode, versions, cached)).body
        return _content(request, body, tag, media_type)

    async def _index(self, versions: Versions, cached: _CachedDocuments) -> Response:
        """Returns the index of the OpenAPI 3 documents, with their URLs.

        The Content-Type is plain text, as in kube-aggregator.
        """
        names = sorted([*versions, *cached.roots])
        tags = {name: (await self._encoded(name, versions, cached)).tag for name in names}
        paths = {name: {"serverRelativeURL": _url(name, tag)} for name, tag in tags.items()}
        return Response(200, codec.encode({"paths": paths}), PLAIN_TEXT)

    async def _v3(
        self, request: Request, name: str, versions: Versions, cached: _CachedDocuments
    ) -> Response:
        """Returns the OpenAPI 3 document `name`, or a redirect (301) if the parameter `hash` is outdated.

        If the hash is current, clients can cache the response for a year.
        """
        media_type = _negotiated(request, _V3_TYPES)
        if media_type is None:
            return _not_acceptable()
        encoded = await self._encoded(name, versions, cached)
        tag = request.query.text("hash")
        if not tag:
            return _content(request, encoded.body, encoded.tag, media_type)
        if tag != encoded.tag:
            headers = [(b"location", _url(name, encoded.tag).encode()), *_tagged(encoded.tag)]
            return Response(301, b"", media_type, headers=headers)
        response = _content(request, encoded.body, encoded.tag, media_type)
        response.headers += [
            (b"cache-control", b"public, immutable"),
            (b"expires", formatdate(time.time() + YEAR_SECONDS, usegmt=True).encode()),
        ]
        return response

    def _begin(self, versions: Versions) -> _CachedDocuments:
        """Creates an empty cache, after the API resources in the catalogue have changed.

        Drops the documents of API versions that are no longer served.
        """
        self._of_versions = {name: kept for name, kept in self._of_versions.items() if name in versions}
        return _CachedDocuments(root_paths(self._catalogue))

    async def _encoded(self, name: str, versions: Versions, cached: _CachedDocuments) -> Encoded:
        """Returns the OpenAPI 3 document with this name, such as `apis/apps/v1`.

        Generates a missing document.
        """
        resources = versions.get(name)
        if resources is not None:
            return await self._version_document(name, resources)
        if name not in cached.encoded:
            document = root_document(self._catalogue.primary, *cached.roots[name])
            cached.encoded[name] = _tagged_body(codec.encode(document))
        return cached.encoded[name]

    async def _version_document(self, name: str, resources: list[Resource]) -> Encoded:
        kept = self._of_versions.get(name)
        if kept is not None and kept.is_of(resources):
            return kept.encoded
        async with self._turn:
            kept = self._of_versions.get(name)
            if kept is None or not kept.is_of(resources):
                encoded = await self._heavy.in_thread(
                    lambda: _tagged_body(codec.encode(document_of(resources)))
                )
                kept = self._of_versions[name] = _VersionDocument(tuple(map(weakref.ref, resources)), encoded)
        return kept.encoded

    async def _swagger(
        self,
        media_type: str,
        encode: Callable[[Document], bytes],
        versions: Versions,
        cached: _CachedDocuments,
    ) -> Encoded:
        """Returns the OpenAPI 2 document in this media type.

        If `cached` does not contain the document, generates it from `versions` and encodes it with `encode`.
        """
        if media_type not in cached.encoded:
            async with self._turn:
                if media_type not in cached.encoded:
                    document = await self._swagger_document(versions, cached)
                    encoded = await self._heavy.in_thread(lambda: _tagged_body(encode(document)))
                    cached.encoded[media_type] = encoded
        return cached.encoded[media_type]

    async def _swagger_document(self, versions: Versions, cached: _CachedDocuments) -> Document:
        documents = [
            await self._heavy.in_thread(partial(document_of, resources, is_v2=True))
            for resources in versions.values()
        ]
        roots = dict(cached.roots.values())
        return await self._heavy.in_thread(partial(swagger, self._catalogue.primary, roots, documents))


def _negotiated(request: Request, offered: dict[str, str]) -> str | None:
    """Returns the Content-Type that best matches the Accept header; None if nothing matches.

    `offered`: the Content-Type for each media type that the Accept header can contain.
    """
    header = request.header(b"accept") or "*/*"
    for clause in negotiation.parse(header):
        for media_type, name in offered.items():
            if clause.covers(media_type):
                return name
    return None


def _content(request: Request, body: bytes, tag: str, media_type: str) -> Response:
    """Returns a response with a document; 304 if the header If-None-Match contains the document's ETag.

    - `body`: the encoded document.
    - `tag`: the ETag of the document.
    """
    known = request.header(b"if-none-match")
    if known == "*" or f'"{tag}"' in known:
        return Response(304, b"", "", headers=_tagged(tag))
    return Response(200, body, media_type, headers=_tagged(tag))


def _tagged(tag: str) -> list[tuple[bytes, bytes]]:
    return [(b"etag", f'"{tag}"'.encode()), (b"vary", b"Accept")]


def _not_acceptable() -> Response:
    return Response(406, b"", "", headers=[(b"vary", b"Accept")])


def _tagged_body(body: bytes) -> Encoded:
    """Returns an encoded document with its ETag, the SHA-512 hash of its bytes."""
    return Encoded(body, hashlib.sha512(body).hexdigest().upper())


def _url(name: str, tag: str) -> str:
    return f"{V3}/{name}?hash={tag}"
