"""The SQLite log stores a transaction completely or not at all, and refuses rows that contradict others."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from fakeapi_storage.errors import StorageFailed
from fakeapi_storage.interface import INITIAL_REVISION
from fakeapi_storage.log import Log, Row, Snapshot
from tests.storage.engines import open_log

FIRST = Row(2, "/a", 2, 0, False, b"1")
SECOND = Row(3, "/a", 2, 2, False, b"2")
GONE = Row(4, "/a", 2, 3, True, None)


def run(use: Callable[[Log], Awaitable[None]]) -> None:
    async def main() -> None:
        log = (await open_log()).log
        await use(log)
        await log.close()

    asyncio.run(main())


def test_the_log_gives_back_the_rows_in_order() -> None:
    async def use(log: Log) -> None:
        assert await log.load() == Snapshot(INITIAL_REVISION, [], {})
        await log.append([FIRST])
        await log.append([SECOND, GONE])
        assert await log.load() == Snapshot(INITIAL_REVISION, [FIRST, SECOND, GONE], {})
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
        assert await log.read(0) == [FIRST, SECOND]

    run(use)


def test_compaction_deletes_what_it_is_told_and_remembers_its_revision() -> None:
    async def use(log: Log) -> None:
        await log.append([FIRST, SECOND, GONE])
        await log.compact(3, [2])
        assert await log.load() == Snapshot(3, [SECOND, GONE], {})
        await log.replace(INITIAL_REVISION, [])
        assert await log.load() == Snapshot(INITIAL_REVISION, [], {})

    run(use)


def test_rows_that_replace_others_are_all_there_is_or_nothing_changes() -> None:
    async def use(log: Log) -> None:
        await log.append([FIRST, SECOND])
        await log.replace(9, [SECOND])
        assert await log.load() == Snapshot(9, [SECOND], {})
        with pytest.raises(StorageFailed):
            await log.replace(10, [FIRST, FIRST])
        assert await log.load() == Snapshot(9, [SECOND], {})

    run(use)


def test_a_log_that_was_wiped_in_memory_still_rolls_back() -> None:
    async def use(log: Log) -> None:
        await log.replace(INITIAL_REVISION, [])
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


def test_labels_are_replaced_as_a_whole_and_outlive_a_wipe() -> None:
    async def use(log: Log) -> None:
        await log.set_labels({"release": "1.31", "é": ""})
        await log.set_labels({"release": "1.33"})
        await log.append([FIRST])
        await log.replace(INITIAL_REVISION, [])
        assert await log.load() == Snapshot(INITIAL_REVISION, [], {"release": "1.33"})

    run(use)


@pytest.mark.parametrize("column", ["key", "created", "previous", "deleted", "value", "checksum"])
def test_a_row_that_was_changed_behind_the_logs_back_is_an_error_that_names_it(column: str) -> None:
    async def main() -> None:
        opened = await open_log()
        await opened.log.append([FIRST, SECOND])
        damage = {"key": "'/b'", "value": "x'31'"}.get(column, f"{column} + 1")
        await opened.driver.execute(f"UPDATE log SET {column} = {damage} WHERE revision = 3")
        await opened.driver.commit()
        with pytest.raises(StorageFailed, match=r"damaged: revision 3 \('/.'\) does not match its checksum"):
            await opened.log.load()
        await opened.log.close()

    asyncio.run(main())


@pytest.mark.parametrize(
    "damage",
    [
        "value = '1'",
        "key = x'00'",
        "revision = 4",
        "revision = 0",
        "revision = -1",
        "created = 'x'",
        "key = CAST(x'ff' AS TEXT)",
    ],
)
def test_a_column_of_another_type_is_damage_and_no_crash(damage: str) -> None:
    async def main() -> None:
        opened = await open_log()
        await opened.log.append([FIRST])
        await opened.driver.execute(f"UPDATE log SET {damage}")
        await opened.driver.commit()
        try:
            with pytest.raises(StorageFailed, match=r"damaged|decode"):
                await opened.log.load()
        finally:
            await opened.log.close()

    asyncio.run(main())
