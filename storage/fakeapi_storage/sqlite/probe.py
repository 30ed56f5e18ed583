"""Examines a database file before the engine opens it.

Changes neither the file nor its directory, unless a rollback journal exists: SQLite then undoes the
interrupted transaction first, as each program that opens the file does.
"""

import os
import sqlite3
import stat
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from fakeapi_storage.errors import DatabaseInUse, ForeignDatabase, NewerSchema, StorageFailed, UnknownFormat
from fakeapi_storage.format import FIRST_FORMAT, Format
from fakeapi_storage.sqlite.schema import APPLICATION_ID, SCHEMA_VERSION
from fakeapi_storage.sqlite.statements import READ_FORMAT

_SMALLEST_PAGE_BYTES = 512
_FIRST_SCHEMA_WITH_FORMAT = 2


@dataclass(frozen=True, slots=True)
class Found:
    """The versions of a database.

    - `schema`: the version of the tables.
    - `format`: the version of the application's keys and values.
    """

    schema: int
    format: int


def probe(path: Path, text: str, wanted: Format) -> Found | None:
    """Returns the versions of the database in the file; None if the file is missing or empty.

    - `text`: the name of the file in messages.
    - `wanted`: the format of keys and values that the application uses.

    Raises `OpenFailed` for a file that this version of the package or of the application cannot use, and
    `StorageFailed` for a file that cannot be read or written.
    """
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StorageFailed(str(error)) from error
    if stat.S_ISDIR(status.st_mode):  # the size of an empty directory depends on the file system
        raise StorageFailed(f"{text}: it is a directory")
    size = status.st_size
    if size == 0:
        return None
    if size < _SMALLEST_PAGE_BYTES:  # SQLite would treat this file as empty
        raise ForeignDatabase(text, "the file is not a database")
    for place, description in ((path, "the file"), (path.parent, "the directory, where SQLite puts a log,")):
        if not os.access(place, os.W_OK):
            raise StorageFailed(f"{text}: {description} can not be written")
    try:
        versions = _read(path, text)
    except sqlite3.Error as error:
        if is_busy(error):
            raise DatabaseInUse(text) from error
        if error.sqlite_errorcode == sqlite3.SQLITE_NOTADB:
            raise ForeignDatabase(text, "the file is not a database") from error
        raise StorageFailed(f"{text}: {error}") from error
    if versions is not None and wanted.steps_from(versions.format) is None:
        raise UnknownFormat(text, versions.format, wanted.version)
    return versions


def is_busy(error: sqlite3.Error) -> bool:
    """Whether an SQLite error means that another connection holds a lock."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


def _has(path: Path, suffix: str) -> bool:
    """Whether a database has a companion file with content. `suffix`: "-journal" or "-wal"."""
    try:
        return path.with_name(path.name + suffix).stat().st_size > 0
    except FileNotFoundError:
        return False


def _read(path: Path, text: str) -> Found | None:
    # A power failure while the file is created leaves a journal, and perhaps a part of the first page.
    # Without a journal and a write-ahead log there is nothing to recover, and `immutable` creates no files.
    mode = "mode=rw" if _has(path, "-journal") else "mode=ro" if _has(path, "-wal") else "immutable=1"
    uri = f"file:{quote(str(path.absolute()))}?{mode}"
    with closing(sqlite3.connect(uri, uri=True, timeout=0)) as database:
        [application] = database.execute("PRAGMA application_id").fetchone()
        [schema] = database.execute("PRAGMA user_version").fetchone()
        [tables] = database.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if application != APPLICATION_ID:
            if application or schema or tables:
                raise ForeignDatabase(text, "the database belongs to another application")
            return None
        if schema > SCHEMA_VERSION:
            raise NewerSchema(text, schema, SCHEMA_VERSION)
        if schema < 1:
            raise StorageFailed(f"{text}: the database is damaged: its schema version is {schema}")
        if schema < _FIRST_SCHEMA_WITH_FORMAT:
            return Found(schema, FIRST_FORMAT)
        row = database.execute(READ_FORMAT).fetchone()
    if row is None or not isinstance(row[0], int):
        raise StorageFailed(f"{text}: the database is damaged: its format is unreadable")
    return Found(schema, row[0])
