"""Types of API responses that the release tables lack, in the form of the tables.

The types come from k8s.io/apimachinery `pkg/apis/meta/v1` and k8s.io/api `apidiscovery`. They are equal in
all releases and in both versions of `apidiscovery`. `numbers` contains the protobuf field numbers.
"""

from typing import Any


def _field(name: str, go: str, number: int, *, omitempty: bool = False) -> dict[str, Any]:
    return {"name": name, "type": go, "omitempty": omitempty, "numbers": [number]}


def _struct(*fields: dict[str, Any]) -> dict[str, Any]:
    return {"fields": list(fields)}


_META = "meta/v1"
_DISCOVERY = "apidiscovery"

META_TYPES: dict[str, dict[str, Any]] = {
    f"{_META}.APIVersions": _struct(
        _field("versions", "[]string", 1),
        _field("serverAddressByClientCIDRs", f"[]{_META}.ServerAddressByClientCIDR", 2),
    ),
    f"{_META}.ServerAddressByClientCIDR": _struct(
        _field("clientCIDR", "string", 1), _field("serverAddress", "string", 2)
    ),
    f"{_META}.APIGroupList": _struct(_field("groups", f"[]{_META}.APIGroup", 1)),
    f"{_META}.APIGroup": _struct(
        _field("name", "string", 1),
        _field("versions", f"[]{_META}.GroupVersionForDiscovery", 2),
        _field("preferredVersion", f"{_META}.GroupVersionForDiscovery", 3),
        _field("serverAddressByClientCIDRs", f"[]{_META}.ServerAddressByClientCIDR", 4, omitempty=True),
    ),
    f"{_META}.GroupVersionForDiscovery": _struct(
        _field("groupVersion", "string", 1), _field("version", "string", 2)
    ),
    f"{_META}.GroupVersionKind": _struct(
        _field("group", "string", 1), _field("version", "string", 2), _field("kind", "string", 3)
    ),
    f"{_META}.PartialObjectMetadata": _struct(_field("metadata", f"{_META}.ObjectMeta", 1)),
    f"{_META}.PartialObjectMetadataList": _struct(
        _field("metadata", f"{_META}.ListMeta", 1),
        _field("items", f"[]{_META}.PartialObjectMetadata", 2),
    ),
    f"{_DISCOVERY}.APIGroupDiscoveryList": _struct(
        _field("metadata", f"{_META}.ListMeta", 1),
        _field("items", f"[]{_DISCOVERY}.APIGroupDiscovery", 2),
    ),
    f"{_DISCOVERY}.APIGroupDiscovery": _struct(
        _field("metadata", f"{_META}.ObjectMeta", 1),
        _field("versions", f"[]{_DISCOVERY}.APIVersionDiscovery", 2),
    ),
    f"{_DISCOVERY}.APIVersionDiscovery": _struct(
        _field("version", "string", 1),
        _field("resources", f"[]{_DISCOVERY}.APIResourceDiscovery", 2),
        _field("freshness", "string", 3),
    ),
    f"{_DISCOVERY}.APIResourceDiscovery": _struct(
        _field("resource", "string", 1),
        _field("responseKind", f"*{_META}.GroupVersionKind", 2),
        _field("scope", "string", 3),
        _field("singularResource", "string", 4),
        _field("verbs", "[]string", 5),
        _field("shortNames", "[]string", 6),
        _field("categories", "[]string", 7),
        _field("subresources", f"[]{_DISCOVERY}.APISubresourceDiscovery", 8),
    ),
    f"{_DISCOVERY}.APISubresourceDiscovery": _struct(
        _field("subresource", "string", 1),
        _field("responseKind", f"*{_META}.GroupVersionKind", 2),
        _field("acceptedTypes", f"[]{_META}.GroupVersionKind", 3),
        _field("verbs", "[]string", 4),
    ),
}

PACKAGES = {"v1": _META, "meta.k8s.io/v1": _META, "meta.k8s.io/v1beta1": _META}
"""Maps apiVersions to Go packages, for kinds that every apiVersion has or that belong to no API group."""
DISCOVERY_GROUP, DISCOVERY_PACKAGE = "apidiscovery.k8s.io", _DISCOVERY
