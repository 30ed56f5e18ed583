"""The rows of a SQLite database with their checksums, and the versions that the file records."""

import zlib
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from fakeapi_storage.errors import StorageFailed
from fakeapi_storage.log import Row
from fakeapi_storage.sqlite.statements import APPEND, CREATE_LABEL, CREATE_LOG, CREATE_META

APPLICATION_ID = 0x66616B65
"""SQLite's application_id in the files of this package: "fake" in ASCII."""

SCHEMA_VERSION = 2
"""Version of the tables, which the file records as user_version.

Version 1 has no checksums, no format and no labels.
"""

CREATE = (CREATE_LOG, CREATE_META, CREATE_LABEL)
"""The statements that create the tables. After them, INSERT_META adds the row of the meta table."""

APPEND_ROWS_MAX = 128
"""Maximum number of rows of one INSERT.

A row has seven values, and SQLite before 3.32 allows 999 values in a statement.
"""


@lru_cache(maxsize=APPEND_ROWS_MAX)
def append_statement(count: int) -> str:
    """Returns an INSERT statement for `count` rows."""
    head, _, values = APPEND.partition(" VALUES ")
    return f"{head} VALUES {', '.join([values] * count)}"


def to_record(row: Row) -> tuple[object, ...]:
    """Converts a log row to the values of an INSERT, with the row's checksum."""
    return (*row, _checksum(row))


def from_record(record: Sequence[Any]) -> Row:
    """Converts a database record to a log row. Raises `StorageFailed` if the checksum is wrong."""
    *columns, checksum = record
    row = Row._make(columns)
    try:
        intact = _checksum(row) == checksum
    except (AttributeError, TypeError):  # a damaged record may have values of other types
        intact = False
    if not intact:
        raise StorageFailed(
            f"the database is damaged: revision {row.revision} ({row.key!r}) does not match its checksum; "
            "restore it from a copy, or name another database"
        )
    return row


def _checksum(row: Row) -> int:
    kind = b"D" if row.deleted else b"P"
    place = b"%d %d %d %b%b" % (row.revision, row.created, row.previous, kind, row.key.encode())
    if row.value is None:
        return zlib.crc32(place)
    return zlib.crc32(row.value, zlib.crc32(b"=", zlib.crc32(place)))
