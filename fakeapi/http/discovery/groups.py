"""Discovery documents: the API groups, their versions, and the resources of each version.

Follows k8s.io/apiserver `pkg/endpoints/discovery`.
"""

from collections.abc import Iterable

from fakeapi.aggregation.discovered import DelegatedGroup, DiscoveredApis
from fakeapi.http.discovery.answers import answer, check_route
from fakeapi.http.discovery.generation import GenerationCache
from fakeapi.http.negotiation import OFFERED
from fakeapi.http.refusals import no_such_resource
from fakeapi.http.request import Request
from fakeapi.http.response import Response
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.request_info import RequestInfo
from fakeapi.registry.model.catalogue import Catalogue
from fakeapi.registry.model.resource import Resource
from fakeapi.releases import Kind
from fakeapi.releases.kinds import Subresource


class GroupDocuments:
    """Serves the discovery documents APIVersions, APIGroupList, APIGroup and APIResourceList."""

    def __init__(self, catalogue: Catalogue, delegated: DiscoveredApis) -> None:
        self._catalogue = catalogue
        self._delegated = delegated
        self._cache = GenerationCache(catalogue)

    def core_versions(self, request: Request) -> Response:
        """Returns the APIVersions of the core group, with the Host header of the request as server address.

        Raises ApiError 406 if the client accepts no available representation.
        """
        address = {"clientCIDR": "0.0.0.0/0", "serverAddress": request.header(b"host")}
        document = {"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": [address]}
        return answer(request, document)

    def group_list(self, request: Request) -> Response:
        """Returns the APIGroupList with all groups except the core group.

        Raises ApiError 406 if the client accepts no available representation.
        """
        document = self._cache.get("", self._group_list)
        delegated = [group.document() for group in self._only_delegated()]
        if delegated:
            document = {**document, "groups": [*document["groups"], *delegated]}
        return answer(request, document)

    def of_delegated_group(self, request: Request, name: str) -> Response | None:
        """Returns the APIGroup of a group that only APIServices with a Service have; None for other groups.

        Raises ApiError 406 if the client accepts no available representation.
        """
        for group in self._only_delegated():
            if group.name == name:
                return answer(request, {"kind": "APIGroup", "apiVersion": "v1", **group.document()})
        return None

    def _only_delegated(self) -> list[DelegatedGroup]:
        """Returns the delegated groups that this server itself does not serve in any version."""
        return [group for group in self._delegated.groups() if not self._catalogue.has_group(group.name)]

    def of_group(self, request: Request, info: RequestInfo) -> Response:
        """Returns the APIGroup of the group in the path, or the APIResourceList if the path has a version.

        Raises ApiError:

        - 404 for a version that is not served,
        - 405 for methods except GET, if the path has a version,
        - 406 if the client accepts no available representation.
        """
        group, version = info.group, info.version
        if not version:
            document = self._cache.get(group, lambda: self._group(group))
            return answer(request, {"kind": "APIGroup", "apiVersion": "v1", **document})
        if version not in self._catalogue.versions(group):
            raise no_such_resource()
        check_route(request, OFFERED)
        return answer(request, self._cache.get((group, version), lambda: self._resources(group, version)))

    def names(self) -> Iterable[str]:
        """Returns the names of all served API groups except the core group."""
        return filter(None, self._catalogue.groups())

    def _group_list(self) -> Object:
        return {"kind": "APIGroupList", "apiVersion": "v1", "groups": [*map(self._group, self.names())]}

    def _group(self, name: str) -> Object:
        versions = [
            {"groupVersion": f"{name}/{version}", "version": version}
            for version in self._catalogue.versions(name)
        ]
        return {"name": name, "versions": versions, "preferredVersion": versions[0]}

    def _resources(self, group: str, version: str) -> Object:
        document: Object = {"kind": "APIResourceList"}
        if group:
            document["apiVersion"] = "v1"
        document["groupVersion"] = f"{group}/{version}" if group else version
        resources = self._catalogue.of_version(group, version)
        document["resources"] = [entry for resource in resources for entry in _entries(resource)]
        return document


def _entries(resource: Resource) -> list[Object]:
    """Returns the APIResource entries of a resource and its subresources, for an APIResourceList."""
    kind = resource.kind
    entry: Object = {
        "name": kind.resource,
        "singularName": kind.singular,
        "namespaced": kind.namespaced,
        "kind": kind.kind,
        "verbs": list(kind.shown_verbs),
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
            **_own_version(sub, kind),
            "kind": sub.kind,
            "verbs": list(sub.verbs),
        }
        for sub in kind.subresources
    ]
    return [entry, *subresources]


def _own_version(subresource: Subresource, kind: Kind) -> dict[str, str]:
    """Returns the `group` and `version` of a subresource for discovery.

    Returns an empty dict if the resource has the same group and version. `kind`: the kind of the resource.
    """
    if (subresource.group, subresource.version) == (kind.group, kind.version):
        return {}
    return {"group": subresource.group, "version": subresource.version}
