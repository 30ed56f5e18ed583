"""Opens a connection to a SQLite database: examines the file first, then locks it and creates its tables."""

import asyncio
import os
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import cast

import aiosqlite

from fakeapi_storage.errors import DatabaseInUse, StorageFailed
from fakeapi_storage.format import Format
from fakeapi_storage.interface import INITIAL_REVISION
from fakeapi_storage.location import Location
from fakeapi_storage.log import Durability
from fakeapi_storage.sqlite.probe import Found, is_busy, probe
from fakeapi_storage.sqlite.schema import APPLICATION_ID, CREATE, SCHEMA_VERSION
from fakeapi_storage.sqlite.statements import INSERT_META
from fakeapi_storage.sqlite.upgrade import upgrade

FILE_MODE = 0o600
"""Mode of a new database file and of SQLite's files next to it; existing files keep their mode."""


@dataclass(frozen=True, slots=True)
class Database:
    """An open SQLite database."""

    driver: aiosqlite.Connection
    in_memory: bool

    async def close(self) -> None:
        await self.driver.close()


async def connect(location: Location, durability: Durability, wanted: Format) -> Database:
    """Opens the database, and creates or migrates it first if necessary.

    `wanted`: the format of keys and values that the application uses. Raises `OpenFailed` if the file cannot
    be used, and leaves the file unchanged. Raises `StorageFailed` if reading or writing the file fails.
    """
    path = location.path
    try:
        if path is not None:
            await asyncio.to_thread(_make_ready, path, location.text, wanted)
        return await _connect(path, durability, wanted)
    except sqlite3.Error as error:
        if path is not None and is_busy(error):
            raise DatabaseInUse(location.text) from error
        raise StorageFailed(f"{location.text}: {error}") from error


def _make_ready(path: Path, text: str, wanted: Format) -> None:
    versions = probe(path, text, wanted)
    if versions is None:
        try:
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, FILE_MODE))
        except OSError as error:
            raise StorageFailed(f"{text}: {error.strerror}") from error
    elif versions != Found(SCHEMA_VERSION, wanted.version):
        upgrade(path, text, versions, wanted)


async def _connect(path: Path | None, durability: Durability, wanted: Format) -> Database:
    # `isolation_level=None`: each statement is a transaction of its own, unless the caller begins one.
    driver = aiosqlite.connect(path or ":memory:", timeout=0, isolation_level=None)
    _thread_of(driver).daemon = True
    await driver
    try:
        if path is None:
            await _create(driver, wanted)
        else:
            await _prepare(driver, durability, wanted)
        return Database(driver, in_memory=path is None)
    except BaseException:
        await driver.close()
        raise


def _thread_of(driver: aiosqlite.Connection) -> Thread:
    """Returns the thread of a connection that is not open yet.

    As a daemon, the thread does not keep a process alive that ends without closing the connection. Before
    aiosqlite 0.22, the connection is the thread.
    """
    return cast("Thread", getattr(driver, "_thread", driver))


async def _prepare(driver: aiosqlite.Connection, durability: Durability, wanted: Format) -> None:
    # In WAL mode this lock excludes other connections until this connection is closed or the process ends.
    await driver.execute("PRAGMA locking_mode=EXCLUSIVE")
    [(version,)] = await driver.execute_fetchall("PRAGMA user_version")
    await driver.execute_fetchall("PRAGMA journal_mode=WAL")
    await driver.execute(f"PRAGMA synchronous={'FULL' if durability == 'full' else 'NORMAL'}")
    if version == 0:
        await _create(driver, wanted)


async def _create(driver: aiosqlite.Connection, wanted: Format) -> None:
    """Creates the tables, and marks the file as a database of this package, in one transaction.

    `wanted`: the format of keys and values to record in the database.
    """
    marks = f"PRAGMA application_id={APPLICATION_ID}; PRAGMA user_version={SCHEMA_VERSION};"
    await driver.executescript(f"BEGIN; {marks} {'; '.join(CREATE)};")
    await driver.execute(INSERT_META, (INITIAL_REVISION, wanted.version))
    await driver.commit()
