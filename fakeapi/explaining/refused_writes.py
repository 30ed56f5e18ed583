"""Finds refused writes in the journal of a server."""

import json

from fakeapi.explaining.cluster_objects import KINDS, RefusedWrite
from fakeapi.explaining.model import Reference
from fakeapi.journal.entry import Entry, Record
from fakeapi.journal.journal import Journal
from fakeapi.machinery.json_types import Object

ENTRIES_MAX = 2000
"""Maximum number of requests in the journal to search for refused writes; older requests are ignored."""

REFUSED_MAX = 5
"""Maximum number of refused writes of one object. Older refused writes are ignored."""

_WRITES = frozenset(("create", "update", "patch", "delete"))
_CODES = frozenset((400, 403, 422))


def refused_writes(journal: Journal, target: Reference) -> list[RefusedWrite]:
    """Returns the last refused writes of an object, oldest first.

    Finds only writes with the status codes 400, 403 and 422.
    """
    plural = next((plural for plural, (_, kind) in KINDS.items() if kind == target.kind), "")
    refused: list[RefusedWrite] = []
    for entry in journal.newest_entries(journal.last - ENTRIES_MAX, _is_refused):
        is_own = entry.name == target.name and entry.namespace == target.namespace
        if is_own and entry.info.resource == plural:
            refused.append(_refused(entry))
            if len(refused) == REFUSED_MAX:
                break
    return refused[::-1]


def _is_refused(record: Record) -> bool:
    return record.code in _CODES and record.verb in _WRITES


def _refused(entry: Entry) -> RefusedWrite:
    return RefusedWrite(
        entry.verb,
        entry.resource,
        entry.namespace,
        entry.name,
        entry.code,
        entry.user,
        _object(entry.bodies.answer),
        _object(entry.bodies.sent),
    )


def _object(body: bytes) -> Object:
    try:
        value = json.loads(body)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
