"""KeyedWork: work in the background, one at a time for each key."""

from collections.abc import Callable, Coroutine
from typing import Any

from fakeapi.controllers.controller import ControllerContext


class KeyedWork:
    """Runs work beside other keys' work; a key that is busy is called again when its work has ended."""

    def __init__(self, context: ControllerContext, again: Callable[[str], None]) -> None:
        """`again` is called with a key that work was given for while some ran."""
        self._context = context
        self._call_again = again
        self._busy: set[str] = set()
        self._again: set[str] = set()

    def spawn(self, key: str, work: Coroutine[Any, Any, None]) -> None:
        """Runs work for a key, or drops it and has the key called again, if some runs already."""
        if key in self._busy:
            work.close()
            self._again.add(key)
            return
        self._busy.add(key)
        self._context.spawn(self._guarded(key, work))

    async def _guarded(self, key: str, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        finally:
            self._busy.discard(key)
            if key in self._again:
                self._again.discard(key)
                self._call_again(key)
