"""Checks the entries of a snapshot file, because an edited file could break the server that loads it."""

from itertools import pairwise

import msgspec

from fakeapi.machinery import codec
from fakeapi.machinery.codec import JsonError
from fakeapi.machinery.golang.json_depth import check_depth
from fakeapi.registry.stored.form import json_of, type_prefix, with_version
from fakeapi.registry.stored.keys import parse_key
from fakeapi_storage import Checkpoint, Entry, InvalidEntry, check_entries

REVISION_MAX = 2**62
"""The largest revision in a snapshot: half of the storage's maximum, so that later writes fit."""


class _Metadata(msgspec.Struct):
    name: str
    uid: str
    resourceVersion: str  # noqa: N815 - as on the wire
    namespace: str = ""


class _Stored(msgspec.Struct):
    kind: str
    apiVersion: str  # noqa: N815 - as on the wire
    metadata: _Metadata


def problem_of(entry: Entry) -> str:
    """Returns an error message if an entry is not a valid stored object; "" if it is valid."""
    if not 1 <= entry.created <= entry.revision:
        return f"revision {entry.revision} of an object that was created at {entry.created}"
    try:
        place = parse_key(entry.key)
    except ValueError as error:
        return str(error)
    if not entry.value:
        return "its value is empty"
    try:
        check_depth(entry.value)
        stored = msgspec.convert(codec.decode(with_version(entry.value, entry.revision)), _Stored)
    except (JsonError, msgspec.MsgspecError, RecursionError) as error:
        return f"its value is not a stored object: {error}"
    metadata = stored.metadata
    if (metadata.namespace, metadata.name) != (place.namespace, place.name):
        return (
            f"its value is the object {metadata.namespace}/{metadata.name}, but its key names another object"
        )
    if not metadata.uid:
        return "its value has no uid"
    prefix = type_prefix(stored.kind, stored.apiVersion)
    if metadata.resourceVersion != str(entry.revision) or not json_of(entry.value).startswith(prefix):
        return "its value is not in the stored form"
    return ""


def problem_together(checkpoint: Checkpoint) -> str:
    """Returns an error message if the entries of a snapshot contradict each other; "" if they do not.

    Examples are a duplicate key, or an entry that is newer than the snapshot. The entries must be sorted by
    key.
    """
    if not 0 <= checkpoint.revision <= REVISION_MAX:
        return f"its revision {checkpoint.revision} is not between 0 and {REVISION_MAX}"
    for entry in checkpoint.entries:
        if entry.revision > checkpoint.revision:
            return f"{entry.key} has the revision {entry.revision}, after that of the snapshot"
    for entry, following in pairwise(checkpoint.entries):
        if entry.key == following.key:
            return f"it has {entry.key} twice"
    try:
        check_entries(checkpoint)
    except InvalidEntry as error:
        return str(error)
    return ""
