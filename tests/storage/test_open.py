"""A storage does not open or change files of other programs, of newer versions, or files in use."""

import asyncio
import os
import shutil
import sqlite3
import struct
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from fakeapi_storage.errors import DatabaseInUse, ForeignDatabase, NewerSchema, StorageFailed
from fakeapi_storage.interface import INITIAL_REVISION, Storage
from fakeapi_storage.open import open_storage
from fakeapi_storage.sqlite.schema import APPLICATION_ID, SCHEMA_VERSION
from tests.storage.engines import nothing, run


def contents(directory: Path) -> dict[str, bytes]:
    """Returns the bytes of every file by name. Leaves out `-shm` files, which any reader may create."""
    return {path.name: path.read_bytes() for path in directory.iterdir() if not path.name.endswith("-shm")}


def make_newer(path: Path) -> None:
    run(path, nothing)
    with sqlite3.connect(path) as database:
        database.execute(f"PRAGMA user_version={SCHEMA_VERSION + 1}")
    database.close()


def make_newer_in_its_log(path: Path) -> None:
    """Writes a database whose newer version number is only in the write-ahead log, as after a kill."""
    origin = path.with_name("origin.db")
    run(origin, nothing)
    database = sqlite3.connect(origin)
    database.execute(f"PRAGMA user_version={SCHEMA_VERSION + 1}")
    shutil.copy(origin, path)
    shutil.copy(origin.with_name("origin.db-wal"), path.with_name(path.name + "-wal"))
    database.close()
    for file in origin.parent.glob("origin*"):
        file.unlink()


def make_another_applications(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE theirs (x)")
    database.close()


def make_marked_by_another_application(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute(f"PRAGMA application_id={APPLICATION_ID + 1}")
    database.close()


def make_text(path: Path) -> None:
    path.write_text("text " * 1000)


def make_short_text(path: Path) -> None:
    path.write_text("x")


@pytest.mark.parametrize(
    ("make", "refusal", "words"),
    [
        (make_newer, NewerSchema, "schema version 3, newer than 2"),
        (make_newer_in_its_log, NewerSchema, "schema version 3, newer than 2"),
        (make_another_applications, ForeignDatabase, "belongs to another application"),
        (make_marked_by_another_application, ForeignDatabase, "belongs to another application"),
        (make_text, ForeignDatabase, "not a database"),
        (make_short_text, ForeignDatabase, "not a database"),
    ],
)
def test_a_file_that_is_not_for_this_version_is_refused_and_not_touched(
    make: Callable[[Path], object], refusal: type[Exception], words: str, tmp_path: Path
) -> None:
    path = tmp_path / "storage.db"
    make(path)
    before = contents(tmp_path)
    with pytest.raises(refusal, match=words):
        run(path, nothing)
    assert contents(tmp_path) == before


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    path = tmp_path / "a ?&#%41 é.db"
    path.touch()
    run(path, nothing)
    run(path, nothing)
    assert path.read_bytes().startswith(b"SQLite format 3")
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_a_start_that_was_killed_half_way_is_begun_again(tmp_path: Path) -> None:
    path = tmp_path / "storage.db"
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA journal_mode=WAL")
    database.close()

    async def use(storage: Storage) -> None:
        await storage.create("/a", b"")

    run(path, use)


def test_a_first_page_that_a_power_failure_left_in_part_is_undone(tmp_path: Path) -> None:
    path = tmp_path / "db"
    path.write_bytes(bytes(512) + b"x" * 3_584)
    header = bytes.fromhex("d9d505f920a163d7") + struct.pack(">5I", 0, 1, 0, 512, 4_096)
    path.with_name("db-journal").write_bytes(header.ljust(512, b"\0"))

    async def use(storage: Storage) -> None:
        assert storage.revision == INITIAL_REVISION
        await storage.create("/a", b"1")

    run(path, use)


@pytest.mark.parametrize("where", ["missing/storage.db", "."])
def test_a_path_that_can_not_be_a_database_is_a_failure_with_its_name(where: str, tmp_path: Path) -> None:
    with pytest.raises(StorageFailed, match=str(tmp_path)):
        run(tmp_path / where, nothing)


def test_a_damaged_log_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "storage.db"

    async def fill(storage: Storage) -> None:
        await asyncio.gather(*(storage.create(f"/{n}", b"") for n in range(3)))

    run(path, fill)
    with sqlite3.connect(path) as database:
        database.execute("DELETE FROM log WHERE revision = ?", (INITIAL_REVISION + 2,))
    database.close()
    with pytest.raises(StorageFailed, match="damaged"):
        run(path, nothing)


OPENER = """
import asyncio, sys
from fakeapi_storage.open import open_storage
from fakeapi_storage.errors import DatabaseInUse

async def main():
    try:
        await open_storage(sys.argv[1])
    except DatabaseInUse as refusal:
        print(refusal)

asyncio.run(main())
"""


def test_a_second_store_on_one_file_is_refused_while_the_first_is_open(tmp_path: Path) -> None:
    path = tmp_path / "storage.db"

    async def use(storage: Storage) -> None:
        for _ in range(2):
            with pytest.raises(DatabaseInUse, match="in use by another server"):
                await open_storage(path)
            done = await asyncio.to_thread(
                subprocess.run,
                [sys.executable, "-c", OPENER, str(path)],
                capture_output=True,
                text=True,
                check=True,
            )
            assert "in use by another server" in done.stdout
            await storage.create(f"/{storage.revision}", b"")

    run(path, use)  # a new file; its log is not empty then
    run(path, use)  # an existing file with an empty log


def test_a_window_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="0 revisions"):
        asyncio.run(open_storage(window=0))


def test_a_new_file_and_those_beside_it_are_for_their_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "storage.db"

    def modes() -> dict[str, str]:
        return {file.name: oct(file.stat().st_mode & 0o777) for file in tmp_path.iterdir()}

    async def use(storage: Storage) -> None:
        await storage.create("/a", b"")
        found = await asyncio.to_thread(modes)
        assert found.keys() >= {"storage.db", "storage.db-wal"}
        assert set(found.values()) == {"0o600"}

    run(path, use)


def test_a_file_that_was_there_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "storage.db"
    path.touch(mode=0o640)
    path.chmod(0o640)
    run(path, nothing)
    assert oct(path.stat().st_mode & 0o777) == "0o640"


def test_a_place_that_can_not_be_written_is_refused_with_the_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Replaces `os.access` to simulate missing permissions, because root may write everywhere."""
    path = tmp_path / "storage.db"
    run(path, nothing)
    for place, words in ((path, "the file can not be written"), (tmp_path, "the directory, .* can not be")):
        with monkeypatch.context() as patch:
            patch.setattr(os, "access", lambda found, mode, place=place: found != place)
            with pytest.raises(StorageFailed, match=words):
                run(path, nothing)
    run(path, nothing)


def test_failed_openings_are_errors_and_nothing_else(tmp_path: Path) -> None:
    """Opens damaged databases. A driver thread that outlives its event loop would raise an error."""
    path = tmp_path / "storage.db"

    async def use(storage: Storage) -> None:
        await storage.create("/a", b"")

    run(path, use)
    with closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE log SET value = x'00'")
        database.commit()
    for _ in range(20):
        for place in (path, tmp_path, tmp_path / "missing" / "storage.db"):
            with pytest.raises(StorageFailed):
                run(place, nothing)
