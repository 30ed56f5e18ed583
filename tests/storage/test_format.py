"""Opening a database migrates an older format, completely or not at all."""

import asyncio
import re
import sqlite3
import subprocess
import sys
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi_storage.errors import MigrationFailed, StorageFailed, UnknownFormat
from fakeapi_storage.format import FIRST_FORMAT, Format, Migration, MigrationError, migrate
from fakeapi_storage.interface import INITIAL_REVISION, Event, Storage
from fakeapi_storage.log import Row
from fakeapi_storage.open import FIRST_FORMAT_ALONE, open_storage
from fakeapi_storage.sqlite.schema import APPLICATION_ID

SCHEMA_1 = f"""
CREATE TABLE log (revision INTEGER NOT NULL, "key" TEXT NOT NULL, created INTEGER NOT NULL,
    previous INTEGER NOT NULL, deleted BOOLEAN NOT NULL, value BLOB, PRIMARY KEY (revision),
    UNIQUE ("key", previous));
CREATE TABLE meta (compacted INTEGER NOT NULL);
INSERT INTO meta VALUES ({INITIAL_REVISION});
PRAGMA application_id={APPLICATION_ID};
PRAGMA user_version=1;
PRAGMA journal_mode=WAL;
"""
ROWS = [
    Row(2, "/v1/a", 2, 0, False, b"1"),
    Row(3, "/v1/b", 3, 0, False, b"2"),
    Row(4, "/v1/a", 2, 2, False, b"3"),
    Row(5, "/v1/b", 3, 3, True, None),
    Row(6, "/v1/b", 6, 5, False, b"4"),
    Row(7, "/v1/b", 6, 6, True, b"final"),
]


def shorter(key: str, value: bytes) -> tuple[str, bytes]:
    return key.removeprefix("/v1"), b"<" + value + b">"


def longer(key: str, value: bytes) -> tuple[str, bytes]:
    return f"{key}/{key}", value * 2


SECOND = Format(2, {1: shorter})
THIRD = Format(3, {1: shorter, 2: longer})


def run(path: Path, data_format: Format, use: Callable[[Storage], Awaitable[None]]) -> None:
    async def main() -> None:
        storage = await open_storage(path, data_format=data_format)
        try:
            await use(storage)
        finally:
            await storage.close()

    asyncio.run(main())


async def nothing(storage: Storage) -> None:
    pass


def old_database(path: Path) -> Path:
    """Writes a database file of the first format, which had no version number; returns the file's path."""
    with closing(sqlite3.connect(path)) as database:
        database.executescript(SCHEMA_1)
        database.executemany("INSERT INTO log VALUES (?, ?, ?, ?, ?, ?)", ROWS)
        database.commit()
    return path


