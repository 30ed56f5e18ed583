"""Records the accepted names and the served versions of all CustomResourceDefinitions, by API group.

Follows `getAcceptedNamesForGroup` and `requeueAllOtherGroupCRDs` of k8s.io/apiextensions-apiserver
`pkg/controller/status/naming_controller.go`. Upstream lists all CRDs at each write. This module keeps
counters instead, so that the cost of a write does not grow with the number of CRDs.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

import msgspec

from fakeapi.machinery.json_types import Object


class NamesInUse(msgspec.Struct):
    """Counts how many CRDs of one API group have accepted each name.

    `resources` counts plurals, singulars and short names. `kinds` counts kinds and list kinds. A name in
    `resources` does not conflict with the same name in `kinds`.
    """

    resources: Counter[str] = msgspec.field(default_factory=Counter)
    kinds: Counter[str] = msgspec.field(default_factory=Counter)


class _Names(msgspec.Struct, frozen=True):
    """The names of one CRD.

    - `resources`: the plural, the singular and the short names.
    - `kinds`: the kind and the list kind.
    """

    resources: frozenset[str]
    kinds: frozenset[str]

    @classmethod
    def of(cls, names: Object) -> "_Names":
        resources = (names.get("plural"), names.get("singular"), *(names.get("shortNames") or ()))
        kinds = (names.get("kind"), names.get("listKind"))
        return cls(frozenset(filter(None, resources)), frozenset(filter(None, kinds)))

    def conflicts(self, used: NamesInUse) -> "_Names":
        """Returns the names of the CRD that any CRD of the group has accepted, including this CRD."""
        return _Names(
            frozenset(name for name in self.resources if name in used.resources),
            frozenset(name for name in self.kinds if name in used.kinds),
        )


_NO_NAMES = _Names(frozenset(), frozenset())


class _Definition(msgspec.Struct, frozen=True):
    """The names and the served versions of one CRD.

    - `accepted`: the names in the status of the CRD.
    - `requested`: the names in the spec of the CRD; empty if all of them are accepted.
    - `conflicts`: the requested names that were in use when the CRD was recorded.
    """

    accepted: _Names
    requested: _Names
    conflicts: _Names
    served: frozenset[str]


class _Group(msgspec.Struct):
    used: NamesInUse = msgspec.field(default_factory=NamesInUse)
    versions: Counter[str] = msgspec.field(default_factory=Counter)
    definitions: dict[str, _Definition] = msgspec.field(default_factory=dict)
    resources_waited_for: dict[str, set[str]] = msgspec.field(default_factory=dict)
    """The CRDs that wait for each plural, singular or short name.

    A CRD waits for all names in its spec until all of them are accepted.
    """
    kinds_waited_for: dict[str, set[str]] = msgspec.field(default_factory=dict)


class AcceptedNames:
    """Records the accepted and requested names of all CustomResourceDefinitions."""

    def __init__(self) -> None:
        self._groups: dict[str, _Group] = {}

    def note(self, name: str, definition: Object | None) -> set[str]:
        """Records the names of a stored CRD; `definition` is None if the CRD was deleted.

        Returns the names of other CRDs that the caller must check again. These CRDs request a name that this
        change took or freed.
        """
        group = self._groups.setdefault(group_of(name), _Group())
        before = group.definitions.pop(name, None)
        lost = before.accepted if before else _NO_NAMES
        got = _NO_NAMES if definition is None else _Names.of(definition["status"]["acceptedNames"])
        waiting = {
            *_recounted(group.used.resources, lost.resources, got.resources, group.resources_waited_for),
            *_recounted(group.used.kinds, lost.kinds, got.kinds, group.kinds_waited_for),
        }
        if before is not None:
            _take(group.versions, before.served)
            _wait(group, name, before.requested, is_waiting=False)
        if definition is not None:
            noted = _noted(definition, got, group.used)
            group.definitions[name] = noted
            group.versions.update(noted.served)
            _wait(group, name, noted.requested, is_waiting=True)
        elif not group.definitions:
            del self._groups[group_of(name)]
        return waiting - {name}

    def forget(self) -> None:
        """Forgets all CRDs."""
        self._groups.clear()

    def in_use(self, group: str) -> NamesInUse:
        """Returns the accepted names of all CRDs of an API group, with their counts."""
        return self._groups[group].used if group in self._groups else NamesInUse()

    def decides_anew(self, name: str) -> bool:
        """Whether the name conflicts of a CRD have changed since `note` recorded the CRD."""
        group = self._groups.get(group_of(name))
        noted = group.definitions.get(name) if group else None
        if group is None or noted is None:
            return False
        return noted.requested.conflicts(group.used) != noted.conflicts

    def served_versions(self, group: str) -> Iterator[tuple[str, str]]:
        """Yields each (group, version) that the CRDs of an API group serve; "" stands for all groups."""
        for group_name in [group] if group else list(self._groups):
            for version in self._groups[group_name].versions if group_name in self._groups else ():
                yield group_name, version


def group_of(name: str) -> str:
    """Returns the API group of a CRD; `name` has the form `PLURAL.GROUP`."""
    return name.partition(".")[2]


def _noted(definition: Object, accepted: _Names, used: NamesInUse) -> _Definition:
    names = definition["spec"]["names"]
    requested = _Names.of(names)
    if requested == accepted:
        requested = _NO_NAMES
    served = frozenset(version["name"] for version in definition["spec"]["versions"] if version["served"])
    return _Definition(accepted, requested, requested.conflicts(used), served)


def _recounted(
    used: Counter[str], lost: frozenset[str], got: frozenset[str], waited_for: dict[str, set[str]]
) -> Iterator[str]:
    """Updates the counts of the names that a CRD lost or got.

    Yields the CRDs that wait for a name that this change took or freed.
    """
    before = {name: name in used for name in lost ^ got}
    used.update(got)
    _take(used, lost)
    for name, was_used in before.items():
        if was_used != (name in used):
            yield from waited_for.get(name, ())


def _take(counts: Counter[str], names: Iterable[str]) -> None:
    """Subtracts one from the count of each name; removes names whose count is then 0."""
    for name in names:
        counts[name] -= 1
        if not counts[name]:
            del counts[name]


def _wait(group: _Group, definition: str, requested: _Names, *, is_waiting: bool) -> None:
    """Adds a CRD to the CRDs that wait for each requested name, or removes it if `is_waiting` is False."""
    for names, waited_for in (
        (requested.resources, group.resources_waited_for),
        (requested.kinds, group.kinds_waited_for),
    ):
        for name in names:
            if is_waiting:
                waited_for.setdefault(name, set()).add(definition)
                continue
            waited_for[name].discard(definition)
            if not waited_for[name]:
                del waited_for[name]
