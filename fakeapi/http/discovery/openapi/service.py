"""OpenAPI over HTTP: documents with entity tags, and URLs with the hash of their contents.

Follows k8s.io/kube-openapi `pkg/handler` and `pkg/handler3`.
"""

import hashlib
import time
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from email.utils import formatdate
from functools import partial
from typing import TYPE_CHECKING, cast

from fakeapi.http import negotiation
from fakeapi.http.discovery.generation import GenerationCache
from fakeapi.http.discovery.openapi.documents import (
    Document,
    document_of,
    group_versions,
    root_document,
    swagger,
)
from fakeapi.http.discovery.openapi.gnostic import encode_document
from fakeapi.http.discovery.openapi.roots import root_paths
from fakeapi.http.request import Request
from fakeapi.http.response import PLAIN_TEXT, Response
from fakeapi.machinery import codec
from fakeapi.registry.model.catalogue import Catalogue
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.offloading.heavy_steps import HeavySteps

if TYPE_CHECKING:
    from fakeapi.registry.custom.kind import CustomKind

V2, V3 = "/openapi/v2", "/openapi/v3"
YEAR_SECONDS = 365 * 24 * 3600
_PROTOBUF = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
_V2_TYPES = {
    negotiation.JSON: negotiation.JSON,
    "application/com.github.proto-openapi.spec.v2@v1.0+protobuf": _PROTOBUF,
    _PROTOBUF: _PROTOBUF,
}
"""Media types in an Accept header, with the Content-Type of the response."""
_V3_TYPES = {negotiation.JSON: negotiation.JSON}


@dataclass(frozen=True, slots=True)
class Encoded:
    """A document and its entity tag."""

    body: bytes
    tag: str


@dataclass(frozen=True, slots=True)
class _VersionDocument:
    """The document of an API version, and references to its resources, which may be removed meanwhile."""

    resources: tuple[weakref.ref[Resource], ...]
    encoded: Encoded

    def is_of(self, resources: Sequence[Resource]) -> bool:
        """Whether the document describes exactly these resources."""
        return [reference() for reference in self.resources] == [*resources]


class OpenAPI:
    """All documents of one catalogue. A document is made when it is first asked for, and again after its
    resources have changed.
    """

    def __init__(self, catalogue: Catalogue, heavy: HeavySteps) -> None:
        self._catalogue = catalogue
        self._heavy = heavy
        self._cache = GenerationCache(catalogue)
        self._of_versions: dict[str, _VersionDocument] = {}

    async def prepare(self, request: Request) -> None:
        """Publishes the schemas of new custom kinds in a thread, before `document` uses them.

        A definition may have many schemas within its schema.
        """
        is_v2 = request.path == V2
        if not is_v2 and not request.path.startswith(V3):
            return
        kinds = [
            cast("CustomKind", each.kind) for each in self._catalogue.resources if each.kind.unstructured
        ]
        new = [kind for kind in kinds if is_v2 not in kind.published]
        if new:
            from fakeapi.http.discovery.openapi.custom import publish  # noqa: PLC0415 - few servers need it

            await self._heavy.beside(partial(publish, new, is_v2=is_v2))

    def document(self, request: Request) -> Response | None:
        """Returns the response for a path below /openapi; None if this path has no document."""
        path = request.path
        if path == V2:
            return self._v2(request)
        if path == V3:
            return self._index(request)
        name = path.removeprefix(f"{V3}/")
        return self._v3(request, name) if name in self._names else None

    def _v2(self, request: Request) -> Response:
        media_type = _negotiated(request, _V2_TYPES)
        if media_type is None:
            return _not_acceptable()
        body = self._swagger.body if media_type == negotiation.JSON else self._swagger_protobuf
        return _content(request, body, self._swagger.tag, media_type)

    def _index(self, request: Request) -> Response:
        """Returns the index of the documents. Its media type is plain text, as kube-aggregator sends it."""
        paths = {name: {"serverRelativeURL": _url(name, self._encoded(name).tag)} for name in self._names}
        return Response(200, codec.encode({"paths": paths}), PLAIN_TEXT)

    def _v3(self, request: Request, name: str) -> Response:
        """Returns a document, cacheable for a year with the current `hash`; 301 for an outdated hash."""
        media_type = _negotiated(request, _V3_TYPES)
        if media_type is None:
            return _not_acceptable()
        encoded = self._encoded(name)
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

    @property
    def _versions(self) -> dict[str, tuple[str, str]]:
        return self._cache.get("versions", lambda: group_versions(self._catalogue))

    @property
    def _names(self) -> list[str]:
        """The names of all documents."""
        return self._cache.get("names", lambda: sorted([*self._versions, *root_paths(self._catalogue)]))

    def _encoded(self, name: str) -> Encoded:
        return self._cache.get(name, lambda: self._made(name))

    def _made(self, name: str) -> Encoded:
        if name not in self._versions:
            return _encoded(root_document(self._catalogue, name))
        group, version = self._versions[name]
        resources = tuple(self._catalogue.of_version(group, version))
        kept = self._of_versions.get(name)
        if kept is None or not kept.is_of(resources):
            encoded = _encoded(document_of(self._catalogue, group, version))
            kept = _VersionDocument(tuple(map(weakref.ref, resources)), encoded)
            served = {other: self._of_versions[other] for other in self._of_versions.keys() & self._versions}
            self._of_versions = {**served, name: kept}
        return kept.encoded

    @property
    def _swagger(self) -> Encoded:
        return self._cache.get("v2", lambda: _encoded(swagger(self._catalogue)))

    @property
    def _swagger_protobuf(self) -> bytes:
        return self._cache.get("v2 protobuf", lambda: encode_document(swagger(self._catalogue)))


def _negotiated(request: Request, offered: dict[str, str]) -> str | None:
    """Returns the Content-Type of the best match for the Accept header; None if nothing matches."""
    header = request.header(b"accept") or "*/*"
    for clause in negotiation.parse(header):
        for media_type, name in offered.items():
            if clause.covers(media_type):
                return name
    return None


def _content(request: Request, body: bytes, tag: str, media_type: str) -> Response:
    """Returns a document, or 304 for a client that has it already."""
    known = request.header(b"if-none-match")
    if known == "*" or f'"{tag}"' in known:
        return Response(304, b"", "", headers=_tagged(tag))
    return Response(200, body, media_type, headers=_tagged(tag))


def _tagged(tag: str) -> list[tuple[bytes, bytes]]:
    return [(b"etag", f'"{tag}"'.encode()), (b"vary", b"Accept")]


def _not_acceptable() -> Response:
    return Response(406, b"", "", headers=[(b"vary", b"Accept")])


def _encoded(document: Document) -> Encoded:
    body = codec.encode(document)
    return Encoded(body, hashlib.sha512(body).hexdigest().upper())


def _url(name: str, tag: str) -> str:
    return f"{V3}/{name}?hash={tag}"
