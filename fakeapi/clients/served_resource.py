"""ServedResource: a resource in one version of its group, with the paths of its objects."""

from urllib.parse import quote

import msgspec

from fakeapi.machinery.json_types import Object

_UNESCAPED = ":@!$&'()*+,;=~"
"""Characters that a path segment may contain without percent-encoding, as RFC 3986 defines."""


def version_path(api_version: str) -> str:
    """Returns the path of an API version: "/apis/apps/v1" for apps/v1, "/api/v1" for v1."""
    return f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"


def api_version_of(group: str, version: str) -> str:
    """Returns the apiVersion of a group and a version: "apps/v1", or "v1" for the core group."""
    return f"{group}/{version}" if group else version


def object_path(api_version: str, plural: str, namespace: str = "", *rest: str) -> str:
    """Returns the percent-encoded path of a collection, an object or a subresource.

    - `namespace`: "" for a cluster-scoped resource, and for a collection in all namespaces.
    - `rest`: nothing for a collection, the name for an object, name and subresource for a subresource.
    """
    scope = ("namespaces", namespace) if namespace else ()
    segments = (quote(segment, safe=_UNESCAPED) for segment in (*scope, plural, *rest))
    return "/".join((version_path(api_version), *segments))


class ServedResource(msgspec.Struct, frozen=True):
    """A resource in one version of its group.

    - `group`: the API group; "" for the core group.
    - `plural`: the name of the resource in paths, such as "resourceclaims".
    - `namespaced`: whether the objects of the resource are in namespaces.
    - `has_status`: whether the resource has the subresource `status`.
    - `verbs`: the verbs in discovery; empty if unknown.
    - `names`: plural, singular, short names and kind in lower case; empty if unknown.
    - `subresources`: the names of the subresources, such as "status"; empty if unknown.
    """

    group: str
    version: str
    plural: str
    kind: str
    namespaced: bool
    has_status: bool = False
    verbs: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    subresources: frozenset[str] = frozenset()

    @property
    def api_version(self) -> str:
        return api_version_of(self.group, self.version)

    @property
    def group_resource(self) -> tuple[str, str]:
        """The group and the plural, which are equal in all versions of the resource."""
        return self.group, self.plural

    @property
    def qualified(self) -> str:
        """The name of the resource for kubectl: "deployments.apps", or "pods" for the core group."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    def path(self, namespace: str = "", name: str = "", subresource: str = "") -> str:
        """Returns the path of the collection, of an object, or of a subresource of an object.

        - `namespace`: "" for a collection in all namespaces. Ignored for a cluster-scoped resource.
        - `name`: the name of an object; "" for the collection.
        - `subresource`: "" for the object itself.
        """
        rest = [segment for segment in (name, subresource) if segment]
        return object_path(self.api_version, self.plural, namespace if self.namespaced else "", *rest)

    def path_of(self, obj: Object, subresource: str = "") -> str:
        """Returns the path of an object, from the namespace and name in its metadata.

        `subresource`: the subresource whose path to return; "" for the object itself.
        """
        metadata = obj["metadata"]
        return self.path(metadata.get("namespace", ""), metadata["name"], subresource)
