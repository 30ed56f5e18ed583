"""What a client asks before it asks for objects: health, version, and what is served."""

from typing import Any

from fakeapi.machinery import codec
from fakeapi.machinery.errors import ApiError, Details
from fakeapi.registry.catalogue import Catalogue
from fakeapi.registry.resource import Resource
from fakeapi.transport.accept import NO_CONVERSION, negotiate, prettified
from fakeapi.transport.http import PLAIN_TEXT, Request, Response
from fakeapi.transport.rendering import render
from fakeapi.transport.requestinfo import RequestInfo

HEALTH = ("healthz", "livez", "readyz")


class Discovery:
    """The documents about the server itself; all but the health of it need a token where one is set."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def open_document(self, path: str) -> Response | None:
        """The health of the server, which needs no token: a server that answers is well."""
        parts = path.strip("/").split("/")
        if parts[0] in HEALTH and (len(parts) == 1 or parts[1:] == ["ping"]):
            return Response(200, b"ok", PLAIN_TEXT)
        return None

    def document(self, request: Request) -> Response | None:
        """The documents at the root; None for a path that has none. Raises ApiError 405."""
        path = request.path.rstrip("/")
        if path in ("/version", "/api"):
            _check_method(request)
        if path == "/version":
            return _json(request, self._catalogue.primary.version_info())
        if path == "/api":
            return _json(request, self._api_versions(request))
        if path == "/apis":
            groups = [self._group(name) for name in self._groups()]
            return _json(request, {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})
        if path == "":
            return _json(request, {"paths": self._paths()})
        return None

    def of_group(self, request: Request, info: RequestInfo) -> Response:
        """The versions of a group, or the resources of a version. Raises ApiError 404, 405."""
        if info.version and info.version not in self._catalogue.versions(info.group):
            raise ApiError(404, "NotFound", "the server could not find the requested resource", Details())
        if info.version:
            _check_method(request)
        else:
            return _json(request, {"kind": "APIGroup", "apiVersion": "v1", **self._group(info.group)})
        version = f"{info.group}/{info.version}" if info.group else info.version
        resources = self._catalogue.of_version(info.group, info.version)
        listed = [entry for resource in resources for entry in _entries(resource)]
        document = {
            "kind": "APIResourceList",
            "apiVersion": "v1",
            "groupVersion": version,
            "resources": listed,
        }
        if not info.group:
            del document["apiVersion"]
        return _json(request, document)

    def _groups(self) -> list[str]:
        names = dict.fromkeys(resource.kind.group for resource in self._catalogue.resources)
        return [name for name in names if name]

    def _group(self, name: str) -> dict[str, Any]:
        versions = [
            {"groupVersion": f"{name}/{version}", "version": version}
            for version in self._catalogue.versions(name)
        ]
        return {"name": name, "versions": versions, "preferredVersion": versions[0]}

    def _api_versions(self, request: Request) -> dict[str, Any]:
        address = {"clientCIDR": "0.0.0.0/0", "serverAddress": request.header(b"host")}
        return {"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": [address]}

    def _paths(self) -> list[str]:
        paths = ["/api", "/api/v1", "/apis"]
        for group in self._groups():
            paths.append(f"/apis/{group}")
            paths += (f"/apis/{group}/{version}" for version in self._catalogue.versions(group))
        return [*paths, *(f"/{name}" for name in HEALTH), "/version"]


def _check_method(request: Request) -> None:
    """Groups and health answer any method; these documents are read. Raises ApiError 405."""
    if request.method not in ("GET", "HEAD"):
        message = "the server does not allow this method on the requested resource"
        raise ApiError(405, "MethodNotAllowed", message, Details())


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
        for sub in kind.subresources
        if sub.name in resource.strategies
    ]
    return [entry, *subresources]


def _json(request: Request, document: dict[str, Any]) -> Response:
    shape = negotiate(request.header(b"accept"), NO_CONVERSION)
    shape = prettified(shape, request.query.first, request.user_agent)
    return Response(200, render(codec.encode(document), shape), shape.media_type)
