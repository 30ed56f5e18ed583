"""GarbageCollection: collects reference cycles so that no client waits for a scan of all objects.

All clients wait while Python's collector scans objects. Most of these objects are stored or cached, and have
no cycles. With Python's own rule, the collector scans all objects again, even in the middle of a request,
when the number of objects has grown by a quarter. A scan of a million objects can take a second.
"""

import asyncio
import gc
import sys
from collections.abc import Mapping
from time import thread_time

YOUNG_OBJECTS = 3_000
"""Number of new objects after which Python scans these new objects.

The objects that are still in use then count as old. A scan takes about a millisecond.
"""

OLD_BLOCKS_MIN = 100_000
"""Minimum growth in blocks of memory between two scans of the old objects.

The growth must also be a quarter of the blocks after the last scan. Cycles among old objects use memory until
the next scan. For example, the schemas of deleted CustomResourceDefinitions form cycles, and a few such
objects use much memory.
"""

FORCED_BLOCKS_MIN = 200_000
"""Minimum growth in blocks before a busy server scans without waiting for a quiet moment.

The growth must also be as large as the blocks after the last scan, for FORCED_SECONDS.
"""

FORCED_SECONDS = 2.0
"""Seconds that the growth must last before a busy server scans.

A large request uses many objects, but Python frees these objects without a scan when the request ends.
"""

BLOCKS_OF_OBJECT = 2
"""Average number of blocks of memory per young object, such as a dict and its table."""

QUIET_SECONDS = 0.05
"""Seconds between two checks whether the server is quiet, while a scan of the old objects is due."""

QUIET_SHARE = 0.2
"""Maximum share of a processor that the event loop of a quiet server uses."""

_NEVER = 1_000_000_000
"""A threshold that no generation of Python's collector reaches."""


class GarbageCollection:
    """Scans each object once while it is young, and old objects only rarely, in a quiet moment.

    Python never scans frozen objects (`gc.freeze`), but frees them when they are no longer referenced. Only
    cycles among old objects wait for the next scan of the old objects.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        """Prepares the collection for the process whose clients the event loop serves."""
        self._loop = loop
        self._known = 0
        self._new = 0
        self._used = 0.0
        self._is_due = False
        self._grown_since: float | None = None

    def start(self) -> None:
        """Replaces Python's rule until `stop` is called. All objects that exist now count as old."""
        gc.freeze()
        self._known = _blocks()
        gc.set_threshold(YOUNG_OBJECTS, _NEVER, _NEVER)
        gc.callbacks.append(self._collected)
        sys.unraisablehook = self._print_unraisable

    def stop(self) -> None:
        """Ends the use of this rule; the caller sets the thresholds of Python's own rule."""
        gc.callbacks.remove(self._collected)
        sys.unraisablehook = sys.__unraisablehook__
        gc.unfreeze()

    def _print_unraisable(self, unraisable: "sys.UnraisableHookArgs") -> None:
        """Prints an error that Python cannot raise, except a RecursionError of `_collected`.

        Python calls `_collected` at any depth of the stack, even at the recursion limit. If `_collected`
        fails there, the objects of this scan stay young until the next scan of the old objects.
        """
        if unraisable.exc_type is not RecursionError or unraisable.object != self._collected:
            sys.__unraisablehook__(unraisable)

    @property
    def _limit(self) -> int:
        """The growth in blocks at which a scan of the old objects is due."""
        return max(OLD_BLOCKS_MIN, self._known // 4)

    @property
    def _forced_limit(self) -> int:
        """The growth in blocks at which a busy server scans too."""
        return max(FORCED_BLOCKS_MIN, self._known)

    def _collected(self, phase: str, _: Mapping[str, int]) -> None:
        """Makes the young objects old after each scan. Python calls this method in any thread."""
        if phase != "stop":
            return
        gc.freeze()
        self._new += YOUNG_OBJECTS * BLOCKS_OF_OBJECT
        if self._new >= self._limit and not self._is_due and not self._loop.is_closed():
            self._is_due = True
            self._loop.call_soon_threadsafe(self._wait)

    def _wait(self) -> None:
        """Waits for the next check whether the server is quiet."""
        self._used = thread_time()
        self._loop.call_later(QUIET_SECONDS, self._check)

    def _check(self) -> None:
        is_quiet = thread_time() - self._used < QUIET_SECONDS * QUIET_SHARE
        self._new = _blocks() - self._known  # most new objects may have been freed
        if self._new >= self._limit and (is_quiet or self._is_forced()):
            self.scan_old_objects()
        elif self._new >= self._limit:
            self._wait()
        else:
            self._is_due, self._grown_since = False, None

    def _is_forced(self) -> bool:
        """Whether the growth has reached the limit of a busy server for FORCED_SECONDS."""
        now = self._loop.time()
        if self._new < self._forced_limit:
            self._grown_since = None
        elif self._grown_since is None:
            self._grown_since = now
        return self._grown_since is not None and now - self._grown_since >= FORCED_SECONDS

    def scan_old_objects(self) -> None:
        """Frees the cycles among all objects. All clients wait during the scan."""
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        self._known, self._new, self._is_due, self._grown_since = _blocks(), 0, False, None


def _blocks() -> int:
    """Returns the number of blocks of memory that Python has allocated for small objects.

    Counting a million blocks takes 0.2 ms, and counting a million objects 40 ms. With PYTHONMALLOC=malloc,
    Python has no such blocks; the function then returns BLOCKS_OF_OBJECT for each old object.
    """
    return sys.getallocatedblocks() or BLOCKS_OF_OBJECT * gc.get_freeze_count()
