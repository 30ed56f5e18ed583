"""The history of one object: each change with its fields and its request."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from fakeapi.clients.errors import StatusError
from fakeapi.clients.served_resource import ServedResource
from fakeapi.journal.entry import Entry
from fakeapi.machinery.json_types import Object
from fakeapi.snapshots.comparing import FieldChange, field_changes
from fakeapi.testing.wire import Wire

CHANGES_MAX = 10
"""Maximum number of changed fields that a report shows for each version."""

_VERBS = {"ADDED": "created", "MODIFIED": "changed", "DELETED": "deleted", "STORED": "older version"}


@dataclass(frozen=True, slots=True)
class ObjectChange:
    """A version of an object, with the request that stored the version.

    - `type`: ADDED, MODIFIED, DELETED, or STORED if the change is older than the history.
    - `fields`: the fields that the change has set or removed; empty for the oldest version of the history,
      and for types other than MODIFIED.
    - `request`: the request that made the change; None if the journal does not have it.
    """

    type: str
    version: str
    object: Object
    fields: tuple[FieldChange, ...]
    request: Entry | None

    def lines(self) -> Iterator[str]:
        """Yields the change as lines of a report."""
        who = _sender(self.request, self.object)
        yield f"version {self.version}  {_VERBS.get(self.type, self.type)}{who}"
        for field in self.fields[:CHANGES_MAX]:
            yield f"    {field}"
        if len(self.fields) > CHANGES_MAX:
            yield f"    and {len(self.fields) - CHANGES_MAX} more fields"


def history_of(
    wire: Wire, entries: Sequence[Entry], resource: ServedResource, namespace: str, name: str
) -> list[ObjectChange]:
    """Returns the changes of an object, oldest first; [] if the server does not return its history.


    `wire`: connections of an administrator. `entries`: the journal entries that may have made the changes.
    """
    query = {
        "resource": resource.plural,
        "group": resource.group,
        "version": resource.version,
        "namespace": namespace if resource.namespaced else "",
        "name": name,
    }
    try:
        answer = wire.request("GET", "/_fakeapi/history", query=query, observes=True)
    except StatusError:
        return []
    changes: list[ObjectChange] = []
    for view in answer["versions"]:
        before = changes[-1] if changes else None
        obj: Object = view["object"]
        fields: tuple[FieldChange, ...] = ()
        if before is not None and view["change"] == "MODIFIED":
            fields = tuple(field_changes("", _compared(before.object), _compared(obj)))
        version = view["resourceVersion"]
        request = _request_of(entries, view["change"], version, before)
        changes.append(ObjectChange(view["change"], version, obj, fields, request))
    return changes


def _compared(obj: Object) -> Object:
    """Returns a copy of an object without fields such as resourceVersion, which every write changes."""
    metadata = {
        name: value
        for name, value in obj.get("metadata", {}).items()
        if name not in ("managedFields", "resourceVersion")
    }
    return {**obj, "metadata": metadata}


def _request_of(
    entries: Sequence[Entry], change: str, version: str, before: ObjectChange | None
) -> Entry | None:
    if change == "DELETED":
        old = before.version if before is not None else ""
        return next((each for each in entries if each.before == old and not each.after and old), None)
    return next((each for each in entries if each.after == version and each.before != version), None)


def _sender(request: Entry | None, obj: Object) -> str:
    if request is not None:
        time = datetime.fromtimestamp(request.received, UTC).strftime("%H:%M:%S.%f")[:-3]
        what = f"{request.verb} {request.resource}"
        return (
            f" {time} by {request.agent.partition(' ')[0] or '?'} ({request.user}): {what}, #{request.number}"
        )
    managers: list[dict[str, Any]] = obj.get("metadata", {}).get("managedFields") or []
    latest = max(managers, key=lambda each: each.get("time", ""), default={})
    return f" by {latest['manager']}" if latest.get("manager") else ""
