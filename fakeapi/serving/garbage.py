"""GarbageCollection: collects reference cycles so that no client waits for a scan of all objects.

All clients wait while Python's collector scans objects. Stored and cached objects are the most, and have no
cycles. With Python's own rule, the collector scans all objects again in the middle of a request, when their
number has grown by a quarter. A scan of a million objects can take a second.
"""

import asyncio
import gc
import sys
from collections.abc import Mapping
from time import thread_time

YOUNG_OBJECTS = 3_000
"""Number of new objects after which Python scans these new objects.

The objects that are still in use are then old. A scan takes about a millisecond.
"""

OLD_OBJECTS_MIN = 50_000
"""Minimum number of objects that become old between two scans of the old objects.

The number must also have grown by a quarter. The cycles among old objects use memory until the next scan:
dropped schemas of CustomResourceDefinitions are such cycles, and few objects of them use much memory.
"""

FORCED_OBJECTS_MIN = 100_000
"""Minimum number of objects that become old before a busy server scans without waiting for a quiet moment.

The number must also have doubled.
"""

QUIET_SECONDS = 0.05
"""Seconds between two checks whether the server is quiet, while a scan of the old objects is due."""

QUIET_SHARE = 0.1
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

    def start(self) -> None:
        """Replaces Python's rule for the rest of the process. All objects of this moment are old."""
        gc.freeze()
        self._known = gc.get_freeze_count()
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

        Python calls `_collected` at any depth of the stack, also at its limit. The objects of that scan
        are then young until the next scan of the old objects.
        """
        if unraisable.exc_type is not RecursionError or unraisable.object != self._collected:
            sys.__unraisablehook__(unraisable)

    @property
    def _limit(self) -> int:
        """The number of new old objects at which a scan of the old objects is due.

        The first count contains objects that are gone again. Counting a million objects takes 40 ms, a fifth
        of the time of a scan.
        """
        return max(OLD_OBJECTS_MIN, self._known // 4)

    @property
    def _forced_limit(self) -> int:
        """The number of new old objects at which a busy server scans, too."""
        return max(FORCED_OBJECTS_MIN, self._known)

    def _collected(self, phase: str, _: Mapping[str, int]) -> None:
        """Makes the young objects old after each scan. Python calls this method in any thread."""
        if phase != "stop":
            return
        gc.freeze()
        self._new += YOUNG_OBJECTS
        if self._new >= self._limit and not self._is_due and not self._loop.is_closed():
            self._is_due = True
            self._loop.call_soon_threadsafe(self._wait)

    def _wait(self) -> None:
        """Waits for the next check whether the server is quiet."""
        self._used = thread_time()
        self._loop.call_later(QUIET_SECONDS, self._check)

    def _check(self) -> None:
        is_quiet = thread_time() - self._used < QUIET_SECONDS * QUIET_SHARE
        limit = self._limit if is_quiet else self._forced_limit
        if self._new < limit:
            self._wait()
            return
        self._new = gc.get_freeze_count() - self._known  # most new objects may be gone again
        if self._new >= limit:
            self.scan_old_objects()
        elif self._new >= self._limit:
            self._wait()
        else:
            self._is_due = False

    def scan_old_objects(self) -> None:
        """Frees the cycles among all objects. All clients wait meanwhile."""
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        self._known, self._new, self._is_due = gc.get_freeze_count(), 0, False
