"""Rewrites a database with an older schema or format, in one transaction."""

import sqlite3
from contextlib import closing
from pathlib import Path

from fakeapi_storage.errors import MigrationFailed, StorageError, StorageFailed
from fakeapi_storage.format import Format, MigrationError, migrate
from fakeapi_storage.log import Row, Snapshot
from fakeapi_storage.sqlite import schema, statements
from fakeapi_storage.sqlite.probe import Found

_READ_SCHEMA_1 = "SELECT revision, key, created, previous, deleted, value FROM log ORDER BY revision"


def upgrade(path: Path, text: str, found: Found, wanted: Format) -> None:
    """Upgrades the database from the versions `found` to the schema of this package and the format `wanted`.

    Other programs see the old database until the transaction is committed. `text` names the file in messages.
    Raises `MigrationFailed` for a row that cannot be migrated, `StorageFailed` for a damaged row, and
    sqlite3.Error if SQLite cannot read or write the file.
    """
    # `isolation_level=None` leaves transactions to this function. By default, sqlite3 itself begins a
    # transaction before INSERT, UPDATE, DELETE and REPLACE, but not before DROP TABLE.
    with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as database:
        database.execute("PRAGMA locking_mode=EXCLUSIVE")
        database.execute("PRAGMA synchronous=FULL")
        database.execute("BEGIN IMMEDIATE")
        try:
            _rewrite(database, found, wanted)
            database.execute("COMMIT")
        except MigrationError as error:
            database.execute("ROLLBACK")
            raise MigrationFailed(text, found.format, wanted.version, str(error)) from error
        except StorageError as error:
            database.execute("ROLLBACK")
            raise StorageFailed(f"{text}: {error}") from error


def _rewrite(database: sqlite3.Connection, found: Found, wanted: Format) -> None:
    old = _read_schema_1(database) if found.schema == 1 else _read(database)
    rows = migrate(old.rows, wanted.steps_from(found.format) or [])
    for table in ("log", "meta") if found.schema == 1 else ("log", "meta", "label"):
        database.execute(f"DROP TABLE {table}")
    for statement in schema.CREATE:
        database.execute(statement)
    database.executemany(statements.APPEND, map(schema.to_record, rows))
    database.execute(statements.INSERT_META, (old.compacted, wanted.version))
    database.executemany(statements.INSERT_LABEL, old.labels.items())
    database.execute(f"PRAGMA user_version={schema.SCHEMA_VERSION}")


def _read_schema_1(database: sqlite3.Connection) -> Snapshot:
    [compacted] = database.execute(statements.READ_META).fetchone()
    rows = [Row._make(record) for record in database.execute(_READ_SCHEMA_1)]
    return Snapshot(compacted, rows, {})


def _read(database: sqlite3.Connection) -> Snapshot:
    [compacted] = database.execute(statements.READ_META).fetchone()
    rows = [schema.from_record(record) for record in database.execute(statements.READ, (0,))]
    return Snapshot(compacted, rows, dict(database.execute(statements.READ_LABELS).fetchall()))
