"""Decodes and encodes metadata.managedFields, which record the fields that each manager owns.

Follows k8s.io/apimachinery `pkg/util/managedfields/internal`.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from fakeapi.machinery import codec
from fakeapi.machinery.apply.fieldset import EMPTY, FieldSet, FieldSetError, from_fields_v1, union_of

Entry: TypeAlias = dict[str, Any]
"""An item of metadata.managedFields in canonical form."""

APPLY = "Apply"
UPDATE = "Update"
FIELDS_V1 = "FieldsV1"

UPDATE_MANAGERS_MAX = 10
"""Maximum number of Update entries of an object.

If there are more, the oldest of each API version are merged into one entry of the manager "ancient-changes".
"""
ANCIENT_CHANGES = "ancient-changes"


class ManagedFieldsError(ValueError):
    """managedFields that cannot be read."""


class Manager(NamedTuple):
    """The identity of an entry.

    An applier has one entry for all versions, so its `api_version` is empty.
    """

    name: str
    operation: str
    api_version: str
    subresource: str

    @property
    def text(self) -> str:
        """The identifier in Kubernetes' JSON, by which managers are ordered."""
        members = {
            "manager": self.name,
            "operation": self.operation,
            "apiVersion": self.api_version,
            "subresource": self.subresource,
        }
        return codec.encode({name: value for name, value in members.items() if value}).decode()


@dataclass(slots=True)
class Record:
    """The fields that one manager owns.

    `time` is RFC 3339 in UTC seconds, None if the entry has none. `entry` is the entry that the record was
    decoded from; None if it must be encoded again.
    """

    fields: FieldSet
    api_version: str
    time: str | None
    entry: Entry | None = None


Managed: TypeAlias = dict[Manager, Record]


def updater(name: str, api_version: str, subresource: str) -> Manager:
    return Manager(name or "unknown", UPDATE, api_version, subresource)


def applier(name: str, subresource: str) -> Manager:
    return Manager(name or "unknown", APPLY, "", subresource)


def is_reset(entries: list[Entry] | None) -> bool:
    """Whether a client asks to drop all managers, by `[]` or one empty entry."""
    return entries is not None and (not entries or entries == [{}])


def decode(entries: list[Entry] | None) -> Managed:
    """Decodes entries that a client wrote. Raises ManagedFieldsError."""
    managed: Managed = {}
    for index, entry in enumerate(entries or ()):
        _check(entry, index)
        try:
            fields = from_fields_v1(entry.get("fieldsV1"))
        except FieldSetError as error:
            raise ManagedFieldsError(str(error)) from error
        managed[_manager(entry)] = Record(fields, entry["apiVersion"], entry.get("time"))
    return managed


def decode_stored(entries: list[Entry] | None) -> Managed:
    """Decodes entries that `encode` wrote; they are not checked, and the records share their fields."""
    return {
        _manager(entry): Record(entry.get("fieldsV1") or EMPTY, entry["apiVersion"], entry.get("time"), entry)
        for entry in entries or ()
    }


def _check(entry: Entry, index: int) -> None:
    if entry.get("operation") not in {APPLY, UPDATE}:
        raise ManagedFieldsError("operation must be `Apply` or `Update`")
    if not entry.get("apiVersion"):
        raise ManagedFieldsError("apiVersion must not be empty")
    fields_type = entry.get("fieldsType")
    if not fields_type:
        raise ManagedFieldsError(f"missing fieldsType in managed fields entry {index}")
    if fields_type != FIELDS_V1:
        raise ManagedFieldsError(f'invalid fieldsType "{fields_type}" in managed fields entry {index}')


def _manager(entry: Entry) -> Manager:
    operation = entry["operation"]
    return Manager(
        entry.get("manager", ""),
        operation,
        "" if operation == APPLY else entry["apiVersion"],
        entry.get("subresource", ""),
    )


def encode(managed: Managed) -> list[Entry]:
    """Encodes entries: Apply before Update, then by time, manager, API version and subresource."""
    rows = [
        (manager.operation, record.time or "", manager.name, record.api_version, manager.subresource, index)
        for index, (manager, record) in enumerate(managed.items())
    ]
    entries = [record.entry or _entry(manager, record) for manager, record in managed.items()]
    return [entries[row[-1]] for row in sorted(rows)]


def _entry(manager: Manager, record: Record) -> Entry:
    entry: Entry = {"manager": manager.name} if manager.name else {}
    entry["operation"] = manager.operation
    entry["apiVersion"] = record.api_version
    if record.time is not None:
        entry["time"] = record.time
    entry["fieldsType"] = FIELDS_V1
    entry["fieldsV1"] = record.fields
    if manager.subresource:
        entry["subresource"] = manager.subresource
    return entry


def cap_updaters(managed: Managed, most: int = UPDATE_MANAGERS_MAX) -> None:
    """Merges the oldest Update records until no more than `most` are left, or none can be merged."""
    updaters = [manager for manager in managed if manager.operation == UPDATE]
    excess = len(updaters) - most
    if excess <= 0:
        return
    updaters.sort(key=lambda manager: (managed[manager].time or "", manager.text))
    oldest: dict[str, Manager] = {}
    merged: dict[Manager, list[FieldSet]] = {}
    for manager in updaters:
        if excess <= 0:
            break
        record = managed[manager]
        first = oldest.setdefault(record.api_version, manager)
        if first == manager:
            continue
        bucket = updater(ANCIENT_CHANGES, record.api_version, "")
        if bucket not in merged:
            merged[bucket] = [(managed[bucket] if bucket in managed else managed.pop(first)).fields]
        merged[bucket].append(record.fields)
        managed[bucket] = Record(EMPTY, record.api_version, record.time)
        # like upstream, even if an older record of the same second made this the bucket
        del managed[manager]
        if manager == bucket:
            del merged[bucket]
        excess -= 1
    for bucket, sets in merged.items():
        managed[bucket].fields = union_of(sets)
