"""The garbage collection of a process that only serves: when young and old objects are scanned."""

import asyncio
import gc
import sys
import weakref
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest

from fakeapi.serving import garbage
from fakeapi.serving.garbage import YOUNG_OBJECTS, GarbageCollection


class Node:
    """An object that can be a part of a reference cycle."""

    def __init__(self) -> None:
        self.other: object = None


def cycle() -> weakref.ref[Node]:
    """Creates two objects that reference each other. Returns a reference to one of them."""
    one, other = Node(), Node()
    one.other, other.other = other, one
    return weakref.ref(one)


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    loop = asyncio.new_event_loop()
    yield loop
    loop.close()


@pytest.fixture
def collection(loop: asyncio.AbstractEventLoop) -> Iterator[GarbageCollection]:
    thresholds = gc.get_threshold()
    collection = GarbageCollection(loop)
    collection.start()
    yield collection
    collection.stop()
    gc.set_threshold(*thresholds)


def make_old(count: int) -> list[list[object]]:
    """Creates `count` objects in use, of one block each. Python scans them while they are young."""
    return [[] for _ in range(count)]


def test_a_cycle_among_young_objects_is_freed(collection: GarbageCollection) -> None:
    garbage_cycle = cycle()
    kept = make_old(2 * YOUNG_OBJECTS)
    assert garbage_cycle() is None
    assert len(kept) == 2 * YOUNG_OBJECTS


def test_objects_in_use_are_scanned_once(collection: GarbageCollection) -> None:
    kept = make_old(20 * YOUNG_OBJECTS)
    assert len(gc.get_objects()) < 3 * YOUNG_OBJECTS, "frozen objects are not scanned again"
    assert len(kept) == 20 * YOUNG_OBJECTS


def test_an_old_object_without_references_is_freed_at_once(collection: GarbageCollection) -> None:
    node = Node()
    freed = weakref.ref(node)
    kept = make_old(2 * YOUNG_OBJECTS)
    del node
    assert freed() is None
    del kept


def test_a_cycle_among_old_objects_is_freed_in_a_quiet_moment(
    collection: GarbageCollection, loop: asyncio.AbstractEventLoop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(GarbageCollection, "_limit", 10 * YOUNG_OBJECTS)
    monkeypatch.setattr(garbage, "QUIET_SECONDS", 0.001)
    one = Node()
    one.other = one
    freed = weakref.ref(one)

    async def serve() -> None:
        kept = make_old(12 * YOUNG_OBJECTS)
        assert freed() is not None
        await asyncio.wait_for(scanned.wait(), 20)
        assert freed() is None
        del kept

    scanned = asyncio.Event()
    scan = collection.scan_old_objects

    def scan_and_note() -> None:
        scan()
        scanned.set()

    monkeypatch.setattr(collection, "scan_old_objects", scan_and_note)
    kept = make_old(2 * YOUNG_OBJECTS)
    del one
    loop.run_until_complete(serve())
    assert len(kept) == 2 * YOUNG_OBJECTS


def test_objects_that_are_gone_again_lead_to_no_scan_of_the_old_objects(
    collection: GarbageCollection, loop: asyncio.AbstractEventLoop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(GarbageCollection, "_limit", 10 * YOUNG_OBJECTS)
    monkeypatch.setattr(garbage, "QUIET_SECONDS", 0.001)
    scans: list[int] = []
    monkeypatch.setattr(collection, "scan_old_objects", lambda: scans.append(1))

    async def serve() -> None:
        for _ in range(5):
            make_old(12 * YOUNG_OBJECTS)
            await asyncio.sleep(0.02)

    loop.run_until_complete(serve())
    assert scans == []


def test_a_collection_beyond_the_depth_of_the_stack_prints_no_error(
    collection: GarbageCollection, monkeypatch: pytest.MonkeyPatch
) -> None:
    printed: list[Any] = []
    monkeypatch.setattr(sys, "__unraisablehook__", printed.append)
    own, other = gc.callbacks[-1], print
    errors = [
        SimpleNamespace(exc_type=exc_type, object=source)
        for exc_type in (RecursionError, ValueError)
        for source in (own, other)
    ]
    for error in errors:
        sys.unraisablehook(cast("Any", error))
    assert printed == errors[1:]


def test_a_busy_server_scans_old_objects_at_a_higher_limit(
    collection: GarbageCollection, loop: asyncio.AbstractEventLoop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(GarbageCollection, "_limit", 10 * YOUNG_OBJECTS)
    monkeypatch.setattr(garbage, "QUIET_SECONDS", 0.001)
    monkeypatch.setattr(garbage, "QUIET_SHARE", -1.0)
    monkeypatch.setattr(GarbageCollection, "_forced_limit", 20 * YOUNG_OBJECTS)
    monkeypatch.setattr(garbage, "FORCED_SECONDS", 0.0)
    scans: list[int] = []
    monkeypatch.setattr(collection, "scan_old_objects", lambda: scans.append(1))

    async def serve(objects: int) -> list[list[object]]:
        kept = make_old(objects)
        await asyncio.sleep(0.02)
        return kept

    kept = loop.run_until_complete(serve(15 * YOUNG_OBJECTS))
    assert scans == []
    monkeypatch.setattr(garbage, "FORCED_SECONDS", 60.0)
    kept += loop.run_until_complete(serve(20 * YOUNG_OBJECTS))
    assert scans == [], "the growth must last"
    monkeypatch.setattr(garbage, "FORCED_SECONDS", 0.001)
    kept += loop.run_until_complete(serve(0))
    assert scans
    assert len(kept) == 35 * YOUNG_OBJECTS


def test_a_busy_server_scans_only_if_the_objects_are_still_in_use(
    collection: GarbageCollection, loop: asyncio.AbstractEventLoop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(GarbageCollection, "_limit", 10 * YOUNG_OBJECTS)
    monkeypatch.setattr(GarbageCollection, "_forced_limit", 20 * YOUNG_OBJECTS)
    monkeypatch.setattr(garbage, "FORCED_SECONDS", 0.0)
    monkeypatch.setattr(garbage, "QUIET_SECONDS", 0.001)
    monkeypatch.setattr(garbage, "QUIET_SHARE", -1.0)
    scans: list[int] = []
    monkeypatch.setattr(collection, "scan_old_objects", lambda: scans.append(1))

    async def serve() -> None:
        kept = make_old(12 * YOUNG_OBJECTS)
        for _ in range(3):
            make_old(9 * YOUNG_OBJECTS)
            await asyncio.sleep(0.02)
        assert len(kept) == 12 * YOUNG_OBJECTS

    loop.run_until_complete(serve())
    assert scans == []
