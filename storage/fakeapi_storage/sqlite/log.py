"""The log: one append-only table, and the only SQL statements.

A row is one change. `previous` is the revision of the row before it of the same key (0 for none), so that two
changes of one state can not both be stored. Compaction deletes rows that say nothing about the state at the
compacted revision or later: up to it remain the rows of the entries that were there, after it remain all.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple, Protocol

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
from fakeapi_storage.interface import INITIAL_REVISION
from fakeapi_storage.sqlite.engine import Database


class Row(NamedTuple):
    """One change, as stored. A deletion without a value of its own has none; it stands in the row before."""

    revision: int
    key: str
    created: int
    previous: int
    deleted: bool
    value: bytes | None


class Snapshot(NamedTuple):
    """What the log holds: the rows in order, and the revision at which it was last compacted."""

    compacted: int
    rows: list[Row]


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
    UniqueConstraint("key", "previous"),
)
_meta = Table("meta", _metadata, Column("compacted", Integer, nullable=False))


def _text(clause: ClauseElement, *, literal: bool = False) -> str:
    return str(clause.compile(dialect=sqlite.dialect(), compile_kwargs={"literal_binds": literal}))


SCHEMA = "".join(
    f"{text};"
    for text in (
        _text(CreateTable(_log)),
        _text(CreateTable(_meta)),
        _text(insert(_meta).values(compacted=INITIAL_REVISION), literal=True),
    )
)
_APPEND = _text(insert(_log))
_READ = _text(select(_log).where(_log.c.revision > bindparam("after")).order_by(_log.c.revision))
_FORGET = _text(delete(_log).where(_log.c.revision == bindparam("stale")))
_COMPACTED = _text(select(_meta.c.compacted))
_COMPACT = _text(update(_meta).values(compacted=bindparam("revision")))
_WIPE = _text(delete(_log))


class LogStore(Protocol):
    """What the writer needs of a log. Every method is one transaction, raises `StorageFailed` if it fails,
    and is not to be called before the last call has ended.
    """

    async def append(self, rows: Sequence[Row]) -> None: ...

    async def read(self, after: int) -> list[Row]:
        """The rows newer than the revision, in order."""
        ...

    async def compact(self, revision: int, stale: Iterable[int]) -> None:
        """Deletes the rows with the revisions `stale` and notes the revision."""
        ...

    async def wipe(self) -> None: ...

    async def close(self) -> None: ...


class Log:
    """The log in a database, which it owns."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._driver = database.driver

    async def load(self) -> Snapshot:
        with _failures():
            [(compacted,)] = await self._driver.execute_fetchall(_COMPACTED)
        return Snapshot(compacted, await self.read(0))

    async def append(self, rows: Sequence[Row]) -> None:
        await self._transaction((_APPEND, rows))

    async def read(self, after: int) -> list[Row]:
        with _failures():
            await self._driver.rollback()  # of what a failure or a cancellation may have left open
            return [*map(Row._make, await self._driver.execute_fetchall(_READ, (after,)))]

    async def compact(self, revision: int, stale: Iterable[int]) -> None:
        await self._transaction((_FORGET, [(row,) for row in stale]), (_COMPACT, [(revision,)]))

    async def wipe(self) -> None:
        if self._database.in_memory:
            # Nothing of it is worth a journal, which for 10,000 rows takes ten times as long as the rest.
            await self._journal("OFF")
        try:
            await self._transaction((_WIPE, [()]), (_COMPACT, [(INITIAL_REVISION,)]))
        finally:
            if self._database.in_memory:
                await self._journal("MEMORY")

    async def close(self) -> None:
        with _failures():
            await self._database.close()

    async def _journal(self, mode: str) -> None:
        with _failures():
            await self._driver.execute_fetchall(f"PRAGMA journal_mode={mode}")

    async def _transaction(self, *statements: tuple[str, Sequence[tuple[object, ...]]]) -> None:
        """The driver begins the transaction by itself, before the first statement."""
        driver = self._driver
        with _failures():
            try:
                for text, parameters in statements:
                    await driver.executemany(text, parameters)
                await driver.commit()
            except sqlite3.Error:
                await driver.rollback()
                raise


@contextmanager
def _failures() -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, ValueError) as error:  # ValueError: the driver's connection is closed
        raise StorageFailed(str(error)) from error
