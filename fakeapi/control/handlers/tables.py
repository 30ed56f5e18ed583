"""Returns objects as the table that `kubectl get` prints.

The live page reads this table instead of the Kubernetes API. Requests to the control API are not in the
journal, trigger no faults and need no RBAC roles.
"""

import asyncio
from collections.abc import Iterable, Sequence

import msgspec

from fakeapi.control.errors import refused
from fakeapi.control.handlers.objects import events_since, resource_of
from fakeapi.control.route import Call, Route
from fakeapi.machinery import codec
from fakeapi.machinery.meta import field_selector, label_selector
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.requests.predicate import SelectionPredicate, predicate_of
from fakeapi_storage import Compacted, Entry, EventKind

ROWS_MAX = 5_000
"""Maximum number of rows in one response. `next` in the response is the `after` of the next page."""

ROWS_A_STEP = 200
"""Number of rows to convert before other requests can run."""

ROW_BYTES = 256
"""Estimated size of one row in a response, in bytes."""


class TableQuery(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """The query for a table.

    - `version`: the API version of the resource; "" for a version that has objects.
    - `namespace`: the namespace of the objects; "" for all.
    - `label_selector` and `field_selector`: as in a list request; "" for all objects.
    - `after`: `next` of the previous page; "" for the first page.
    - `since`: a resourceVersion. The response then has only rows that changed later.
    - `limit`: the maximum number of rows to return.
    """

    resource: str
    group: str = ""
    version: str = ""
    namespace: str = ""
    label_selector: str = ""
    field_selector: str = ""
    after: str = ""
    since: str = ""
    limit: int = ROWS_MAX


class ColumnView(msgspec.Struct, rename="camel"):
    """A column of a table. `priority`: 0 if `kubectl get` prints the column without `-o wide`."""

    name: str
    type: str
    priority: int
    description: str


class RowView(msgspec.Struct, rename="camel"):
    """A row of a table. `place`: NAMESPACE/NAME, or NAME. `created`: the creation time; "" if unknown."""

    place: str
    namespace: str
    name: str
    created: str
    cells: list[str | float | None]


class TableView(msgspec.Struct, rename="camel"):
    """A table of objects.

    - `complete`: whether the response replaces all rows; False if it has only rows that changed after
      `since`.
    - `deleted`: the `place` of each object that was deleted, or that no longer matches the selectors.
    - `next`: the `after` of the next page; "" on the last page.
    """

    resource_version: str
    columns: list[ColumnView]
    rows: list[RowView]
    deleted: list[str]
    complete: bool
    next: str
    remaining: int


async def read(call: Call) -> TableView:
    query: TableQuery = call.query
    cluster = call.server.cluster
    if not 1 <= query.limit <= ROWS_MAX:
        raise refused(400, f"limit: {query.limit} is not from 1 to {ROWS_MAX}")
    resource = resource_of(cluster, query.group, query.version, query.resource)
    predicate = _predicate(query, resource)
    prefix = f"{resource.prefix}{query.namespace}/" if query.namespace else resource.prefix
    revision = cluster.storage.revision
    changes = await _changes(call, prefix) if query.since else None
    if changes is not None:
        selected = predicate.select(entry for entry in changes.values() if entry is not None)
        places = {entry.key for entry in selected}
        deleted = [key.removeprefix(resource.prefix) for key in changes if key not in places]
        rows = await _rows(call, resource, selected)
        return TableView(
            str(revision), _columns(resource), rows, deleted, complete=False, next="", remaining=0
        )
    after = f"{resource.prefix}{query.after}" if query.after else None
    page = cluster.storage.list(prefix, start_after=after, limit=query.limit)
    rows = await _rows(call, resource, predicate.select(page.entries))
    following = page.entries[-1].key.removeprefix(resource.prefix) if page.remaining else ""
    return TableView(
        str(page.revision),
        _columns(resource),
        rows,
        [],
        complete=True,
        next=following,
        remaining=page.remaining,
    )


def _predicate(query: TableQuery, resource: Resource) -> SelectionPredicate:
    """Returns the selectors of a query. Raises ApiError 400 for an invalid selector."""
    known = resource.field_labels
    try:
        labels = label_selector.parse(query.label_selector)
        fields = field_selector.parse(query.field_selector)
        field_selector.check_labels(fields, known.labels, known.refusal)
    except ValueError as error:
        raise refused(400, f"selector: {error}") from None
    return predicate_of(labels, fields, known.fields_of, known=resource.selectable_fields)


async def _changes(call: Call, prefix: str) -> dict[str, Entry | None] | None:
    """Returns the newest entry of each key that changed after the query's `since`; None for a deleted key.

    Returns None instead of a dict if `since` is in the future, if the history no longer has these changes, or
    if there are more than ROWS_MAX. Raises ApiError 400 if `since` is not a resourceVersion.
    """
    storage, since = call.server.cluster.storage, call.query.since
    if not (since.isascii() and since.isdecimal() and len(since) < 19):
        raise refused(400, f"since: {since!r} is not a resourceVersion")
    if int(since) > storage.revision:
        return None
    try:
        events = await events_since(storage, prefix, int(since))
    except Compacted:
        return None
    changed = {event.entry.key: None if event.kind is EventKind.DELETE else event.entry for event in events}
    return changed if len(changed) <= ROWS_MAX else None


async def _rows(call: Call, resource: Resource, entries: Sequence[Entry]) -> list[RowView]:
    rows: list[RowView] = []
    async with call.room(ROW_BYTES * len(entries)):
        await resource.prepare([*entries])
        now = call.server.cluster.clock.now()
        for start in range(0, len(entries), ROWS_A_STEP):
            rows += _some_rows(resource, entries[start : start + ROWS_A_STEP], now)
            await asyncio.sleep(0)
    return rows


def _some_rows(resource: Resource, entries: Iterable[Entry], now: float) -> Iterable[RowView]:
    columns = [column for column in resource.columns if column.defined]
    for entry in entries:
        obj = resource.printed(codec.decode(resource.json_of(entry.value, entry.revision)))
        metadata = obj["metadata"]
        yield RowView(
            entry.key.removeprefix(resource.prefix),
            metadata.get("namespace") or "",
            metadata.get("name") or "",
            metadata.get("creationTimestamp") or "",
            [column.cell(obj, now) for column in columns],
        )


def _columns(resource: Resource) -> list[ColumnView]:
    return [
        ColumnView(column.name, column.type, column.priority, column.description)
        for column in resource.columns
        if column.defined
    ]


ROUTES = (
    Route(
        "GET",
        "/table",
        read,
        "Objects as the table that `kubectl get` prints, or the rows that changed.",
        answer=TableView,
        query=TableQuery,
    ),
)
