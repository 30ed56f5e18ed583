"""Opens storages and logs of writes, so that a test can inspect their database or make it fail."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import aiosqlite

from fakeapi_storage.format import Format
from fakeapi_storage.interface import Storage
from fakeapi_storage.location import parse_location
from fakeapi_storage.log import Durability
from fakeapi_storage.memory.committed import Committed
from fakeapi_storage.open import open_storage
from fakeapi_storage.sqlite.engine import Database, connect
from fakeapi_storage.sqlite.log import SqliteLog
from fakeapi_storage.store import Store


@dataclass
class OpenedLog:
    """A storage's log in SQLite, and the database connection of this log."""

    log: SqliteLog
    database: Database

    @property
    def driver(self) -> aiosqlite.Connection:
        return self.database.driver


async def open_log(path: Path | None = None, *, durability: Durability = "normal") -> OpenedLog:
    database = await connect(parse_location(path), durability, Format())
    return OpenedLog(SqliteLog(database), database)


@dataclass
class OpenedStore:
    store: Store
    driver: aiosqlite.Connection


async def open_store(path: Path | None = None, *, durability: Durability = "normal") -> OpenedStore:
    opened = await open_log(path, durability=durability)
    snapshot = await opened.log.load()
    committed = Committed(snapshot, window=10_000, watcher_buffer=10_000)
    return OpenedStore(Store(opened.log, committed, snapshot.labels), opened.driver)


def run(path: Path | None, use: Callable[[Storage], Awaitable[None]]) -> None:
    """Opens a storage, calls `use` with it, and closes it.

    `path`: the database file; None for an in-memory storage.
    """

    async def main() -> None:
        storage = await open_storage(path)
        try:
            await use(storage)
        finally:
            await storage.close()

    asyncio.run(main())


async def nothing(storage: Storage) -> None:
    pass
