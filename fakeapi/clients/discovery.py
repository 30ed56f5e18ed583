"""Reads discovery responses: the API versions and resources that a server serves."""

from collections.abc import Iterable
from typing import Any

from fakeapi.clients.served_resource import ServedResource
from fakeapi.clients.shapes import (
    AggregatedList,
    AggregatedResource,
    Group,
    GroupList,
    Resource,
    ResourceList,
    checked,
)

AGGREGATED_KIND = "APIGroupDiscoveryList"

AGGREGATED_MEDIA_TYPES = ",".join(
    f"application/json{parameters}"
    for parameters in (
        f";g=apidiscovery.k8s.io;v=v2;as={AGGREGATED_KIND}",
        f";g=apidiscovery.k8s.io;v=v2beta1;as={AGGREGATED_KIND}",
        "",
    )
)
"""The header Accept for aggregated discovery. Also accepts plain JSON, for servers without this feature."""


def group_versions(body: Any) -> list[str]:
    """Returns all API versions in an APIGroupList. The preferred version comes first in its group.

    The core group ("v1") is not part of an APIGroupList. Raises StatusError if the body is malformed.
    """
    groups = checked(body, GroupList).groups or []
    return [version for group in groups for version in _preferred_first(group)]


def preferred_versions(body: Any) -> list[str]:
    """Returns the preferred API version of each group in an APIGroupList.

    Raises StatusError if the body is malformed.
    """
    groups = checked(body, GroupList).groups or []
    return [next(iter(_preferred_first(group))) for group in groups if group.versions]


def served_resources(api_version: str, body: Any) -> list[ServedResource]:
    """Returns the resources in an APIResourceList, without subresources.

    `api_version`: the group and version of the list. Raises StatusError if the body is malformed.
    """
    resources = checked(body, ResourceList).resources or []
    subresources: dict[str, set[str]] = {}
    for resource in resources:
        name, slash, subresource = resource.name.partition("/")
        if slash:
            subresources.setdefault(name, set()).add(subresource)
    return [
        _served_resource(api_version, resource, subresources.get(resource.name, ()))
        for resource in resources
        if "/" not in resource.name
    ]


def aggregated_resources(body: Any) -> list[ServedResource] | None:
    """Returns the resources in an APIGroupDiscoveryList. In each group, resources of the preferred version
    come first.

    Returns None for a document of another kind, from a server without aggregated discovery. Raises
    StatusError if the body is malformed.
    """
    if not isinstance(body, dict) or body.get("kind") != AGGREGATED_KIND:
        return None
    return [
        _aggregated(group.metadata.name, version.version, resource)
        for group in checked(body, AggregatedList).items
        for version in group.versions
        for resource in version.resources
    ]


def _aggregated(group: str, version: str, resource: AggregatedResource) -> ServedResource:
    kind = resource.responseKind.kind if resource.responseKind is not None else ""
    subresources = frozenset(each.subresource for each in resource.subresources)
    names = (resource.resource, resource.singularResource, kind, *resource.shortNames)
    return ServedResource(
        group,
        version,
        resource.resource,
        kind,
        resource.scope == "Namespaced",
        "status" in subresources,
        frozenset(resource.verbs),
        frozenset(name.lower() for name in names if name),
        subresources,
    )


def _preferred_first(group: Group) -> Iterable[str]:
    preferred = group.preferredVersion
    versions = [version.groupVersion for version in group.versions]
    return sorted(versions, key=lambda name: preferred is None or name != preferred.groupVersion)


def _served_resource(api_version: str, resource: Resource, subresources: Iterable[str]) -> ServedResource:
    group, _, version = api_version.rpartition("/")
    names = (resource.name, resource.singularName, resource.kind, *(resource.shortNames or ()))
    return ServedResource(
        group,
        version,
        resource.name,
        resource.kind,
        resource.namespaced,
        "status" in subresources,
        frozenset(resource.verbs or ()),
        frozenset(name.lower() for name in names if name),
        frozenset(subresources),
    )
