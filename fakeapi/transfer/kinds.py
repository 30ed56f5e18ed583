"""ServedKind: a resource that a server lists and creates, found by discovery."""

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from fakeapi.controllers.api import Refused
from fakeapi.machinery.json_types import Object


class Getter(Protocol):
    """A server that is read from. Raises Refused."""

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
        """As kubectl takes it: "deployments.apps"."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    def path(self, namespace: str = "", name: str = "") -> str:
        """The path of the list, of all namespaces without one, or of an object."""
        root = f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"
        scope = f"/namespaces/{namespace}" if self.namespaced and namespace else ""
        return f"{root}{scope}/{self.plural}" + (f"/{name}" if name else "")


Served = dict[tuple[str, str], list[ServedKind]]
"""Resources by group and plural, each in the versions that are served, the preferred one first."""


async def discover(server: Getter, groups: Container[str] | None = None) -> tuple[Served, list[str]]:
    """Discovers the resources that can be listed and created, and a line for each version that fails.

    Without `groups` it is asked for all. Raises Refused if discovery of the groups fails.
    """
    found: Served = {}
    problems = []
    listed = (await server.get("/apis")).get("groups")
    for version in ["v1", *_group_versions(listed if isinstance(listed, list) else [])]:
        if groups is not None and version.rpartition("/")[0] not in groups:
            continue
        try:
            told = await server.get(f"/apis/{version}" if "/" in version else f"/api/{version}")
        except Refused as error:
            if error.code == 401:
                raise
            problems.append(f"{version}: {error}")
            continue
        for kind in _kinds(version, told.get("resources") or []):
            found.setdefault((kind.group, kind.plural), []).append(kind)
    return found, problems


def _group_versions(groups: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    for group in groups:
        preferred = (group.get("preferredVersion") or {}).get("groupVersion")
        versions = [each["groupVersion"] for each in group["versions"]]
        yield from sorted(versions, key=lambda version: version != preferred)


def _kinds(api_version: str, resources: Iterable[Mapping[str, Any]]) -> Iterable[ServedKind]:
    group, _, version = api_version.rpartition("/")
    listed = list(resources)
    subresources = {each["name"] for each in listed if "/" in each["name"]}
    for each in listed:
        if "/" in each["name"] or not {"list", "create"} <= {*each.get("verbs", ())}:
            continue
        names = (each["name"], each.get("singularName") or "", each["kind"], *(each.get("shortNames") or ()))
        yield ServedKind(
            group,
            version,
            each["name"],
            each["kind"],
            bool(each["namespaced"]),
            f"{each['name']}/status" in subresources,
            frozenset(name.lower() for name in names if name),
        )
