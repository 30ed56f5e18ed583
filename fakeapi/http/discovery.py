"""What a client asks before it asks for objects: health, version, and what is served.

Follows k8s.io/apiserver `pkg/server/healthz`, `pkg/endpoints/discovery` and, for all groups in one document,
its package `aggregated`; which methods and media types each path takes is as their registration upstream has
it.
"""

import hashlib
from typing import Any

from fakeapi.http.negotiation import (
    JSON,
    NO_CONVERSION,
    OFFERED,
    Conversions,
    Representation,
    check_produced,
    negotiate,
    prettified,
)
from fakeapi.http.openapi.service import OpenAPI
from fakeapi.http.rendering import render
from fakeapi.http.request import Request
from fakeapi.http.response import PLAIN_TEXT, Response
from fakeapi.machinery import codec
from fakeapi.machinery.errors import ApiError, Details
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.meta.request_info import RequestInfo
from fakeapi.registry.catalogue import Catalogue
from fakeapi.registry.resource import Resource, Subresource
from fakeapi.releases import Release

HEALTH = ("healthz", "livez", "readyz")
AGGREGATED_GROUP = "apidiscovery.k8s.io"
AGGREGATED_KIND = "APIGroupDiscoveryList"
_AGGREGATED_GATE = "AggregatedDiscoveryEndpoint"
_NO_BETA_GATE = "AggregatedDiscoveryRemoveBetaType"
_INDENTED = Representation(pretty=True)


