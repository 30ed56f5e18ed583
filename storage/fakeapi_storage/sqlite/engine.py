"""One long-lived connection to the database: looked at before it is touched, locked, and set up."""

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias, cast
from urllib.parse import quote

import aiosqlite
from sqlalchemy import URL
from sqlalchemy.dialects.sqlite import aiosqlite as _dialect  # noqa: F401 - loaded late, it would slow an opening
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import StaticPool

from fakeapi_storage.errors import DatabaseInUse, ForeignDatabase, NewerSchema, StorageFailed

Durability: TypeAlias = Literal["normal", "full"]
"""What a commit to a file survives: "normal" the end of the process, "full" also the end of the machine."""

APPLICATION_ID = 0x66616B65
"""Marks the files of this package: "fake"."""

SCHEMA_VERSION = 1
"""Of the tables in `fakeapi_storage.log`; kept in the file's user_version."""

_SMALLEST_PAGE_BYTES = 512


@dataclass(frozen=True, slots=True)
class Database:
    """The connection, and the driver's under it: a call of the driver is one change of thread, one of
    SQLAlchemy's connection is four or more, which for a single write is most of its time.
    """

    engine: AsyncEngine
    connection: AsyncConnection
    driver: aiosqlite.Connection
    in_memory: bool

    async def close(self) -> None:
        await self.connection.close()
        await self.engine.dispose()


async def connect(path: Path | None, schema: str, durability: Durability) -> Database:
    """Opens the file, or a database in memory, and creates the tables by the script `schema` if it is empty.

    Raises `OpenFailed` (then the file is as it was) and `StorageFailed`.
    """
    if path is not None:
        await asyncio.to_thread(_inspect, path)
    url = URL.create("sqlite+aiosqlite", database=":memory:" if path is None else str(path))
    engine = create_async_engine(url, poolclass=StaticPool, connect_args={"timeout": 0})
    try:
        connection = await engine.connect()
        raw = await connection.get_raw_connection()
        driver = cast("aiosqlite.Connection", raw.driver_connection)
        if path is None:
            await driver.executescript(schema)
        else:
            await _prepare(driver, schema, durability)
        return Database(engine, connection, driver, in_memory=path is None)
    except (sqlite3.Error, DBAPIError) as error:
        await engine.dispose()
        cause = error.orig if isinstance(error, DBAPIError) else error
        if path is not None and isinstance(cause, sqlite3.Error) and _is_busy(cause):
            raise DatabaseInUse(path) from error
        raise StorageFailed(f"{path or 'memory'}: {cause}") from error
    except BaseException:
        await engine.dispose()
        raise


async def _prepare(driver: aiosqlite.Connection, schema: str, durability: Durability) -> None:
    # In WAL mode with this lock the file belongs to this connection until it is closed or its process ends.
    await driver.execute("PRAGMA locking_mode=EXCLUSIVE")
    [(version,)] = await driver.execute_fetchall("PRAGMA user_version")
    await driver.execute_fetchall("PRAGMA journal_mode=WAL")
    await driver.execute(f"PRAGMA synchronous={'FULL' if durability == 'full' else 'NORMAL'}")
    if version == 0:
        marks = f"PRAGMA application_id={APPLICATION_ID}; PRAGMA user_version={SCHEMA_VERSION};"
        await driver.executescript(f"BEGIN; {schema} {marks} COMMIT;")


def _inspect(path: Path) -> None:
    """Raises `OpenFailed` for a file that is not for this version of this package, and leaves no trace."""
    try:
        size = path.stat().st_size
    except FileNotFoundError:
        return
    except OSError as error:
        raise StorageFailed(str(error)) from error
    if size == 0:
        return
    if size < _SMALLEST_PAGE_BYTES:  # SQLite would take it for empty
        raise ForeignDatabase(path, "the file is not a database")
    # Without a write-ahead log there is nothing to recover, and `immutable` makes no files beside the file.
    log = path.with_name(path.name + "-wal")
    mode = "mode=ro" if log.exists() and log.stat().st_size else "immutable=1"
    try:
        with closing(
            sqlite3.connect(f"file:{quote(str(path.absolute()))}?{mode}", uri=True, timeout=0)
        ) as probe:
            [application] = probe.execute("PRAGMA application_id").fetchone()
            [version] = probe.execute("PRAGMA user_version").fetchone()
            [tables] = probe.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error as error:
        if _is_busy(error):
            raise DatabaseInUse(path) from error
        if error.sqlite_errorcode == sqlite3.SQLITE_NOTADB:
            raise ForeignDatabase(path, "the file is not a database") from error
        raise StorageFailed(f"{path}: {error}") from error
    if application == APPLICATION_ID:
        if version > SCHEMA_VERSION:
            raise NewerSchema(path, version, SCHEMA_VERSION)
    elif application or version or tables:
        raise ForeignDatabase(path, "the database belongs to another application")


def _is_busy(error: sqlite3.Error) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
