"""Opens a store. The entries are in memory; a database, if any, keeps a log of committed writes."""

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
"""Default number of revisions that stay available; a compaction removes older revisions."""

FIRST_FORMAT_ALONE = Format()
"""The default `data_format`: version 1, without migrations, for an application that never changed its format.
"""


async def open_storage(
    location: str | Path | None = None,
    *,
    durability: Durability = "normal",
    window: int = WINDOW_REVISIONS,
    watcher_buffer: int = WATCHER_BUFFER_EVENTS_MAX,
    data_format: Format = FIRST_FORMAT_ALONE,
    settings: str = "",
) -> Storage:
    """Opens the database at `location`. Creates a missing database, and the tables of an empty database.

    `location` is one of:

    - a path, or `sqlite:///path`.
    - None, for entries that are only in memory.
    - `sqlite://`, for a SQLite database in memory.
    - `postgresql://…`, for a database that several servers may have open at once. Then the storage is a
      `SharedStorage`. All its servers must have the same `settings`, and nothing is migrated.

    Acknowledged writes to a file survive the end of the process; with durability "full" they also survive a
    crash of the machine. At least `window` revisions stay available, unless the values that only old
    revisions need exceed 256 MiB (`HELD_BYTES_MAX`). Compaction runs when there are more than 256 older
    revisions, or more than a tenth of `window`. The store belongs to the running event loop: close the store
    in the same loop.

    `data_format` describes how the application encodes keys and values. A new database records the version of
    the format. A database with an older format is migrated in one transaction before this function returns.
    Every stored row, including history, passes through the migrations; revisions do not change. Databases
    that do not record a format have format 1.

    Raises a subclass of `OpenFailed`, and then leaves the database unchanged:

    - `UnsupportedLocation` if the location has another form, or its engine is not installed
    - `DatabaseInUse` if another process or store has opened the file
    - `ForeignDatabase` for a database of another program
    - `DatabaseRefused` if the database server cannot be used
    - `NewerSchema` if a newer version of this package wrote the database
    - `UnknownFormat` for a newer format, or an older format that cannot be migrated
    - `MigrationFailed` for a row that cannot be migrated

    Also raises `StorageFailed` for a database that is unreadable or damaged, and ValueError for a window
    below 1.
    """
    if window < 1:
        raise ValueError(f"a window of {window} revisions")
    place = parse_location(location)
    if place.engine == MEMORY:
        empty = Snapshot(INITIAL_REVISION, [], {})
        return Store(None, Committed(empty, window=window, watcher_buffer=watcher_buffer), {})
    if place.engine == "postgresql":
        return await _open_shared(place, data_format, settings, window, watcher_buffer)
    return await _open_sqlite(place, durability, data_format, window, watcher_buffer)


async def _open_sqlite(
    place: Location, durability: Durability, data_format: Format, window: int, watcher_buffer: int
) -> Storage:
    from fakeapi_storage.sqlite.engine import connect  # noqa: PLC0415 - only for databases
    from fakeapi_storage.sqlite.log import SqliteLog  # noqa: PLC0415 - only for databases

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
