"""The tables of a SQLite database, and the SQL statements that use them."""

import zlib
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    Boolean,
    Column,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    bindparam,
    delete,
    insert,
    select,
    update,
)
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateTable
from sqlalchemy.sql import ClauseElement

from fakeapi_storage.errors import StorageFailed
from fakeapi_storage.log import Row

APPLICATION_ID = 0x66616B65
"""SQLite's application_id in the files of this package: "fake" in ASCII."""

SCHEMA_VERSION = 2
"""Version of the tables, which the file records as user_version.

Version 1 has no checksums, no format and no labels.
"""

_metadata = MetaData()
_log = Table(
    "log",
    _metadata,
    Column("revision", Integer, primary_key=True),
    Column("key", Text, nullable=False),
    Column("created", Integer, nullable=False),
    Column("previous", Integer, nullable=False),
    Column("deleted", Boolean, nullable=False),
    Column("value", LargeBinary),
    Column("checksum", Integer, nullable=False),
    UniqueConstraint("key", "previous"),
)
_meta = Table(
    "meta",
    _metadata,
    Column("compacted", Integer, nullable=False),
    Column("format", Integer, nullable=False),
)
_label = Table(
    "label", _metadata, Column("name", Text, primary_key=True), Column("value", Text, nullable=False)
)


def _text(clause: ClauseElement) -> str:
    return str(clause.compile(dialect=sqlite.dialect()))


CREATE = "".join(f"{_text(CreateTable(table))};" for table in (_log, _meta, _label))
"""An SQL script that creates the tables.

After the script, run INSERT_META, which adds the row of the meta table.
"""

APPEND = _text(insert(_log))
APPEND_ROWS_MAX = 128
"""Maximum number of rows of one INSERT.

A row has seven values, and SQLite before 3.32 allows 999 values in a statement.
"""

READ = _text(select(_log).where(_log.c.revision > bindparam("after")).order_by(_log.c.revision))
FORGET = _text(delete(_log).where(_log.c.revision == bindparam("stale")))
WIPE = _text(delete(_log))
INSERT_META = _text(insert(_meta))
READ_META = _text(select(_meta.c.compacted))
READ_FORMAT = _text(select(_meta.c.format))
COMPACT = _text(update(_meta).values(compacted=bindparam("revision")))
READ_LABELS = _text(select(_label))
DELETE_LABELS = _text(delete(_label))
INSERT_LABEL = _text(insert(_label))


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
