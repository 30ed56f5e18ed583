"""Storages in memory, in files and in PostgreSQL meet the contract of `tests.storage.contract`."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path

import pytest

from fakeapi_storage.interface import Storage
from fakeapi_storage.log import Durability
from fakeapi_storage.memory.broadcast import WATCHER_BUFFER_EVENTS_MAX
from fakeapi_storage.open import WINDOW_REVISIONS, open_storage
from tests.postgresql_server import PostgreSQL
from tests.storage.contract import Behaviour, Opener, always, single_writer

SMALL_WINDOW = 20


def opener(
    place: Path | str | Callable[[], str] | None,
    *,
    durability: Durability = "normal",
    window: int = WINDOW_REVISIONS,
) -> Opener:
    numbers = count()
    usual = window

    @asynccontextmanager
    async def open_empty(
        *, window: int | None = None, watcher_buffer: int | None = None
    ) -> AsyncIterator[Storage]:
        location = place / f"{next(numbers)}.db" if isinstance(place, Path) else place
        if callable(location):
            location = location()
        storage = await open_storage(
            location,
            durability=durability,
            window=window or usual,
            watcher_buffer=watcher_buffer or WATCHER_BUFFER_EVENTS_MAX,
        )
        try:
            yield storage
        finally:
            await storage.close()

    return open_empty


async def run_behaviour(behaviour: Behaviour, open_empty: Opener) -> None:
    await behaviour(open_empty)


@pytest.mark.parametrize(
    "behaviour", [*always.BEHAVIOURS, *single_writer.BEHAVIOURS], ids=lambda behaviour: behaviour.__name__
)
@pytest.mark.parametrize(
    "kind",
    ["memory", "memory-small-window", "database-in-memory", "file", "file-full", "file-small-window"],
)
def test_a_storage_keeps_its_contract(kind: str, behaviour: Behaviour, tmp_path: Path) -> None:
    open_empty = opener(
        tmp_path if kind.startswith("file") else "sqlite://" if kind == "database-in-memory" else None,
        durability="full" if kind == "file-full" else "normal",
        window=SMALL_WINDOW if kind.endswith("small-window") else WINDOW_REVISIONS,
    )

    asyncio.run(run_behaviour(behaviour, open_empty))


@pytest.mark.parametrize("behaviour", always.BEHAVIOURS, ids=lambda behaviour: behaviour.__name__)
@pytest.mark.parametrize("window", [WINDOW_REVISIONS, SMALL_WINDOW], ids=["postgresql", "small-window"])
def test_a_shared_storage_keeps_the_contract_of_every_storage(
    window: int, behaviour: Behaviour, postgresql: PostgreSQL
) -> None:
    asyncio.run(run_behaviour(behaviour, opener(postgresql.place, window=window)))
