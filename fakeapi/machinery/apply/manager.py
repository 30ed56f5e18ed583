"""The field manager of a kind: keeps metadata.managedFields through every write.

Follows k8s.io/apimachinery `pkg/util/managedfields`: the chain of managers from version check to strip meta.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

from fakeapi.machinery.apply import managedfields
from fakeapi.machinery.apply.compare import Comparison, compare
from fakeapi.machinery.apply.fieldset import FieldSet, difference, from_paths, recursive_difference, union
from fakeapi.machinery.apply.managedfields import Managed, ManagedFieldsError, Manager, Record
from fakeapi.machinery.apply.reconcile import reconciled
from fakeapi.machinery.apply.typed import TypedError, zero_of
from fakeapi.machinery.schema import Struct

Object: TypeAlias = dict[str, Any]
Convert: TypeAlias = Callable[[Object, str], "tuple[Object, Struct] | None"]
"""(object, API version) -> the object and its schema in that version; None for an unknown version."""

NEVER_OWNED = from_paths(
    [
        ("f:apiVersion",),
        ("f:kind",),
        ("f:metadata",),
        *(
            ("f:metadata", "f:" + name)
            for name in (
                "name",
                "namespace",
                "creationTimestamp",
                "selfLink",
                "uid",
                "clusterName",
                "generation",
                "managedFields",
                "resourceVersion",
            )
        ),
    ]
)


def no_other_version(_obj: Object, _api_version: str) -> None:
    return None


@dataclass(frozen=True)
class FieldManager:
    """What a kind and subresource need to track their fields; made once for each.

    `node` is the schema of the kind, `reset_fields` the paths that a write here never sets, as in
    `Strategy.reset_fields`. `allows_duplicates` False (until 1.28): an object with two equal items in a set
    or map list loses its managedFields. `convert` reads entries of other API versions; those it does not
    know are dropped.
    """

    node: Struct
    api_version: str
    subresource: str = ""
    reset_fields: tuple[tuple[str, ...], ...] = ()
    allows_duplicates: bool = True
    convert: Convert = field(default=no_other_version)

    @cached_property
    def ignored(self) -> FieldSet:
        return from_paths(tuple("f:" + name for name in path) for path in self.reset_fields)

    @cached_property
    def zero(self) -> Object:
        return zero_of(self.node)

    def update(self, live: Object | None, new: Object, manager: str, now: str) -> Object:
        """`new` with its managedFields as a create (`live` None), update or patch by `manager` leaves them.

        Both are canonical; `new` is what the client wants, before the strategy prepares it, and is changed in
        place. `now` is RFC 3339 in UTC seconds; an empty `manager` is "unknown". What a client sent as
        managedFields counts on the main resource alone: entries that cannot be read, or none, leave those of
        `live`; `[]` or `[{}]` forgets all, and an object without managers gets none until its first apply.
        Where fields cannot be told (a TypedError), managedFields are dropped, as Kubernetes does.
        """
        metadata = new["metadata"]
        managed = self._managed_of(live, metadata.pop("managedFields", None))
        if not managed and live is not None:
            return new
        try:
            self._update(self.zero if live is None else live, new, managed, manager, now)
        except TypedError:
            return new
        if managed:
            metadata["managedFields"] = managedfields.encode(managed)
        return new

    def _managed_of(self, live: Object | None, sent: list[managedfields.Entry] | None) -> Managed:
        stored = None if live is None else live["metadata"].get("managedFields")
        if sent is None or self.subresource or sent == stored:
            return managedfields.decode_stored(stored)
        if managedfields.is_reset(sent):
            return {}
        try:
            return managedfields.decode(sent) or managedfields.decode_stored(stored)
        except ManagedFieldsError:
            return managedfields.decode_stored(stored)

    def _update(self, live: Object, new: Object, managed: Managed, manager: str, now: str) -> None:
        changes = self._compare(live, new)
        self._take_away(live, new, managed, changes)
        taken = recursive_difference(union(changes.modified, changes.added), self.ignored)
        taken = difference(taken, NEVER_OWNED)
        if taken:
            self._give(
                managed, managedfields.updater(manager, self.api_version, self.subresource), taken, now
            )
        managedfields.cap_updaters(managed)

    def _compare(self, live: Object, new: Object) -> Comparison:
        return compare(live, new, self.node).without(self.ignored)

    def _give(self, managed: Managed, manager: Manager, fields: FieldSet, now: str) -> None:
        before = managed.get(manager)
        if before is not None:
            fields = union(fields, before.fields)
        managed[manager] = Record(fields, self.api_version, now)

    def _take_away(self, live: Object, new: Object, managed: Managed, changes: Comparison) -> None:
        """Nobody goes on owning what changed or is gone; who owns nothing is forgotten."""
        versions: dict[str, Comparison | None] = {self.api_version: changes}
        nodes: dict[str, Struct] = {self.api_version: self.node}
        for manager, record in list(managed.items()):
            version = record.api_version
            if version not in versions:
                versions[version] = self._compare_in(version, live, new, nodes)
            changed = versions[version]
            if changed is None:
                del managed[manager]
                continue
            rest = reconciled(record.fields, nodes[version])
            for lost in changed:
                rest = difference(rest, lost)
            if not rest:
                del managed[manager]
            elif rest is not record.fields:
                managed[manager] = Record(rest, version, record.time)

    def _compare_in(
        self, version: str, live: Object, new: Object, nodes: dict[str, Struct]
    ) -> Comparison | None:
        old, current = self.convert(live, version), self.convert(new, version)
        if old is None or current is None:
            return None
        nodes[version] = current[1]
        return compare(old[0], current[0], current[1]).without(self.ignored)


def with_old_times(new: Object, old: Object) -> Object:
    """`new`, with the managedFields of `old` where nothing but their times would change.

    Follows k8s.io/apiserver IgnoreManagedFieldsTimestampsTransformer: the last step of an update or patch
    before the strategy prepares it.
    """
    entries, before = new["metadata"].get("managedFields"), old["metadata"].get("managedFields")
    if not entries or not before or entries == before or _timeless(entries) != _timeless(before):
        return new
    if _without_managed_fields(new) == _without_managed_fields(old):
        new["metadata"]["managedFields"] = before
    return new


def _timeless(entries: list[managedfields.Entry]) -> list[managedfields.Entry]:
    return [{name: value for name, value in entry.items() if name != "time"} for entry in entries]


def _without_managed_fields(obj: Object) -> Object:
    return {
        **obj,
        "metadata": {name: value for name, value in obj["metadata"].items() if name != "managedFields"},
    }
