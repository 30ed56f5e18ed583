"""Opening a store: joins the database, the log and the memory above it."""

from pathlib import Path

from fakeapi_storage.interface import Storage
from fakeapi_storage.memory.broadcast import WATCHER_BUFFER_EVENTS_MAX
from fakeapi_storage.memory.committed import Committed
from fakeapi_storage.sqlite.engine import Durability, connect
from fakeapi_storage.sqlite.log import SCHEMA, Log
from fakeapi_storage.store import Store

WINDOW_REVISIONS = 10_000
"""Revisions that stay answerable before older ones are compacted."""


async def open_storage(
    path: str | Path | None = None,
    *,
    durability: Durability = "normal",
    window: int = WINDOW_REVISIONS,
    watcher_buffer: int = WATCHER_BUFFER_EVENTS_MAX,
) -> Storage:
    """Opens the store in the file `path`, creating it if it is missing or empty; None: in memory.

    Acknowledged writes to a file survive the end of the process, with durability "full" also that of the
    machine. At least `window` revisions stay answerable, at most a tenth more. The store belongs to the
    running event loop; close it there.

    Raises `NewerSchema`, `ForeignDatabase` and `DatabaseInUse`, each leaving the file as it was,
    `StorageFailed` for a file that can not be opened or is damaged, ValueError for a window below 1.
    """
    if window < 1:
        raise ValueError(f"a window of {window} revisions")
    database = await connect(Path(path) if path is not None else None, SCHEMA, durability)
    log = Log(database)
    try:
        committed = Committed(await log.load(), window=window, watcher_buffer=watcher_buffer)
        return Store(log, committed)
    except BaseException:
        await log.close()
        raise