def contents(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def events(path: Path, data_format: Format) -> list[Event]:
    found: list[Event] = []

    async def read(storage: Storage) -> None:
        found.extend(await storage.watch("", INITIAL_REVISION).next_batch())

    run(path, data_format, read)
    return found


def test_entries_and_history_go_through_the_migration_and_keep_their_revisions(tmp_path: Path) -> None:
    path = old_database(tmp_path / "old.db")

    async def check(storage: Storage) -> None:
        [entry] = storage.list("").entries
        assert (entry.key, entry.value, entry.revision, entry.created) == ("/a", b"<3>", 4, 2)
        assert storage.revision == 7
        found = await storage.watch("", INITIAL_REVISION).next_batch()
        assert [(event.entry.key, event.entry.value) for event in found] == [
            ("/a", b"<1>"), ("/b", b"<2>"), ("/a", b"<3>"), ("/b", b"<2>"), ("/b", b"<4>"), ("/b", b"<final>")
        ]  # fmt: skip
        assert [entry.key for entry in storage.list("", at=3).entries] == ["/a", "/b"]

    async def write(storage: Storage) -> None:
        assert (await storage.create("/b", b"")).revision == 8

    run(path, SECOND, check)
    run(path, SECOND, check)
    run(path, SECOND, write)


def test_a_database_goes_through_every_format_between_its_own_and_the_wanted_one(tmp_path: Path) -> None:
    at_once, in_steps = old_database(tmp_path / "1.db"), old_database(tmp_path / "2.db")
    run(in_steps, FIRST_FORMAT_ALONE, nothing)
    run(in_steps, SECOND, nothing)
    assert events(at_once, THIRD) == events(in_steps, THIRD)
    assert events(at_once, THIRD)[0].entry.key == "/a//a"


def test_labels_survive_a_migration(tmp_path: Path) -> None:
    path = tmp_path / "storage.db"

    async def write(storage: Storage) -> None:
        assert storage.labels == {}
        await storage.set_labels({"release": "1.31"})
        assert storage.labels == {"release": "1.31"}

    async def check(storage: Storage) -> None:
        assert storage.labels == {"release": "1.31"}
        await storage.reset()
        assert storage.labels == {"release": "1.31"}

    run(path, FIRST_FORMAT_ALONE, write)
    run(path, SECOND, check)
    run(path, SECOND, check)


def test_an_old_database_without_a_change_of_format_is_opened_as_it_is(tmp_path: Path) -> None:
    path = old_database(tmp_path / "old.db")
    first = events(path, FIRST_FORMAT_ALONE)
    assert [event.entry.key for event in first] == [row.key for row in ROWS]
    assert events(path, FIRST_FORMAT_ALONE) == first


@pytest.mark.parametrize(
    ("written", "wanted", "words"),
    [
        (
            SECOND,
            FIRST_FORMAT_ALONE,
            "format 2, newer than format 1, .*; open it with the version that",
        ),
        (FIRST_FORMAT_ALONE, Format(3, {2: longer}), "format 1, without a migration to format 3"),
    ],
)
def test_a_database_of_a_format_without_a_way_here_is_refused_and_not_touched(
    written: Format, wanted: Format, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "storage.db"
    run(path, written, nothing)
    before = contents(tmp_path)
    with pytest.raises(UnknownFormat, match=words) as refusal:
        run(path, wanted, nothing)
    assert "\n" not in str(refusal.value)
    assert (refusal.value.found, refusal.value.wanted) == (written.version, wanted.version)
    assert contents(tmp_path) == before


def failing(key: str, value: bytes) -> tuple[str, bytes]:
    if value == b"4":
        raise ValueError("no such version")
    return key, value


def merging(key: str, value: bytes) -> tuple[str, bytes]:
    return "/same", value


def wavering(key: str, value: bytes) -> tuple[str, bytes]:
    return f"{key}{value.decode()}", value


@pytest.mark.parametrize(
    ("migration", "words"),
    [
        (failing, "'/v1/b' at revision 6: no such version"),
        (merging, "'/v1/a' and '/v1/b' both become '/same'"),
        (wavering, "'/v1/a' becomes both '/v1/a1' and '/v1/a3'"),
    ],
)
def test_a_migration_that_fails_leaves_the_database_as_it_was(
    migration: Migration, words: str, tmp_path: Path
) -> None:
    path = old_database(tmp_path / "old.db")
    before = contents(tmp_path)
    with pytest.raises(MigrationFailed, match=f"from format 1 to 2: {re.escape(words)}"):
        run(path, Format(2, {1: migration}), nothing)
    assert contents(tmp_path) == before
    run(path, SECOND, nothing)


def test_a_damaged_row_is_not_migrated(tmp_path: Path) -> None:
    path = tmp_path / "storage.db"

    async def write(storage: Storage) -> None:
        await storage.create("/v1/a", b"12345")

    run(path, FIRST_FORMAT_ALONE, write)
    with closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE log SET value = x'00'")
        database.commit()
    with pytest.raises(StorageFailed, match=r"storage.db: the database is damaged: revision 2"):
        run(path, SECOND, nothing)


MIGRATOR = """
import asyncio, sqlite3, sys
from fakeapi_storage.format import Format
from fakeapi_storage.open import open_storage
from fakeapi_storage.sqlite import schema

def migration(key, value):
    if sys.argv[2] == "computing" and key == "/v1/b":
        print("here", flush=True)
        sys.stdin.read()
    return key.removeprefix("/v1"), b"<" + value + b">"

def record(row, original=schema.to_record):
    if sys.argv[2] == "writing" and row.revision == 7:
        print("here", flush=True)
        sys.stdin.read()
    return original(row)

schema.to_record = record

async def main():
    storage = await open_storage(sys.argv[1], data_format=Format(2, {1: migration}))
    print("open", flush=True)
    sys.stdin.read()

asyncio.run(main())
"""


@pytest.mark.parametrize("moment", ["computing", "writing", "open"])
def test_a_process_killed_in_a_migration_leaves_the_old_database_or_the_new_one(
    moment: str, tmp_path: Path
) -> None:
    path = old_database(tmp_path / "old.db")
    before = path.read_bytes()
    command = [sys.executable, "-c", MIGRATOR, str(path), moment]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == ("open\n" if moment == "open" else "here\n")
        process.kill()
    if moment == "open":
        with pytest.raises(UnknownFormat):
            run(path, FIRST_FORMAT_ALONE, nothing)
    else:
        assert path.read_bytes() == before
        assert [event.entry.key for event in events(path, FIRST_FORMAT_ALONE)] == [row.key for row in ROWS]
    assert [event.entry.key for event in events(path, SECOND)] == [key.key[3:] for key in ROWS]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.binary(max_size=3) | st.none()), max_size=12))
def test_a_migration_changes_keys_and_values_and_nothing_else(
    changes: list[tuple[str, bytes | None]],
) -> None:
    rows = [Row(n, key, n, 0, value is None, value) for n, (key, value) in enumerate(changes, start=2)]
    found = [*migrate(rows, [shorter, longer])]
    assert [row._replace(key="", value=None) for row in found] == [
        row._replace(key="", value=None) for row in rows
    ]
    for old, new in zip(rows, found, strict=True):
        assert new.key == longer(*shorter(old.key, b""))[0]
        assert new.value == (None if old.value is None else longer(*shorter("", old.value))[1])


def test_a_format_knows_the_steps_from_an_older_one_or_that_there_is_no_way() -> None:
    assert THIRD.steps_from(FIRST_FORMAT) == [shorter, longer]
    assert THIRD.steps_from(3) == []
    assert THIRD.steps_from(4) is None
    assert Format(3, {2: longer}).steps_from(1) is None
    with pytest.raises(MigrationError):
        [*migrate(ROWS, [merging])]
