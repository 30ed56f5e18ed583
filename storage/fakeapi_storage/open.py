"""Opens a storage: joins an engine's log and the state in memory."""

from pathlib import Path

from fakeapi_storage.errors import StorageFailed, UnsupportedLocation
from fakeapi_storage.format import Format
from fakeapi_storage.interface import INITIAL_REVISION, Storage
from fakeapi_storage.location import MEMORY, Location, parse_location
from fakeapi_storage.log import Durability, Snapshot
from fakeapi_storage.memory.broadcast import WATCHER_BUFFER_EVENTS_MAX
from fakeapi_storage.memory.committed import Committed
from fakeapi_storage.store import Store

WINDOW_REVISIONS = 10_000
"""Revisions that stay available before older ones are compacted."""

FIRST_FORMAT_ALONE = Format()
"""The format of applications that never changed how they write keys and values."""


async def open_storage(
    location: str | Path | None = None,
    *,
    durability: Durability = "normal",
    window: int = WINDOW_REVISIONS,
    watcher_buffer: int = WATCHER_BUFFER_EVENTS_MAX,
    data_format: Format = FIRST_FORMAT_ALONE,
    settings: str = "",
) -> Storage:
    """Opens the database at `location`, creating it if it is missing or empty.

    `location` is one of:

    - a path, or `sqlite:///path`;
    - None, for a state only in memory;
    - `sqlite://`, for a SQLite database in memory;
    - `postgresql://…`, for a database that several servers may have open at once. Then the storage is a
      `SharedStorage`. All its servers must have the same `settings`, and nothing is migrated.

    Acknowledged writes to a file survive the end of the process, with durability "full" also that of the
    machine. At least `window` revisions stay available, at most a tenth more. The store belongs to the
    running event loop; close it there.

    `data_format` is how the application writes keys and values. A new database records its version. A
    database with an older format is migrated before this function returns, in one transaction: every row that
    is kept, including history, passes through the migrations, and revisions stay as they are. Databases that
    were written before formats were recorded have format 1. This is a change of keys:

        def without_version(key: str, value: bytes) -> tuple[str, bytes]:
            _, group, _version, rest = key.split("/", 3)
            return f"/{group}/{rest}", value

        storage = await open_storage(path, data_format=Format(version=2, migrations={1: without_version}))

    Labels are free text about the database, such as the release that wrote it: see `Storage.labels` and
    `Storage.set_labels`.

    Raises `OpenFailed`, which leaves the database unchanged: `UnsupportedLocation`, `DatabaseInUse`,
    `ForeignDatabase` for a database of another program, `DatabaseRefused` by a database server,
    `NewerSchema`, `UnknownFormat` for a format that is newer or has no migration, `MigrationFailed` with the
    row that cannot be migrated. Raises `StorageFailed` for a database that cannot be read or is damaged,
    ValueError for a window below 1.
    """
    if window < 1:
        raise ValueError(f"a window of {window} revisions")
    place = parse_location(location)
    if place.engine == MEMORY:
        empty = Snapshot(INITIAL_REVISION, [], {})
        return Store(None, Committed(empty, window=window, watcher_buffer=watcher_buffer), {})
    if place.engine == "postgresql":
        return await _open_shared(place, data_format, settings, window, watcher_buffer)
    from fakeapi_storage.sqlite.engine import connect  # noqa: PLC0415 - imports SQLAlchemy, only for databases
    from fakeapi_storage.sqlite.log import SqliteLog  # noqa: PLC0415 - imports SQLAlchemy, only for databases

    log = SqliteLog(await connect(place, durability, data_format))
    try:
        snapshot = await log.load()
        committed = Committed(snapshot, window=window, watcher_buffer=watcher_buffer)
        return Store(log, committed, snapshot.labels)
    except StorageFailed as error:
        await log.close()
        raise StorageFailed(f"{place.text}: {error}") from error
    except BaseException:
        await log.close()
        raise


async def _open_shared(
    place: Location, data_format: Format, settings: str, window: int, watcher_buffer: int
) -> Storage:
    try:
        from fakeapi_storage.postgresql.store import open_shared  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        if error.name != "asyncpg":
            raise
        reason = "asyncpg is not installed: pip install 'fakeapi-k8s[postgresql]'"
        raise UnsupportedLocation(place.text, reason) from None
    return await open_shared(place, data_format, settings, window=window, watcher_buffer=watcher_buffer)
