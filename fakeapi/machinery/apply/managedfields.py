"""Decodes and encodes metadata.managedFields, which record the fields that each manager owns.

Follows k8s.io/apimachinery `pkg/util/managedfields/internal`.
"""

from typing import Any, NamedTuple, TypeAlias

import msgspec

from fakeapi.machinery import codec
from fakeapi.machinery.apply.fieldset import EMPTY, FieldSet, FieldSetError, from_fields_v1, union_of

Entry: TypeAlias = dict[str, Any]
"""An item of metadata.managedFields in canonical form."""

APPLY = "Apply"
UPDATE = "Update"
FIELDS_V1 = "FieldsV1"

UPDATE_MANAGERS_MAX = 10
"""Maximum number of Update entries in metadata.managedFields of an object.

Over the limit, the oldest entries of an API version are merged into one entry of "ancient-changes". Entries
of different API versions are never merged, so an object can have more entries.
"""
ANCIENT_CHANGES = "ancient-changes"


class ManagedFieldsError(ValueError):
    """metadata.managedFields in a request is not valid."""


class Manager(NamedTuple):
    """The identity of an entry of metadata.managedFields.

    `api_version` is empty for the operation Apply, because an applier has one entry for all API versions.
    """

    name: str
    operation: str
    api_version: str
    subresource: str

    @property
    def text(self) -> str:
        """The manager as JSON text. Managers are sorted by this text, as in Kubernetes."""
        members = {
            "manager": self.name,
            "operation": self.operation,
            "apiVersion": self.api_version,
            "subresource": self.subresource,
        }
        return codec.encode({name: value for name, value in members.items() if value}).decode()


class Record(msgspec.Struct):
    """The fields that one manager owns.

    `time`: RFC 3339 in UTC, with whole seconds; None if the entry has no time.
    `entry`: the stored entry that the record was decoded from; None for a record that must be encoded.
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
    """Whether managedFields in a request remove all managers: the list is `[]` or `[{}]`.

    False for None, which means that the request contains no managedFields.
    """
    return entries is not None and (not entries or entries == [{}])


def decode(entries: list[Entry] | None) -> Managed:
    """Decodes and checks the managedFields entries that a client sent.

    `entries`: None means that the client sent none.

    Raises ManagedFieldsError if an entry is not valid.
    """
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
    """Decodes entries that `encode` returned, without checks. The records share the field sets of `entries`.

    `entries`: None counts as an empty list
    """
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
    """Encodes managers and their records as sorted entries of metadata.managedFields.

    Apply entries come before Update entries. Within an operation, entries are sorted by time, manager, API
    version and subresource.
    """
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
    """Merges the oldest Update records until at most `most` are left. Changes `managed` in place.

    Only records of the same API version can be merged, so more than `most` may be left.
    """
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
        # Like upstream, this deletes the "ancient-changes" record itself if an older record exists.
        del managed[manager]
        if manager == bucket:
            del merged[bucket]
        excess -= 1
    for bucket, sets in merged.items():
        managed[bucket].fields = union_of(sets)
