"""KeyedWork: runs background tasks by key, at most one task per key at a time."""

import logging
from collections.abc import Callable, Coroutine
from typing import Any

from fakeapi.clients.errors import StatusError
from fakeapi.controllers.controller import ControllerContext
from fakeapi.controllers.kubelet.keys import Key
from fakeapi.controllers.work import retry_seconds
from fakeapi.machinery.printable import printable_line

log = logging.getLogger("fakeapi.controllers")


class KeyedWork:
    """Runs one background task per key. The tasks of different keys run concurrently.

    A failed key is retried with increasing delays, like keys of the controllers' work queue.
    """

    def __init__(self, context: ControllerContext) -> None:
        self._context = context
        self._busy: set[Key] = set()
        self._again: set[Key] = set()
        self._failures: dict[Key, int] = {}

    def spawn(self, key: Key, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Runs a task for a key in the background.

        If an earlier task of this key is still running, queues the key again after that task.
        """
        if key in self._busy:
            self._again.add(key)
            return
        self._busy.add(key)
        self._context.spawn(self._guarded(key, work))

    def forget(self, key: Key) -> None:
        """Drops the failure count of a key whose object no longer exists."""
        self._failures.pop(key, None)

    async def _guarded(self, key: Key, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        try:
            await work()
        except StatusError as problem:
            log.warning("%s: %s: %s", self._context.name, printable_line(key), printable_line(problem))
            self._retry(key)
        except Exception:
            log.exception("%s: unexpected error at %s", self._context.name, printable_line(key))
            self._retry(key)
        else:
            self._failures.pop(key, None)
        finally:
            self._busy.discard(key)
            if key in self._again:
                self._again.discard(key)
                self._context.add(key)

    def _retry(self, key: Key) -> None:
        failures = self._failures.get(key, 0)
        self._failures[key] = failures + 1
        self._context.add_after(key, retry_seconds(failures))
