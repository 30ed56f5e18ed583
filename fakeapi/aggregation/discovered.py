"""DiscoveredApis: the delegated groups, versions and resources, as discovery documents list them."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from fakeapi.aggregation.delegated import DelegatedApis
from fakeapi.machinery.json_types import Object


@dataclass(slots=True)
class DelegatedGroup:
    """A group with versions that APIServices delegate.

    `versions`: the names of the versions, in the order of their priority.
    """

    name: str
    versions: list[str] = field(default_factory=list)

    def document(self) -> Object:
        """Returns the group for an APIGroupList."""
        versions = [{"groupVersion": f"{self.name}/{name}", "version": name} for name in self.versions]
        return {"name": self.name, "versions": versions, "preferredVersion": versions[0]}


class DiscoveredApis:
    """The delegated APIs, and the resources that their servers last listed.

    `resources`: the resources of an APIVersionDiscovery, by the name of the APIService. APIServices that are
    not available are missing.
    """

    def __init__(self, apis: DelegatedApis) -> None:
        self._apis = apis
        self.resources: dict[str, list[Object]] = {}

    def groups(self) -> list[DelegatedGroup]:
        """Returns the groups of all APIServices with a Service, in the order of their priority.

        Follows `SortedByGroupAndVersion` of k8s.io/kube-aggregator `pkg/apis/apiregistration/v1/helper`.
        """
        groups: dict[str, DelegatedGroup] = {}
        for api_service in sorted(self._apis.all(), key=_order):
            spec = api_service["spec"]
            groups.setdefault(spec["group"], DelegatedGroup(spec["group"])).versions.append(spec["version"])
        return list(groups.values())

    def aggregated(self) -> list[Object]:
        """Returns the groups for an APIGroupDiscoveryList. The freshness of unavailable versions is Stale."""
        return [
            {
                "metadata": {"name": group.name},
                "versions": [self._version(group.name, version) for version in group.versions],
            }
            for group in self.groups()
        ]

    def _version(self, group: str, version: str) -> Object:
        resources = self.resources.get(f"{version}.{group}")
        if resources is None:
            return {"version": version, "freshness": "Stale"}
        return {"version": version, "resources": resources, "freshness": "Current"}


def _order(api_service: Object) -> tuple[Any, ...]:
    spec = api_service["spec"]
    return -spec["groupPriorityMinimum"], spec["group"], -spec["versionPriority"], spec["version"]


def resources_of(document: Object) -> list[Object]:
    """Converts an APIResourceList to the resources of an APIVersionDiscovery.

    Follows `convertToAPIResources` of k8s.io/apiserver `pkg/endpoints`. Ignores entries that are not valid.
    """
    resources: dict[str, Object] = {}
    entries = [entry for entry in _list(document.get("resources")) if isinstance(entry, dict)]
    for entry in entries:
        name = str(entry.get("name", ""))
        if name and "/" not in name:
            resources[name] = _resource(name, entry)
    for entry in entries:
        name, slash, subresource = str(entry.get("name", "")).partition("/")
        if slash and name in resources:
            part = {
                "subresource": subresource,
                "responseKind": _kind(entry),
                "verbs": _list(entry.get("verbs")),
            }
            resources[name].setdefault("subresources", []).append(part)
    return list(resources.values())


def _resource(name: str, entry: Object) -> Object:
    resource: Object = {
        "resource": name,
        "responseKind": _kind(entry),
        "scope": "Namespaced" if entry.get("namespaced") else "Cluster",
        "singularResource": entry.get("singularName", ""),
        "verbs": _list(entry.get("verbs")),
    }
    for field_name in ("shortNames", "categories"):
        if entry.get(field_name):
            resource[field_name] = entry[field_name]
    return resource


def _kind(entry: Object) -> Object:
    return {name: str(entry.get(name, "")) for name in ("group", "version", "kind")}


def _list(value: Any) -> Iterable[Any]:
    return value if isinstance(value, list) else []
