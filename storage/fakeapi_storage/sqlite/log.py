"""Reads and changes the log of committed writes in a SQLite database."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain

from fakeapi_storage.errors import StorageFailed, StorageFull
from fakeapi_storage.log import Log, Row, Snapshot
from fakeapi_storage.sqlite import schema, statements
from fakeapi_storage.sqlite.engine import Database

BEFORE_ALL = -(1 << 63)
"""A revision below all valid revisions. Reading all rows above it also finds rows with damaged revisions."""


class SqliteLog:
    """A `Log` in a SQLite database. Closing the log also closes the database.

    The aiosqlite driver switches threads once for each call, which takes most of the time of a single write.
    The driver does not begin transactions by itself: each statement is its own transaction. Therefore one
    call stores a group of up to APPEND_ROWS_MAX writes.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._driver = database.driver

    async def load(self) -> Snapshot:
        with _failures():
            [(compacted,)] = await self._driver.execute_fetchall(statements.READ_META)
            labels = {str(n): str(v) for n, v in await self._driver.execute_fetchall(statements.READ_LABELS)}
        if not isinstance(compacted, int):
            raise StorageFailed("the database is damaged: the revision of the last compaction is unreadable")
        return Snapshot(compacted, await self.read(BEFORE_ALL), labels)

    async def append(self, rows: Sequence[Row]) -> None:
        records = [*map(schema.to_record, rows)]
        if len(records) > schema.APPEND_ROWS_MAX:
            await self._transaction((statements.APPEND, records))
            return
        with _failures():
            await self._driver.execute(schema.append_statement(len(records)), [*chain.from_iterable(records)])

    async def read(self, after: int) -> list[Row]:
        with _failures():
            await self._driver.rollback()  # a failure or cancellation may have left a transaction open
            records = await self._driver.execute_fetchall(statements.READ, (after,))
        return [*map(schema.from_record, records)]

    async def compact(self, revision: int, stale: Iterable[int]) -> None:
        await self._transaction(
            (statements.FORGET, [(row,) for row in stale]), (statements.COMPACT, [(revision,)])
        )

    async def replace(self, compacted: int, rows: Iterable[Row]) -> None:
        records = [*map(schema.to_record, rows)]
        # A reset of a database in memory needs no journal. With a journal, a reset of 10,000 rows takes ten
        # times as long.
        unsafe = self._database.in_memory and not records
        if unsafe:
            await self._journal("OFF")
        try:
            await self._transaction(
                (statements.WIPE, [()]),
                (statements.APPEND, records),
                (statements.COMPACT, [(compacted,)]),
            )
        finally:
            if unsafe:
                await self._journal("MEMORY")

    async def set_labels(self, labels: Mapping[str, str]) -> None:
        await self._transaction(
            (statements.DELETE_LABELS, [()]), (statements.INSERT_LABEL, [*labels.items()])
        )

    async def close(self) -> None:
        with _failures():
            await self._database.close()

    async def _journal(self, mode: str) -> None:
        with _failures():
            await self._driver.execute_fetchall(f"PRAGMA journal_mode={mode}")

    async def _transaction(self, *statements: tuple[str, Sequence[tuple[object, ...]]]) -> None:
        driver = self._driver
        with _failures():
            try:
                await driver.execute("BEGIN")
                for text, parameters in statements:
                    await driver.executemany(text, parameters)
                await driver.commit()
            except sqlite3.Error:
                await driver.rollback()
                raise


def _is_log(log: SqliteLog) -> Log:
    return log


@contextmanager
def _failures() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        is_full = getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_FULL
        raise (StorageFull if is_full else StorageFailed)(str(error)) from error
    except ValueError as error:  # aiosqlite's connection is closed
        raise StorageFailed(str(error)) from error
