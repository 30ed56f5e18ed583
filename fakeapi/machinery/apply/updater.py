"""Computes the object and the field owners after an update or an apply.

Follows sigs.k8s.io/structured-merge-diff `merge` (Updater).
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

from fakeapi.machinery.apply.compare import Comparison, compare, same
from fakeapi.machinery.apply.conflict import Conflicts
from fakeapi.machinery.apply.fieldset import (
    EMPTY,
    FieldSet,
    difference,
    intersection,
    recursive_difference,
    union,
)
from fakeapi.machinery.apply.managedfields import Managed, Manager, Record
from fakeapi.machinery.apply.merge import merge
from fakeapi.machinery.apply.reconcile import reconciled
from fakeapi.machinery.apply.remove import remove, with_named_fields
from fakeapi.machinery.apply.typed import VersionError, field_set_of
from fakeapi.machinery.codec import encode
from fakeapi.machinery.schema.nodes import Node

Convert: TypeAlias = Callable[[Any, str], "tuple[Any, Node] | None"]
"""A function that converts objects: (value, API version) -> the value and its schema in that version.

If the function returns None, the managedFields of the version are dropped. If the function raises
VersionError, the update or apply fails. The function also raises VersionError if the result does not fit the
schema.
"""


REMEMBERED_MAX = 1024
"""Maximum number of cached field sets of a kind; a full cache is cleared."""

REMEMBERED_BYTES_MAX = 4096
"""Maximum length of a cache key in bytes; results with longer keys are not cached."""

_RECONCILED = b""
"""First element of cache keys for reconciled field sets. Other cache keys begin with non-empty bytes."""


def no_other_version(_value: Any, _api_version: str) -> None:
    return None


@dataclass(frozen=True)
class Updater:
    """Computes the field owners after updates and applies of one kind, in the API version of the request.

    `ignored`: fields that no update or apply sets.

    `order_matters`: whether an apply changes the object if only the order of a set or map list differs. False
    up to 1.28.
    """

    node: Node
    api_version: str
    ignored: FieldSet = field(default_factory=dict)
    convert: Convert = no_other_version
    order_matters: bool = True
    _remembered: dict[tuple[bytes, ...], FieldSet] = field(default_factory=dict, init=False, repr=False)

    def update(self, live: Any, new: Any, managed: Managed) -> FieldSet:
        """Returns the fields that an update from `live` to `new` sets.

        Removes changed and deleted fields from all records in `managed`, in place. Raises TypedError if an
        item of a map list lacks its keys, and VersionError if a conversion fails.
        """
        if any(record.api_version != self.api_version for record in managed.values()):
            self._reconcile(live, managed)
            return self._set_by(self._settle(live, new, managed, None, force=True))
        changes = compare(live, new, self.node, typed=True)
        text = encode(changes)
        for manager, record in list(managed.items()):
            key = text, encode(record.fields)
            rest = self._found(key, partial(self._rest, record.fields, changes))
            if not rest:
                del managed[manager]
            elif rest is not record.fields and rest != record.fields:
                managed[manager] = Record(rest, record.api_version, record.time)
        return self._found((text,), lambda: self._set_by(changes.without(self.ignored)))

    def _set_by(self, changes: Comparison) -> FieldSet:
        return recursive_difference(union(changes.modified, changes.added), self.ignored)

    def _rest(self, fields: FieldSet, changes: Comparison) -> FieldSet:
        """Returns a field set without the fields in `changes`, adapted to the current schema.

        Keeps the fields in `ignored`.
        """
        rest = self._reconciled(fields)
        for changed in changes.without(self.ignored):
            rest = difference(rest, changed)
        return rest

    def _reconciled(self, fields: FieldSet) -> FieldSet:
        """Adapts a field set to the current schema; returns `fields` itself if nothing changes."""
        adapted = self._found((_RECONCILED, encode(fields)), lambda: reconciled(fields, self.node))
        return fields if adapted == fields else adapted

    def _found(self, key: tuple[bytes, ...], find: Callable[[], FieldSet]) -> FieldSet:
        """Returns the cached field set of `key`; if it is not cached, calls `find` and caches the result."""
        fields = self._remembered.get(key)
        if fields is None:
            fields = find()
            if sum(map(len, key)) <= REMEMBERED_BYTES_MAX:
                if len(self._remembered) >= REMEMBERED_MAX:
                    self._remembered.clear()
                self._remembered[key] = fields
        return fields

    def apply(self, live: Any, config: Any, managed: Managed, manager: Manager, *, force: bool) -> Any:
        """Returns the object after an apply of `config` by `manager`; None if `live` does not change.

        Changes `managed` in place. Raises Conflicts if the apply changes fields of other managers, unless
        `force`. Raises TypedError if an item of a map list lacks its keys, and VersionError if a conversion
        fails.
        """
        self._reconcile(live, managed)
        merged = merge(live, config, self.node)
        last = managed.get(manager)
        fields = recursive_difference(field_set_of(config, self.node), self.ignored)
        managed[manager] = Record(fields, self.api_version, None if last is None else last.time)
        with _failing("failed to prune fields"):
            new = self._prune(merged, managed, last)
        changes = self._settle(live, new, managed, manager, force=force)
        unchanged = same(live, new) if self.order_matters else not any(changes)
        return None if unchanged else new

    def _at(self, value: Any, version: str) -> "tuple[Any, Node] | None":
        return (value, self.node) if version == self.api_version else self.convert(value, version)

    def _reconcile(self, live: Any, managed: Managed) -> None:
        """Adapts the records in `managed` to the current schemas; drops records of unknown API versions."""
        for manager, record in list(managed.items()):
            if record.api_version == self.api_version:
                node = self.node
            else:
                versioned = self.convert(live, record.api_version)
                if versioned is None:
                    del managed[manager]
                    continue
                node = versioned[1]
            fields = reconciled(record.fields, node)
            if fields is not record.fields:
                managed[manager] = Record(fields, record.api_version, record.time)

    def _settle(
        self, live: Any, new: Any, managed: Managed, but: Manager | None, *, force: bool
    ) -> Comparison:
        """Removes changed fields from all managers except `but`.

        Drops managers without fields, and managers whose API version is unknown.

        Returns the changes in the API version of the request. Raises Conflicts if another manager owns a
        changed field, unless `force`.

        `but`: the manager of an apply; None for an update, in which `live` and `new` are complete objects
        """
        typed = but is None
        changes = compare(live, new, self.node, typed=typed).without(self.ignored)
        versions: dict[str, Comparison | None] = {self.api_version: changes}
        conflicts: dict[Manager, FieldSet] = {}
        losers: list[tuple[Manager, Comparison]] = []
        for manager, record in list(managed.items()):
            if manager == but:
                continue
            version = record.api_version
            if version not in versions:
                versions[version] = self._compare_in(version, live, new, typed=typed)
            theirs = versions[version]
            if theirs is None:
                del managed[manager]
                continue
            losers.append((manager, theirs))
            if not force and (fields := intersection(record.fields, union(theirs.modified, theirs.added))):
                conflicts[manager] = fields
        if conflicts:
            raise Conflicts(conflicts)
        for manager, theirs in losers:
            _take_away(managed, manager, theirs)
        if but is not None and not managed[but].fields:
            del managed[but]
        return changes

    def _compare_in(self, version: str, live: Any, new: Any, *, typed: bool) -> Comparison | None:
        with _failing("failed to convert old object"):
            old = self.convert(live, version)
        with _failing("failed to convert new object"):
            current = self.convert(new, version)
        if old is None or current is None:
            return None
        return compare(old[0], current[0], current[1], typed=typed).without(self.ignored)

    def _prune(self, merged: Any, managed: Managed, last: Record | None) -> Any:
        """Removes fields that the manager's previous apply had and the new apply lacks.

        Keeps fields that another manager owns. Returns the result.

        - `merged`: the live object with the new apply merged into it
        - `last`: the record of the manager's previous apply; None if there was none
        """
        if last is None or not last.fields:
            return merged
        with _failing("failed to convert merged object to last applied version"):
            versioned = self._at(merged, last.api_version)
        if versioned is None:
            return merged
        value, node = versioned
        pruned = remove(value, with_named_fields(last.fields, node), node)
        with _failing("failed add back owned items"):
            pruned = self._add_back_owned(value, pruned, node, managed, last.api_version)
        pruned = _add_back_dangling(value, pruned, node, last.fields)
        if last.api_version == self.api_version:
            return pruned
        back = self.convert(pruned, self.api_version)
        return merged if back is None else back[0]

    def _add_back_owned(self, merged: Any, pruned: Any, node: Node, managed: Managed, version: str) -> Any:
        """Adds back fields that pruning removed although another manager owns them.

        `version` is the API version of `merged` and `pruned`. Records of this version are processed first.
        """
        owned: dict[str, FieldSet] = {version: EMPTY}
        for record in managed.values():
            owned[record.api_version] = union(owned.get(record.api_version, EMPTY), record.fields)
        pruned = _add_back(merged, pruned, node, owned.pop(version))
        for other, fields in owned.items():
            with _failing(f"failed to convert merged object at version {other}"):
                full = self.convert(merged, other)
            with _failing(f"failed to convert pruned object at version {other}"):
                rest = self.convert(pruned, other)
            if full is None or rest is None:
                continue
            back = self.convert(_add_back(full[0], rest[0], full[1], fields), version)
            pruned = pruned if back is None else back[0]
        return pruned


@contextmanager
def _failing(step: str) -> Iterator[None]:
    """Adds the name of a step to the message of a VersionError, as the Updater of upstream does."""
    try:
        yield
    except VersionError as error:
        raise VersionError(f"{step}: {error}") from None


def _take_away(managed: Managed, manager: Manager, changes: Comparison) -> None:
    record = managed[manager]
    rest = record.fields
    for fields in changes:
        rest = difference(rest, fields)
    if not rest:
        del managed[manager]
    elif rest is not record.fields:
        managed[manager] = Record(rest, record.api_version, record.time)


def _add_back(merged: Any, pruned: Any, node: Node, owned: FieldSet) -> Any:
    every = with_named_fields(field_set_of(merged, node), node)
    kept = with_named_fields(field_set_of(pruned, node), node)
    return remove(merged, difference(every, union(kept, with_named_fields(owned, node))), node)


def _add_back_dangling(merged: Any, pruned: Any, node: Node, last: FieldSet) -> Any:
    """Adds back fields that pruning removed although the manager did not own them.

    - `merged`, `pruned`: the object before and after pruning
    - `last`: the fields of the manager's previous apply
    """
    every = with_named_fields(field_set_of(merged, node), node)
    kept = with_named_fields(field_set_of(pruned, node), node)
    return remove(merged, intersection(difference(every, kept), with_named_fields(last, node)), node)
