"""Aggregated discovery: one document with all API groups and their resources.

Follows k8s.io/apiserver `pkg/endpoints/discovery/aggregated`.
"""

import hashlib

import msgspec

from fakeapi.aggregation.discovered import DiscoveredApis
from fakeapi.http.discovery.generation import GenerationCache
from fakeapi.http.negotiation import NO_CONVERSION, Conversions, negotiate, prettified
from fakeapi.http.rendering import render
from fakeapi.http.request import Request
from fakeapi.http.response import Response
from fakeapi.machinery import codec
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.catalogue import Catalogue
from fakeapi.registry.model.resource import Resource
from fakeapi.releases import Kind, Release
from fakeapi.releases.kinds import Subresource

AGGREGATED_GROUP = "apidiscovery.k8s.io"
AGGREGATED_KIND = "APIGroupDiscoveryList"
_AGGREGATED_GATE = "AggregatedDiscoveryEndpoint"
_NO_BETA_GATE = "AggregatedDiscoveryRemoveBetaType"


class _Tagged(msgspec.Struct, frozen=True):
    """A discovery document with the ETag of its contents, in double quotes."""

    document: Object
    etag: str

    @classmethod
    def of(cls, document: Object) -> "_Tagged":
        return cls(document, f'"{hashlib.sha512(codec.encode(document)).hexdigest().upper()}"')


class AggregatedDiscovery:
    """Serves the documents at /api and /apis to clients that accept aggregated discovery."""

    def __init__(self, catalogue: Catalogue, delegated: DiscoveredApis) -> None:
        self._catalogue = catalogue
        self._delegated = delegated
        self._conversions = aggregated_versions(catalogue.primary)
        self._cache = GenerationCache(catalogue)

    def document(self, request: Request, *, core: bool) -> Response | None:
        """Returns an APIGroupDiscoveryList, or 304 if the client has the document already.

        Returns None if the client does not accept aggregated discovery. `core`: whether to describe the core
        group (/api) or all other groups (/apis).
        """
        try:
            shape = negotiate(request.header(b"accept"), self._conversions)
        except ApiError:
            return None
        if not shape.kind:
            return None
        tagged = self._cache.get(core, lambda: self._tagged(core=core))
        if not core and (delegated := self._only_delegated()):
            items = [*tagged.document["items"], *delegated]
            tagged = _Tagged.of({**tagged.document, "items": items})
        headers = [(b"etag", tagged.etag.encode()), (b"vary", b"Accept"), (b"cache-control", b"public")]
        if request.header(b"if-none-match") == tagged.etag:
            return Response(304, b"", "", headers=headers)
        group, _, version = shape.api_version.partition("/")
        media_type = f"{shape.media_type};g={group};v={version};as={shape.kind}"
        body = codec.encode({"kind": shape.kind, "apiVersion": shape.api_version, **tagged.document})
        shape = prettified(shape, request.query.first, request.user_agent)
        return Response(200, render(body, shape), media_type, headers=headers)

    def _tagged(self, *, core: bool) -> _Tagged:
        names = [""] if core else [name for name in self._catalogue.groups(by_version=False) if name]
        return _Tagged.of({"metadata": {}, "items": [self._group(name) for name in names]})

    def _only_delegated(self) -> list[Object]:
        """Returns the delegated groups that this server itself does not serve in any version."""
        groups = self._delegated.aggregated()
        return [group for group in groups if not self._catalogue.has_group(group["metadata"]["name"])]

    def _group(self, name: str) -> Object:
        """Returns the APIGroupDiscovery of a group; "" is the core group."""
        metadata: Object = {"name": name} if name else {}
        versions = [
            {
                "version": version,
                "resources": [_entry(resource) for resource in self._catalogue.of_version(name, version)],
                "freshness": "Current",
            }
            for version in self._catalogue.versions(name)
        ]
        if self._catalogue.primary.quirks.zero_creation_timestamp_is_null:
            metadata["creationTimestamp"] = None
        return {"metadata": metadata, "versions": versions}


def aggregated_versions(release: Release) -> Conversions:
    """Returns the (kind, apiVersion) pairs of aggregated discovery in a release.

    Returns an empty set if the feature gate disables aggregated discovery.
    """
    if not release.gates.get(_AGGREGATED_GATE, True):
        return NO_CONVERSION
    return frozenset(
        (AGGREGATED_KIND, f"{AGGREGATED_GROUP}/{version}")
        for version in release.quirks.aggregated_discovery
        if version != "v2beta1" or not release.gates.enabled(_NO_BETA_GATE)
    )


def _entry(resource: Resource) -> Object:
    """Returns the APIResourceDiscovery of a resource with its subresources."""
    kind = resource.kind
    entry: Object = {
        "resource": kind.resource,
        "responseKind": _response_kind(kind.kind, None, kind),
        "scope": "Namespaced" if kind.namespaced else "Cluster",
        "singularResource": kind.singular,
        "verbs": list(kind.shown_verbs),
    }
    if kind.short_names:
        entry["shortNames"] = list(kind.short_names)
    if kind.categories:
        entry["categories"] = list(kind.categories)
    subresources = [
        {
            "subresource": sub.name,
            "responseKind": _response_kind(sub.kind, sub, kind),
            "verbs": list(sub.verbs),
        }
        for sub in kind.subresources
    ]
    if subresources:
        entry["subresources"] = subresources
    return entry


def _response_kind(name: str, subresource: Subresource | None, kind: Kind) -> dict[str, str]:
    """Returns the `responseKind` of a resource or subresource.

    - `name`: the kind of the objects in responses.
    - `kind`: the kind of the resource.

    Group and version are empty, unless a subresource has another group or version than its resource.
    """
    response_kind = {"group": "", "version": "", "kind": name}
    if subresource is not None and (subresource.group, subresource.version) != (kind.group, kind.version):
        response_kind |= {"group": subresource.group, "version": subresource.version}
    return response_kind
