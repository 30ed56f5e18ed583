"""Caches the rows of Tables for each version of an object.

The age is not cached, because it changes every second. A row depends on the stored object, its revision and
the time. If only the age depends on the time, the cache contains the JSON before and after the age.
"""

from collections.abc import Callable, Iterator, Sequence

from fakeapi.machinery import codec
from fakeapi.machinery.golang.times import seconds_of
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.attached import Attached
from fakeapi.registry.model.columns import AGE_COLUMN, UNKNOWN, age
from fakeapi.registry.model.resource import Resource
from fakeapi_storage import Entry

Row = tuple[int, bytes, float | None, bytes]
"""A cached row: revision, JSON before the age, creation time (or None), JSON after the age."""

ROWS: Attached[dict[bytes, Row]] = Attached(dict)
"""The cached rows of each API resource, by the stored bytes of the objects."""

ROWS_KEPT = 4096
"""Maximum number of cached rows for one API version of a resource.

A full cache is cleared before a row is added.
"""

KEPT_BYTES_MAX = 16 * 1024
"""Maximum size, in bytes, of an object whose row is cached.

Each cached row keeps its object's bytes in memory.
"""


def can_be_kept(resource: Resource) -> bool:
    """Whether rows of a resource can be cached, because only the ages in the rows depend on the time.

    False for custom resources, and for rows with conditions.
    """
    return (
        not resource.kind.unstructured
        and resource.definition.row_conditions is None
        and all(column.timeless or column.cell is AGE_COLUMN.cell for column in resource.columns)
    )


def rows(
    resource: Resource, entries: Sequence[Entry], now: float, metadata_of: Callable[[Object], bytes]
) -> Iterator[bytes]:
    """Yields the JSON of the row of each entry, and caches the row except its age.

    Does not cache the rows of objects over KEPT_BYTES_MAX.

    - `now`: the time for ages, in seconds since the epoch.
    - `metadata_of`: returns the PartialObjectMetadata of an object as JSON.
    """
    kept = ROWS.of(resource.attachments)
    ages: dict[float | None, bytes] = {}
    for entry in entries:
        row = kept.get(entry.value)
        if row is None or row[0] != entry.revision:
            row = _row(resource, entry, metadata_of)
            if len(kept) >= ROWS_KEPT:
                kept.clear()
            if len(entry.value) <= KEPT_BYTES_MAX:
                kept[entry.value] = row
        _, before, created, after = row
        text = ages.get(created)
        if text is None:
            text = ages[created] = _age(resource, created, now)
        yield before + text + after


def _row(resource: Resource, entry: Entry, metadata_of: Callable[[Object], bytes]) -> Row:
    obj = resource.printed(codec.decode(resource.json_of(entry.value, entry.revision)))
    before: list[bytes] = []
    after: list[bytes] | None = None
    for column in resource.columns:
        if column.cell is AGE_COLUMN.cell:
            after = []
        else:
            (before if after is None else after).append(codec.encode(column.cell(obj, 0.0)))
    end = b'],"object":%b}' % metadata_of(obj)
    stamp = obj["metadata"].get("creationTimestamp")
    start = b'{"cells":[' + b",".join(before)
    if after is None:
        return entry.revision, start, None, end
    comma = b"," if before else b""
    return (
        entry.revision,
        start + comma,
        seconds_of(stamp) if stamp else None,
        b"".join(b"," + cell for cell in after) + end,
    )


def _age(resource: Resource, created: float | None, now: float) -> bytes:
    if not any(column.cell is AGE_COLUMN.cell for column in resource.columns):
        return b""
    return codec.encode(UNKNOWN if created is None else age(now - created))
