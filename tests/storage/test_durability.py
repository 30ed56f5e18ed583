"""Acknowledged writes survive a kill, a full disk, a slow disk and a restart."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from fakeapi_storage.errors import StorageFull
from fakeapi_storage.interface import INITIAL_REVISION, Entry, EventKind, Storage
from fakeapi_storage.log import Durability, Row
from fakeapi_storage.memory.committed import Committed
from fakeapi_storage.open import open_storage
from fakeapi_storage.sqlite.log import SqliteLog
from fakeapi_storage.store import Store
from tests.storage.engines import nothing, open_log, open_store, run

WRITER = """
import asyncio, sys
from fakeapi_storage.open import open_storage

async def write(storage, task):
    for n in range(1_000_000):
        key, value = f"/{task}/{n % 5}", f"{task}-{n}-".encode() + b"x" * 2_000
        newest = storage.newest(key)
        if newest is None:
            entry = await storage.create(key, value)
        elif n % 7 == 0:
            entry = await storage.delete(key, newest.revision)
            value = b""
        else:
            entry = await storage.update(key, value, newest.revision)
        print(entry.revision, key, value[:20].decode() or "deleted", flush=True)

async def main():
    storage = await open_storage(sys.argv[1], durability=sys.argv[2], window=200)
    await asyncio.gather(*(write(storage, task) for task in range(8)))

