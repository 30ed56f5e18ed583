"""The catalogue: the resources that a server serves, which may change while it runs."""

from collections import Counter
from collections.abc import Callable, Iterable

from fakeapi.registry.model.resource import Resource
from fakeapi.releases import Release
from fakeapi.releases.version_order import version_rank

Subscriber = Callable[[Resource], None]
"""Called with each resource that is removed, after it is gone from the catalogue."""


class Catalogue:
    """The served resources. `primary` is the release that answers for the server as a whole.

    `generation` grows with every change, so that what is made from the catalogue (discovery, OpenAPI) can be
    kept until it does.
    """

    def __init__(self, resources: Iterable[Resource], primary: Release) -> None:
        self.primary = primary
        self.generation = 0
        self._by_name: dict[tuple[str, str, str], Resource] = {}
        self._in_group: Counter[str] = Counter()
        self._built_in: Counter[str] = Counter()
        """How many resources of each group are built in."""
        self._subscribers: list[Subscriber] = []
        self.add(*resources)

    @property
    def resources(self) -> list[Resource]:
        """All served resources, in the order in which they were added."""
        return list(self._by_name.values())

    def find(self, group: str, version: str, name: str) -> Resource | None:
        return self._by_name.get((group, version, name))

    def stores(self, name: str, prefix: str) -> bool:
        """Whether a served resource of this name has its objects under this prefix of storage keys.

        It asks resources of that name alone, since a resource that is not used has not read its definition.
        """
        return any(each.kind.resource == name and each.prefix == prefix for each in self._by_name.values())

    def has_group(self, group: str) -> bool:
        return group in self._in_group

    def has_built_in(self, group: str) -> bool:
        """Whether a group has resources that no definition of custom resources made."""
        return group in self._built_in

    def serves(self, group: str, version: str) -> bool:
        """Whether a version of a group is served."""
        return any(each[:2] == (group, version) for each in self._by_name)

    def groups(self, *, by_version: bool = True) -> list[str]:
        """The served groups: the built-in ones as they were added, then those of custom resources alone,
        whose priority is the lowest. These are ordered by the name of their first APIService,
        `VERSION.GROUP`, or by their own.
        """
        custom: dict[str, str] = {}
        for group, version, _ in self._by_name:
            if group not in self._built_in:
                name = f"{version}.{group}" if by_version else group
                custom[group] = min(name, custom.get(group, name))
        built_in = dict.fromkeys(group for group, _, _ in self._by_name if group in self._built_in)
        return [*built_in, *sorted(custom, key=custom.__getitem__)]

    def versions(self, group: str) -> list[str]:
        """The served versions of a group, the preferred one first: those of custom resources have the highest
        priority.
        """
        built_in: dict[str, bool] = {}
        for (each, version, _), resource in self._by_name.items():
            if each == group:
                built_in[version] = built_in.get(version, False) or not resource.kind.unstructured
        return sorted(built_in, key=lambda each: (not built_in[each], version_rank(each)), reverse=True)

    def of_version(self, group: str, version: str) -> list[Resource]:
        """The resources of one version by name."""
        found = [r for r in self.resources if r.kind.group == group and r.kind.version == version]
        return sorted(found, key=lambda resource: resource.kind.resource)

    def add(self, *resources: Resource) -> None:
        """Serve resources from now on. Raises ValueError for one that is served already."""
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
        """Serve resources no longer. Raises KeyError for one that is not served."""
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
        """Call `subscriber` with each resource that is removed; returns what ends that."""
        self._subscribers.append(subscriber)
        return lambda: self._subscribers.remove(subscriber)

    def changed(self) -> None:
        """Count a generation: what discovery says of a resource has changed."""
        self.generation += 1

    def _count(self, resources: Iterable[Resource], change: int) -> None:
        """Counts resources that were added (1) or removed (-1); forgets groups that have none left."""
        for resource in resources:
            group = resource.kind.group
            for counts in (self._in_group, *(() if resource.kind.unstructured else (self._built_in,))):
                counts[group] += change
                if not counts[group]:
                    del counts[group]


def _name_of(resource: Resource) -> tuple[str, str, str]:
    return resource.kind.group, resource.kind.version, resource.kind.resource
