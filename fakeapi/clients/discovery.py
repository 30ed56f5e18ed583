"""Reads discovery responses: the API versions and resources that a server serves."""

from collections.abc import Iterable
from typing import Any

from fakeapi.clients.served_resource import ServedResource
from fakeapi.clients.shapes import Group, GroupList, Resource, ResourceList, checked


def group_versions(body: Any) -> list[str]:
    """Returns all API versions in an APIGroupList; the preferred version of each group is its first.

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
    names = {resource.name for resource in resources}
    return [
        _served_resource(api_version, resource, has_status=f"{resource.name}/status" in names)
        for resource in resources
        if "/" not in resource.name
    ]


def _preferred_first(group: Group) -> Iterable[str]:
    preferred = group.preferredVersion
    versions = [version.groupVersion for version in group.versions]
    return sorted(versions, key=lambda name: preferred is None or name != preferred.groupVersion)


def _served_resource(api_version: str, resource: Resource, *, has_status: bool) -> ServedResource:
    group, _, version = api_version.rpartition("/")
    names = (resource.name, resource.singularName, resource.kind, *(resource.shortNames or ()))
    return ServedResource(
        group,
        version,
        resource.name,
        resource.kind,
        resource.namespaced,
        has_status,
        frozenset(resource.verbs or ()),
        frozenset(name.lower() for name in names if name),
    )
