"""Pauses Python's garbage collector during work that creates many objects and no reference cycles."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_lock = Lock()
_pauses = 0
_was_enabled = False


@contextmanager
def paused_collector() -> Iterator[None]:
    """Pauses the garbage collector of this process until the block ends. Pauses can overlap.

    The collector stops all clients while it scans new objects: 200 ms for a million of them. The block must
    end within seconds, and must create few reference cycles. A collector that is off stays off.
    """
    global _pauses, _was_enabled  # noqa: PLW0603 - the collector is global too
    with _lock:
        if not _pauses:
            _was_enabled = gc.isenabled()
            gc.disable()
        _pauses += 1
    try:
        yield
    finally:
        with _lock:
            _pauses -= 1
            if not _pauses and _was_enabled:
                gc.enable()
