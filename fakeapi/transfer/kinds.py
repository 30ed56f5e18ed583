"""ServedKind: a resource that a server can list and create, found by discovery."""

from collections.abc import Container, Iterable
from dataclasses import dataclass
from typing import Protocol

from fakeapi.controllers.api import Refused
from fakeapi.machinery.json_types import Object
from fakeapi.transfer.answers import Group, GroupList, Resource, ResourceList, checked, malformed
from fakeapi.transfer.bounds import RESOURCES_MAX, VERSIONS_MAX


class Getter(Protocol):
    """A server to read from. Raises Refused."""

    async def get(self, path: str, **query: str) -> Object: ...


@dataclass(frozen=True, slots=True)
class ServedKind:
    """A resource in one version of its group. `has_status`: its status is a subresource."""

    group: str
    version: str
    plural: str
    kind: str
    namespaced: bool
    has_status: bool = False
    names: frozenset[str] = frozenset()
    """Plural, singular, short names and kind, in lower case."""

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def qualified(self) -> str:
        """The name for kubectl: "deployments.apps"."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    def path(self, namespace: str = "", name: str = "") -> str:
        """Returns the path of one object, or of a list; without a namespace, of all namespaces."""
        root = f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"
        scope = f"/namespaces/{namespace}" if self.namespaced and namespace else ""
        return f"{root}{scope}/{self.plural}" + (f"/{name}" if name else "")


Served = dict[tuple[str, str], list[ServedKind]]
"""Resources by group and plural, each in its served versions, preferred version first."""


async def discover(server: Getter, groups: Container[str] | None = None) -> tuple[Served, list[str]]:
    """Returns the resources that can be listed and created, and one line for each failed version.

    Without `groups`, all groups are discovered. Raises Refused if the list of groups fails or is too long.
    """
    served: Served = {}
    problems = []
    listed = checked(await server.get("/apis"), GroupList).groups or []
    versions = ["v1", *_group_versions(listed)]
    if len(versions) > VERSIONS_MAX:
        raise malformed(f"lists more than {VERSIONS_MAX} group versions")
    room = RESOURCES_MAX
    for version in versions:
        if groups is not None and version.rpartition("/")[0] not in groups:
            continue
        path = f"/apis/{version}" if "/" in version else f"/api/{version}"
        try:
            resources = checked(await server.get(path), ResourceList).resources or []
            room -= len(resources)
            if room < 0:
                raise malformed(f"lists more than {RESOURCES_MAX} resources")
        except Refused as error:
            if error.code == 401:
                raise
            problems.append(f"{version}: {error}")
            continue
        for kind in _kinds(version, resources):
            served.setdefault((kind.group, kind.plural), []).append(kind)
    return served, problems


def _group_versions(groups: Iterable[Group]) -> Iterable[str]:
    for group in groups:
        preferred = group.preferredVersion
        versions = [version.groupVersion for version in group.versions]
        yield from sorted(versions, key=lambda name: preferred is None or name != preferred.groupVersion)


def _kinds(api_version: str, resources: list[Resource]) -> Iterable[ServedKind]:
    group, _, version = api_version.rpartition("/")
    subresources = {resource.name for resource in resources if "/" in resource.name}
    for resource in resources:
        if "/" in resource.name or not {"list", "create"} <= {*(resource.verbs or ())}:
            continue
        names = (resource.name, resource.singularName, resource.kind, *(resource.shortNames or ()))
        yield ServedKind(
            group,
            version,
            resource.name,
            resource.kind,
            resource.namespaced,
            f"{resource.name}/status" in subresources,
            frozenset(name.lower() for name in names if name),
        )