class Discovery:
    """The documents about the server itself; all but the health of it need a token where one is set."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._aggregated = aggregated_versions(catalogue.primary)
        self._openapi = OpenAPI(catalogue)

    def is_open(self, request: Request) -> bool:
        """Whether everybody may ask for it: health, and nothing else."""
        return self.health(request) is not None

    def health(self, request: Request) -> Response | None:
        """Always healthy: a server that answers is well. None for another path."""
        name, _, check = request.path.removeprefix("/").partition("/")
        if name not in HEALTH or request.path.endswith("/"):
            return None
        checks = self._catalogue.primary.health_checks(name)
        if check and check not in checks:
            return None
        text = _verbose(name, checks, request) if not check and "verbose" in request.query.first else "ok"
        return Response(200, text.encode(), PLAIN_TEXT)

    def document(self, request: Request) -> Response | None:
        """The documents at the root; None for a path that has none. Raises ApiError 405, 406."""
        path = request.path
        if (health := self.health(request)) is not None:
            return health
        if path in ("/", "/index.html"):
            return Response(200, render(codec.encode({"paths": self._paths()}), _INDENTED))
        if path in ("/version", "/version/"):
            _check_route(request, (JSON,))
            info = codec.encode(self._catalogue.primary.version_info())
            return Response(200, render(info, _INDENTED))
        if path in ("/api", "/api/"):
            _check_route(request, OFFERED)
            return self._all_groups(request, [""]) or _answer(request, self._api_versions(request))
        if path == "/apis":
            return self._all_groups(request, self._groups()) or self._group_list(request)
        if path == "/apis/":
            return self._group_list(request)
        return self._openapi.document(request)

    def of_group(self, request: Request, info: RequestInfo) -> Response:
        """The versions of a group, or the resources of a version. Raises ApiError 404, 405, 406."""
        if not info.version:
            return _answer(request, {"kind": "APIGroup", "apiVersion": "v1", **self._group(info.group)})
        if info.version not in self._catalogue.versions(info.group):
            raise ApiError(404, "NotFound", "the server could not find the requested resource", Details())
        _check_route(request, OFFERED)
        document: dict[str, Any] = {"kind": "APIResourceList"}
        if info.group:
            document["apiVersion"] = "v1"
        document["groupVersion"] = f"{info.group}/{info.version}" if info.group else info.version
        resources = self._catalogue.of_version(info.group, info.version)
        document["resources"] = [entry for resource in resources for entry in _entries(resource)]
        return _answer(request, document)

    def _all_groups(self, request: Request, names: list[str]) -> Response | None:
        """Groups with all that is in them, for a client that asks so; None for one that does not."""
        try:
            shape = negotiate(request.header(b"accept"), self._aggregated)
        except ApiError:
            return None
        if not shape.kind:
            return None
        document = {"metadata": {}, "items": [self._group_discovery(name) for name in names]}
        etag = f'"{hashlib.sha512(codec.encode(document)).hexdigest().upper()}"'
        headers = [(b"etag", etag.encode()), (b"vary", b"Accept"), (b"cache-control", b"public")]
        if request.header(b"if-none-match") == etag:
            return Response(304, b"", "", headers=headers)
        group, _, version = shape.api_version.partition("/")
        media_type = f"{shape.media_type};g={group};v={version};as={shape.kind}"
        body = codec.encode({"kind": shape.kind, "apiVersion": shape.api_version, **document})
        shape = prettified(shape, request.query.first, request.user_agent)
        return Response(200, render(body, shape), media_type, headers=headers)

    def _group_list(self, request: Request) -> Response:
        groups = [self._group(name) for name in self._groups()]
        return _answer(request, {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})

    def _groups(self) -> list[str]:
        names = self._catalogue.groups()
        return [name for name in names if name]

    def _group(self, name: str) -> dict[str, Any]:
        versions = [
            {"groupVersion": f"{name}/{version}", "version": version}
            for version in self._catalogue.versions(name)
        ]
        return {"name": name, "versions": versions, "preferredVersion": versions[0]}

    def _group_discovery(self, name: str) -> dict[str, Any]:
        """A group with all its resources; the core group has no name."""
        metadata: dict[str, Any] = {"name": name} if name else {}
        versions = [
            {
                "version": version,
                "resources": [_discovered(each) for each in self._catalogue.of_version(name, version)],
                "freshness": "Current",
            }
            for version in self._catalogue.versions(name)
        ]
        return {"metadata": {**metadata, "creationTimestamp": None}, "versions": versions}

    def _api_versions(self, request: Request) -> dict[str, Any]:
        address = {"clientCIDR": "0.0.0.0/0", "serverAddress": request.header(b"host")}
        return {"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": [address]}

    def _paths(self) -> list[str]:
        paths = ["/api", "/api/v1", "/apis", "/apis/"]
        for group in self._groups():
            paths.append(f"/apis/{group}")
            paths += (f"/apis/{group}/{version}" for version in self._catalogue.versions(group))
        paths += (f"/{name}" for name in HEALTH)
        paths += (
            f"/{name}/{check}" for name in HEALTH for check in self._catalogue.primary.health_checks(name)
        )
        return sorted([*paths, "/openapi/v2", "/openapi/v3", "/openapi/v3/", "/version"])


def _verbose(name: str, checks: tuple[str, ...], request: Request) -> str:
    """What each check says, each being well, and which of those to leave out are none."""
    excluded = set(request.query.all("exclude"))
    lines = [f"[+]{check} {'excluded: ' if check in excluded else ''}ok" for check in checks]
    unknown = sorted(excluded.difference(checks))
    if unknown:
        words = "warn: some health checks cannot be excluded: no matches for"
        lines.append(f"{words} {','.join(map(quote, unknown))}")
    return "\n".join([*lines, f"{name} check passed\n"])


def aggregated_versions(release: Release) -> Conversions:
    """As what all groups can be had in one document."""
    if not release.gates.get(_AGGREGATED_GATE, True):
        return NO_CONVERSION
    return frozenset(
        (AGGREGATED_KIND, f"{AGGREGATED_GROUP}/{version}")
        for version in release.quirks.aggregated_discovery
        if version != "v2beta1" or not release.gates.enabled(_NO_BETA_GATE)
    )


def _entries(resource: Resource) -> list[dict[str, Any]]:
    """A resource and its subresources as discovery lists them."""
    kind = resource.kind
    entry: dict[str, Any] = {
        "name": kind.resource,
        "singularName": kind.singular,
        "namespaced": kind.namespaced,
        "kind": kind.kind,
        "verbs": list(kind.verbs),
    }
    if kind.short_names:
        entry["shortNames"] = list(kind.short_names)
    if kind.categories:
        entry["categories"] = list(kind.categories)
    if kind.storage_version_hash:
        entry["storageVersionHash"] = kind.storage_version_hash
    subresources = [
        {
            "name": f"{kind.resource}/{sub.name}",
            "singularName": "",
            "namespaced": kind.namespaced,
            "kind": sub.kind,
            "verbs": list(sub.verbs),
        }
        for sub in _served_subresources(resource)
    ]
    return [entry, *subresources]


def _discovered(resource: Resource) -> dict[str, Any]:
    """A resource with its subresources inside, as the document of all groups has it."""
    kind = resource.kind
    entry: dict[str, Any] = {
        "resource": kind.resource,
        "responseKind": _response_kind(kind.kind),
        "scope": "Namespaced" if kind.namespaced else "Cluster",
        "singularResource": kind.singular,
        "verbs": list(kind.verbs),
    }
    if kind.short_names:
        entry["shortNames"] = list(kind.short_names)
    if kind.categories:
        entry["categories"] = list(kind.categories)
    subresources = [
        {"subresource": sub.name, "responseKind": _response_kind(sub.kind), "verbs": list(sub.verbs)}
        for sub in _served_subresources(resource)
    ]
    if subresources:
        entry["subresources"] = subresources
    return entry


def _response_kind(kind: str) -> dict[str, str]:
    """A kind of the group version that it is listed under, which is said by leaving both empty."""
    return {"group": "", "version": "", "kind": kind}


def _served_subresources(resource: Resource) -> list[Subresource]:
    return list(resource.subresources.values())


def _check_route(request: Request, produced: tuple[str, ...]) -> None:
    """What the router asks; groups, their list and health are no routes of it. Raises ApiError 405, 406."""
    if request.method != "GET":
        message = "the server does not allow this method on the requested resource"
        raise ApiError(405, "MethodNotAllowed", message, Details())
    check_produced(request.header(b"accept"), produced)


def _answer(request: Request, document: dict[str, Any]) -> Response:
    shape = negotiate(request.header(b"accept"), NO_CONVERSION)
    shape = prettified(shape, request.query.first, request.user_agent)
    return Response(200, render(codec.encode(document), shape), shape.media_type)