asyncio.run(main())
"""


def write_until_killed(path: Path, durability: Durability, count: int) -> dict[int, tuple[str, str]]:
    """Runs a process that writes storage keys, and kills it after at least `count` writes.

    Returns key and value of all acknowledged writes, by revision.
    """
    command = [sys.executable, "-c", WRITER, str(path), durability]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(count)]
        process.kill()
        lines += [line for line in process.stdout if line.endswith("\n")]
    split = [line.split() for line in lines]
    acknowledged = {int(revision): (key, value) for revision, key, value in split}
    assert len(acknowledged) == len(lines)
    return acknowledged


@pytest.mark.parametrize("durability", ["normal", "full"])
def test_what_was_acknowledged_is_there_after_a_kill_and_revisions_go_on(
    durability: Durability, tmp_path: Path
) -> None:
    path = tmp_path / "storage.db"
    acknowledged: dict[int, tuple[str, str]] = {}
    reached = INITIAL_REVISION

    async def check(storage: Storage) -> None:
        nonlocal reached
        newest = max(acknowledged)
        assert storage.revision >= newest
        if storage.revision > newest:  # committed but not acknowledged, so it may exist
            for event in await storage.watch("", newest).next_batch():
                value = event.entry.value[:20].decode() if event.kind is EventKind.PUT else "deleted"
                acknowledged[event.entry.revision] = (event.entry.key, value)
        last = {key: (revision, value) for revision, (key, value) in sorted(acknowledged.items())}
        for key, (revision, value) in last.items():
            entry = storage.get(key)
            found = (entry.revision, entry.value[:20].decode()) if entry else None
            assert found == (None if value == "deleted" else (revision, value))
        reached = storage.revision

    for count in (400, 30, 700):
        written = write_until_killed(path, durability, count)
        assert min(written) > reached
        acknowledged |= written
        run(path, check)


def test_revisions_go_on_when_the_newest_rows_were_deletions_and_are_compacted(tmp_path: Path) -> None:
    path = tmp_path / "storage.db"

    async def fill(storage: Storage) -> None:
        entry = await storage.create("/a", b"")
        gone = await storage.delete("/a", entry.revision)
        await storage.compact(gone.revision)

    async def check(storage: Storage) -> None:
        assert (storage.revision, storage.oldest) == (INITIAL_REVISION + 2, INITIAL_REVISION + 2)
        assert storage.list("").entries == []
        assert (await storage.create("/a", b"")).revision == INITIAL_REVISION + 3

    run(path, fill)
    run(path, check)
    run(path, nothing)


def test_history_and_entries_are_the_same_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "storage.db"
    pages: dict[int, list[Entry]] = {}

    async def fill(storage: Storage) -> None:
        for n in range(30):
            key = f"/{n % 4}"
            newest = storage.newest(key)
            if newest is None:
                await storage.create(key, str(n).encode())
            elif n % 3:
                await storage.update(key, str(n).encode(), newest.revision)
            else:
                await storage.delete(key, newest.revision, b"final" if n % 2 else None)
            if n == 15:
                await storage.compact(storage.revision - 5)
        for revision in range(storage.oldest, storage.revision + 1):
            pages[revision] = storage.list("", at=revision).entries
        watched.extend(await storage.watch("", storage.oldest).next_batch())

    async def check(storage: Storage) -> None:
        assert {at: storage.list("", at=at).entries for at in pages} == pages
        assert await storage.watch("", storage.oldest).next_batch() == watched

    watched: list[object] = []
    run(path, fill)
    run(path, check)


def test_a_narrower_window_at_the_next_start_holds_after_the_next_write(tmp_path: Path) -> None:
    path = tmp_path / "storage.db"

    async def fill(storage: Storage) -> None:
        await asyncio.gather(*(storage.create(f"/{n}", b"") for n in range(100)))

    async def main() -> None:
        storage = await open_storage(path, window=10)
        assert len(storage.list("").entries) == 100
        await storage.create("/more", b"")
        await storage.compact(INITIAL_REVISION)
        assert storage.revision - storage.oldest == 10
        await storage.close()

    run(path, fill)
    asyncio.run(main())


def test_a_reset_outlives_the_process(tmp_path: Path) -> None:
    path = tmp_path / "storage.db"

    async def fill(storage: Storage) -> None:
        await storage.create("/a", b"")
        await storage.reset()
        await storage.create("/b", b"")

    async def check(storage: Storage) -> None:
        assert [entry.key for entry in storage.list("").entries] == ["/b"]
        assert storage.revision == INITIAL_REVISION + 1

    run(path, fill)
    run(path, check)


def test_a_restored_checkpoint_outlives_the_process(tmp_path: Path) -> None:
    path = tmp_path / "storage.db"

    async def fill(storage: Storage) -> None:
        first = await storage.create("/a", b"1")
        await storage.update("/a", b"2", first.revision)
        checkpoint = storage.checkpoint()
        await storage.create("/b", b"")
        await storage.restore(checkpoint)
        await storage.create("/c", b"")

    async def check(storage: Storage) -> None:
        assert [(entry.key, entry.value) for entry in storage.list("").entries] == [("/a", b"2"), ("/c", b"")]
        assert storage.revision == INITIAL_REVISION + 5

    run(path, fill)
    run(path, check)


@pytest.mark.parametrize("in_file", [False, True])
def test_a_full_disk_fails_what_is_not_stored_and_keeps_what_is(in_file: bool, tmp_path: Path) -> None:  # noqa: FBT001 - a parameter of the test
    path = tmp_path / "storage.db" if in_file else None
    stored: list[Entry] = []

    async def fill() -> None:
        opened = await open_store(path)
        storage, driver = opened.store, opened.driver
        [(pages,)] = await driver.execute_fetchall("PRAGMA page_count")
        await driver.execute_fetchall(f"PRAGMA max_page_count={pages + 100}")
        watcher = storage.watch("")
        failures: list[BaseException] = []
        while not failures:
            base = len(stored)
            writes = [storage.create(f"/{base + n}", bytes(10_000)) for n in range(9)]
            settled = storage.wait_committed(storage.revision + 9)
            results = await asyncio.gather(*writes, settled, return_exceptions=True)
            stored.extend(result for result in results if isinstance(result, Entry))
            failures = [result for result in results if isinstance(result, BaseException)]
        assert len(failures) == 10
        assert all(isinstance(failure, StorageFull) for failure in failures)
        assert "full" in str(failures[0])
        assert storage.list("", at=storage.revision).entries == sorted(stored, key=lambda entry: entry.key)
        assert storage.newest(f"/{len(stored)}") is None
        assert storage.revision == stored[-1].revision

        await driver.execute_fetchall(f"PRAGMA max_page_count={pages + 1000}")
        stored.append(await storage.create("/later", b""))
        assert stored[-1].revision == stored[-2].revision + 1
        assert [event.entry for event in await watcher.next_batch()] == stored
        await storage.close()

    async def check(storage: Storage) -> None:
        assert storage.list("").entries == sorted(stored, key=lambda entry: entry.key)

    asyncio.run(fill())
    if path is not None:
        run(path, check)


def test_the_process_ends_though_a_store_is_left_open(tmp_path: Path) -> None:
    script = WRITER.split("async def write", maxsplit=1)[0] + (
        "async def main():\n"
        "    global storage\n"
        "    storage = await open_storage(sys.argv[1])\n"
        "    await storage.create('/a', b'')\n"
        "asyncio.run(main())\n"
    )
    path = tmp_path / "storage.db"
    subprocess.run([sys.executable, "-c", script, str(path)], check=True, timeout=20, capture_output=True)

    async def check(storage: Storage) -> None:
        assert storage.get("/a") is not None

    run(path, check)


@pytest.mark.parametrize(("durability", "level"), [("normal", 1), ("full", 2)])
def test_durability_is_sqlites_synchronous_over_a_write_ahead_log(
    durability: Durability, level: int, tmp_path: Path
) -> None:
    async def main() -> None:
        opened = await open_store(tmp_path / "storage.db", durability=durability)
        assert [*await opened.driver.execute_fetchall("PRAGMA synchronous")] == [(level,)]
        assert [*await opened.driver.execute_fetchall("PRAGMA journal_mode")] == [("wal",)]
        await opened.store.close()

    asyncio.run(main())


def test_reads_go_on_while_the_disk_is_slow() -> None:
    async def main() -> None:
        opened = await open_log()
        let_go = asyncio.Event()

        class Slow(SqliteLog):
            async def append(self, rows: Sequence[Row]) -> None:
                await let_go.wait()
                await super().append(rows)

        log = Slow(opened.database)
        store = Store(log, Committed(await log.load(), window=1_000, watcher_buffer=1_000), {})
        watcher = store.watch("")
        writes = [store.create(f"/{n}", b"") for n in range(300)]
        await asyncio.sleep(0)
        assert (store.list("").entries, store.get("/0"), store.revision) == ([], None, INITIAL_REVISION)
        assert store.newest("/299") is not None
        let_go.set()
        entries = await asyncio.gather(*writes)
        assert store.list("").entries == sorted(entries, key=lambda entry: entry.key)
        assert [event.entry for event in await watcher.next_batch()] == entries
        await store.close()

    asyncio.run(main())


def test_signals_that_interrupt_the_disk_lose_nothing(tmp_path: Path) -> None:
    async def main() -> list[Entry]:
        storage = await open_storage(tmp_path / "storage.db", durability="full")
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGPROF})  # for the driver's thread
        signal.setitimer(signal.ITIMER_PROF, 0.001, 0.001)
        try:
            # The kernel looks at the timer at its own ticks, so a quick disk may need more writes.
            while len(created) < 200 or (not caught and len(created) < 2_000):
                created.append(await storage.create(f"/{len(created)}", bytes(5_000)))
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            await storage.close()
        return storage.list("").entries

    caught: list[int] = []
    created: list[Entry] = []
    before = signal.signal(signal.SIGPROF, lambda number, frame: caught.append(number))
    try:
        entries = asyncio.run(main())
    finally:
        signal.signal(signal.SIGPROF, before)
    assert caught

    async def check(storage: Storage) -> None:
        assert storage.list("").entries == entries
        assert len(entries) == len(created)

    run(tmp_path / "storage.db", check)
