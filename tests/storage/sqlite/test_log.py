"""The log stores a transaction whole or not at all, and no two changes of one state."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from fakeapi_storage.errors import StorageFailed
from fakeapi_storage.interface import INITIAL_REVISION
from fakeapi_storage.sqlite.engine import connect
from fakeapi_storage.sqlite.log import SCHEMA, Log, Row, Snapshot

FIRST = Row(2, "/a", 2, 0, False, b"1")
SECOND = Row(3, "/a", 2, 2, False, b"2")
GONE = Row(4, "/a", 2, 3, True, None)


def run(use: Callable[[Log], Awaitable[None]]) -> None:
    async def main() -> None:
        log = Log(await connect(None, SCHEMA, "normal"))
        await use(log)
        await log.close()

    asyncio.run(main())


def test_the_log_gives_back_the_rows_in_order() -> None:
    async def use(log: Log) -> None:
        assert await log.load() == Snapshot(INITIAL_REVISION, [])
        await log.append([FIRST])
        await log.append([SECOND, GONE])
        assert await log.load() == Snapshot(INITIAL_REVISION, [FIRST, SECOND, GONE])
        assert await log.read(2) == [SECOND, GONE]

    run(use)


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(Row(4, "/a", 2, 2, False, b"3"), id="a second change of one state"),
        pytest.param(Row(4, "/a", 4, 0, False, b"3"), id="a second creation"),
        pytest.param(Row(3, "/b", 3, 0, False, b"3"), id="a revision given twice"),
    ],
)
def test_a_row_that_contradicts_another_fails_its_whole_transaction(row: Row) -> None:
    async def use(log: Log) -> None:
        await log.append([FIRST, SECOND])
        with pytest.raises(StorageFailed, match="UNIQUE"):
            await log.append([Row(9, "/other", 9, 0, False, b""), row])
        assert not log._driver.in_transaction
        assert await log.read(0) == [FIRST, SECOND]

    run(use)


def test_compaction_deletes_what_it_is_told_and_remembers_its_revision() -> None:
    async def use(log: Log) -> None:
        await log.append([FIRST, SECOND, GONE])
        await log.compact(3, [2])
        assert await log.load() == Snapshot(3, [SECOND, GONE])
        await log.wipe()
        assert await log.load() == Snapshot(INITIAL_REVISION, [])

    run(use)


def test_a_log_that_was_wiped_in_memory_still_rolls_back() -> None:
    async def use(log: Log) -> None:
        await log.wipe()
        await log.append([FIRST])
        with pytest.raises(StorageFailed):
            await log.append([SECOND, FIRST])
        assert await log.read(0) == [FIRST]

    run(use)


def test_a_closed_log_fails_and_does_not_hang() -> None:
    async def use(log: Log) -> None:
        await log.close()
        with pytest.raises(StorageFailed):
            await log.append([FIRST])

    run(use)
