"""Catalogue: the resources that a server serves, which may change while the server runs."""

from collections import Counter
from collections.abc import Callable, Iterable

from fakeapi.registry.model.resource import Resource
from fakeapi.releases import Release
from fakeapi.releases.version_order import version_rank

Subscriber = Callable[[Resource], None]
"""A function that receives a resource after its removal from the catalogue."""


class Catalogue:
    """The served resources.

    - `primary`: the release that the server reports as its own version.
    - `generation`: a number that grows with every change of the catalogue. Caches of discovery and OpenAPI
      documents compare this number.
    """

    def __init__(self, resources: Iterable[Resource], primary: Release) -> None:
        self.primary = primary
        self.generation = 0
        self._by_name: dict[tuple[str, str, str], Resource] = {}
        self._in_group: Counter[str] = Counter()
        self._built_in: Counter[str] = Counter()
        """The number of built-in resources by API group."""
        self._versions: dict[str, list[str]] = {}
        """The results of `versions`, until a resource is added or removed."""
        self._subscribers: list[Subscriber] = []
        self.add(*resources)

    @property
    def resources(self) -> list[Resource]:
        """All served resources, in the order in which they were added."""
        return list(self._by_name.values())

    def find(self, group: str, version: str, name: str) -> Resource | None:
        return self._by_name.get((group, version, name))

    def stores(self, name: str, prefix: str) -> bool:
        """Whether a served resource with this name stores its objects under this prefix of storage keys.

        Reading a prefix loads the KindDefinition, so this compares only the prefixes of resources with this
        name.
        """
        return any(
            resource.kind.resource == name and resource.prefix == prefix
            for resource in self._by_name.values()
        )

    def has_group(self, group: str) -> bool:
        return group in self._in_group

    def has_built_in(self, group: str) -> bool:
        """Whether an API group has resources that do not come from a CustomResourceDefinition."""
        return group in self._built_in

    def serves(self, group: str, version: str) -> bool:
        """Whether the server serves this version of an API group."""
        return any(key[:2] == (group, version) for key in self._by_name)

    def groups(self, *, by_version: bool = True) -> list[str]:
        """Returns the served API groups: built-in groups in the order of their addition, then custom groups.

        A custom group has only custom resources. Custom groups are sorted by the name of their first
        APIService, `VERSION.GROUP`. If `by_version` is False, custom groups are sorted by group name.
        """
        custom: dict[str, str] = {}
        for group, version, _ in self._by_name:
            if group not in self._built_in:
                name = f"{version}.{group}" if by_version else group
                custom[group] = min(name, custom.get(group, name))
        built_in = dict.fromkeys(group for group, _, _ in self._by_name if group in self._built_in)
        return [*built_in, *sorted(custom, key=custom.__getitem__)]

    def versions(self, group: str) -> list[str]:
        """Returns the served versions of an API group, the preferred version first.

        Versions with only custom resources come before versions with built-in resources.
        """
        known = self._versions.get(group)
        if known is None:
            known = self._sorted_versions(group)
            if group in self._in_group:
                self._versions[group] = known
        return [*known]

    def _sorted_versions(self, group: str) -> list[str]:
        built_in: dict[str, bool] = {}
        for (of_group, version, _), resource in self._by_name.items():
            if of_group == group:
                built_in[version] = built_in.get(version, False) or not resource.kind.unstructured
        return sorted(built_in, key=lambda name: (not built_in[name], version_rank(name)), reverse=True)

    def of_version(self, group: str, version: str) -> list[Resource]:
        """Returns the resources of one group version, sorted by name."""
        resources = [r for r in self.resources if r.kind.group == group and r.kind.version == version]
        return sorted(resources, key=lambda resource: resource.kind.resource)

    def add(self, *resources: Resource) -> None:
        """Starts to serve resources. Raises ValueError if a resource is already served."""
        added: dict[tuple[str, str, str], Resource] = {}
        for resource in resources:
            name = _name_of(resource)
            if name in self._by_name or name in added:
                raise ValueError(f"{resource.api_version} {resource.kind.resource} is served already")
            added[name] = resource
        self._by_name |= added
        self._count(added.values(), 1)
        self.changed()

    def remove(self, *resources: Resource) -> None:
        """Stops serving resources. Raises KeyError if a resource is not served."""
        for resource in resources:
            if self._by_name[_name_of(resource)] is not resource:
                raise KeyError(_name_of(resource))
        for resource in resources:
            del self._by_name[_name_of(resource)]
        self._count(resources, -1)
        self.changed()
        for resource in resources:
            for subscriber in list(self._subscribers):
                subscriber(resource)

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Calls `subscriber` with each removed resource. The returned function ends the subscription."""
        self._subscribers.append(subscriber)
        return lambda: self._subscribers.remove(subscriber)

    def changed(self) -> None:
        """Increments `generation`, because the discovery data of a resource has changed."""
        self.generation += 1

    def _count(self, resources: Iterable[Resource], change: int) -> None:
        """Adds `change` (1 or -1) to the number of resources of each group; forgets groups without
        resources.
        """
        self._versions.clear()
        for resource in resources:
            group = resource.kind.group
            for counts in (self._in_group, *(() if resource.kind.unstructured else (self._built_in,))):
                counts[group] += change
                if not counts[group]:
                    del counts[group]


def _name_of(resource: Resource) -> tuple[str, str, str]:
    return resource.kind.group, resource.kind.version, resource.kind.resource
