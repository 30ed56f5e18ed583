"""OpenAPI of paths that belong to no API version: /api, /apis, the groups, /version and OpenID Connect.

Follows the routes of k8s.io/apiserver `pkg/endpoints/discovery` and `pkg/server/routes`, and of
k8s.io/kubernetes `pkg/routes/openidmetadata.go`. The types are in k8s.io/apimachinery `pkg/apis/meta/v1`.
"""

from typing import Any

from fakeapi.http.discovery.openapi.operations import PathItem, group_tag, operation
from fakeapi.http.discovery.openapi.schemas import Schema, openapi_name, reference, schemas_of
from fakeapi.http.negotiation import JSON, OFFERED
from fakeapi.registry.model.catalogue import Catalogue
from fakeapi.releases import Release

_VERSIONS, _GROUP, _GROUPS = "meta/v1.APIVersions", "meta/v1.APIGroup", "meta/v1.APIGroupList"
_VERSION, _ADDRESS = "meta/v1.GroupVersionForDiscovery", "meta/v1.ServerAddressByClientCIDR"
_INFO = "version.Info"
_TEXT: Schema = {"type": "string"}
_KEYS = "application/jwk-set+json"


def root_paths(catalogue: Catalogue) -> dict[str, tuple[str, PathItem]]:
    """Returns (path, path item) for each path that belongs to no API version, by document name.

    For example, the document of the path /apis/apps/ has the name `apis/apps`. Groups with only custom
    resources have no such path.
    """
    groups = dict.fromkeys(
        resource.kind.group for resource in catalogue.resources if not resource.kind.unstructured
    )
    items = {
        ".well-known/openid-configuration": _get(
            "WellKnown", "getServiceAccountIssuerOpenIDConfiguration", _TEXT, JSON
        ),
        "openid/v1/jwks": _get("openid", "getServiceAccountIssuerOpenIDKeyset", _TEXT, _KEYS),
        "version": _get("version", "getCodeVersion", reference(_INFO), JSON),
        "apis": _get("apis", "getAPIVersions", reference(_GROUPS), *OFFERED),
    }
    for group in groups:
        tag = group_tag(group)
        name = f"get{tag[:1].upper()}{tag[1:]}APIGroup"
        items[f"apis/{group}"] = _get(tag, name, reference(_GROUP), *OFFERED)
    if "" in groups:
        del items["apis/"]  # the core group has no name
        items["api"] = _get("core", "getCoreAPIVersions", reference(_VERSIONS), *OFFERED)
    return {name: (f"/{name}/", item) for name, item in sorted(items.items())}


def _get(tag: str, name: str, answer: Schema, *produced: str) -> PathItem:
    return {"get": operation(tag, name, {"200": answer}, produced)}


def root_schemas(release: Release) -> dict[str, Schema]:
    """Returns the schemas to which the results of `root_paths` refer, by OpenAPI name."""
    shapes = _Shapes(release)
    addresses = shapes.list_of(_ADDRESS, "Where clients reach the server, by their addresses.")
    versions = shapes.list_of(_VERSION, "The versions of the group.")
    typed = dict.fromkeys(("apiVersion", "kind"), _TEXT)
    preferred = {"allOf": [reference(_VERSION)], "default": {}, "description": "The version to use."}
    schemas = {
        _VERSION: _object(("groupVersion", "version"), groupVersion=_REQUIRED_TEXT, version=_REQUIRED_TEXT),
        _ADDRESS: _object(
            ("clientCIDR", "serverAddress"), clientCIDR=_REQUIRED_TEXT, serverAddress=_REQUIRED_TEXT
        ),
        _VERSIONS: _object(
            ("versions", "serverAddressByClientCIDRs"),
            "APIVersions",
            **typed,
            versions=shapes.list_of("", "The versions of the core group."),
            serverAddressByClientCIDRs=addresses,
        ),
        _GROUP: _object(
            ("name", "versions"),
            "APIGroup",
            **typed,
            name=_REQUIRED_TEXT,
            preferredVersion=preferred,
            versions=versions,
            serverAddressByClientCIDRs=addresses,
        ),
        _GROUPS: _object(
            ("groups",), "APIGroupList", **typed, groups=shapes.list_of(_GROUP, "The served groups.")
        ),
        _INFO: _info(release),
    }
    return {openapi_name(name): schema for name, schema in schemas.items()}


_REQUIRED_TEXT: Schema = {"type": "string", "default": ""}


class _Shapes:
    """Creates OpenAPI schemas of lists in the style of a release."""

    def __init__(self, release: Release) -> None:
        listed = schemas_of(release.name)[openapi_name("meta/v1.APIResourceList")]["properties"]["resources"]
        self._extensions = {name: value for name, value in listed.items() if name.startswith("x-")}
        self._has_defaults = release.quirks.openapi_items_have_defaults

    def list_of(self, go: str, description: str) -> Schema:
        """Returns the OpenAPI schema of a list. `go`: the Go type of the list's items; "" for strings."""
        items = {"allOf": [reference(go)], "default": {}} if go else _REQUIRED_TEXT
        if not self._has_defaults:
            items = reference(go) if go else _TEXT
        return {"type": "array", "items": items, "description": description, **self._extensions}


def _object(required: tuple[str, ...], of_kind: str = "", **properties: Schema) -> Schema:
    schema: Schema = {
        "type": "object",
        "required": list(required),
        "properties": dict(sorted(properties.items())),
    }
    if of_kind:
        schema["x-kubernetes-group-version-kind"] = [{"group": "", "kind": of_kind, "version": "v1"}]
    return schema


def _info(release: Release) -> Schema:
    required = (
        "major",
        "minor",
        "gitVersion",
        "gitCommit",
        "gitTreeState",
        "buildDate",
        "goVersion",
        "compiler",
        "platform",
    )
    others = [name for name in release.version_info() if name not in required]
    properties: dict[str, Any] = dict.fromkeys(required, _REQUIRED_TEXT) | dict.fromkeys(others, _TEXT)
    return _object(required, **properties)
