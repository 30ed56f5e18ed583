"""Converts managedFields between an object and its Scale: the managers that own the replicas.

Follows `ScaleHandler` of k8s.io/apimachinery `pkg/util/managedfields`, including two oddities. If a manager
without an entry in the object becomes owner of the replicas through a Scale, its new entry has no time. A
manager with the operation Update has one entry in the Scale and another in the object, because their API
versions differ.
"""

from collections.abc import Mapping

from fakeapi.machinery.apply import managedfields
from fakeapi.machinery.apply.fieldset import difference, from_paths, has
from fakeapi.machinery.apply.managedfields import Entry, Managed, Record

FieldPath = tuple[str, ...]
REPLICAS_IN_SCALE: FieldPath = ("f:spec", "f:replicas")

ReplicasPaths = Mapping[str, FieldPath]
"""Maps each API version of the object to the path of its replicas field."""


def to_scale(entries: list[Entry] | None, paths: ReplicasPaths, scale_version: str) -> list[Entry]:
    """Returns the managedFields entries of an object's Scale: the managers that own its replicas.

    - `entries`: the entries of the object
    - `paths`: the path of the replicas field in each API version of the object
    - `scale_version`: the API version of the Scale
    """
    managed: Managed = {}
    for manager, record in managedfields.decode_stored(entries).items():
        path = paths.get(record.api_version)
        if path is not None and has(record.fields, path):
            managed[manager] = Record(from_paths([REPLICAS_IN_SCALE]), scale_version, record.time)
    return managedfields.encode(managed)


def to_object(
    entries: list[Entry] | None, scale_entries: list[Entry] | None, paths: ReplicasPaths, api_version: str
) -> list[Entry]:
    """Returns the managedFields entries of an object after a write of its Scale.

    - `entries`: the entries of the object before the write
    - `scale_entries`: the entries of the Scale after the write
    - `paths`: the path of the replicas field in each API version of the object
    - `api_version`: the API version for owners that are new in the object
    """
    stored = managedfields.decode_stored(entries)
    in_scale = managedfields.decode_stored(scale_entries)
    managed: Managed = {}
    for manager, record in stored.items():
        path = paths.get(record.api_version)
        if path is None:
            continue
        if has(record.fields, path) and manager not in in_scale:
            rest = difference(record.fields, from_paths([path]))
            if rest:
                managed[manager] = Record(rest, record.api_version, record.time)
            continue
        managed[manager] = record
        if has(record.fields, path):
            del in_scale[manager]
    for manager, record in in_scale.items():
        if has(record.fields, REPLICAS_IN_SCALE):
            time = stored[manager].time if manager in stored else None
            managed[manager] = Record(from_paths([paths[api_version]]), api_version, time)
    return managedfields.encode(managed)
