"""Locks that let the server generate one long list at a time, and only for connected clients."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fakeapi.asgi import ClientGone, Gone


class Turn:
    """A lock that tasks acquire in the order in which they requested it.

    - `lists`: the number of long lists that the server is sending in parts.
    - `resumed`: the time of `time.perf_counter` when such a list last continued after other tasks ran.
    """

    def __init__(self) -> None:
        self.lists = 0
        self.resumed = 0.0
        self.is_held = False
        self._waiters: deque[asyncio.Future[bool]] = deque()

    @asynccontextmanager
    async def held(self, gone: Gone | None) -> AsyncIterator[None]:
        """Holds the lock during the block.

        Raises ClientGone if the client disconnects while its request waits for the lock. `gone`: the function
        of the ASGI server that reports the disconnect (see GONE in `fakeapi.asgi`); None to ignore a
        disconnect.
        """
        if self.is_held:
            await self._wait(gone)
        self.is_held = True
        try:
            yield
        finally:
            self._pass_on()

    async def _wait(self, gone: Gone | None) -> None:
        granted: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiters.append(granted)
        left = None if gone is None else gone()

        def give_up(_: object) -> None:
            if not granted.done():
                granted.set_result(False)

        if left is not None:
            left.add_done_callback(give_up)
        try:
            is_granted = await granted
        except asyncio.CancelledError:
            if granted.done() and not granted.cancelled() and granted.result():
                self._pass_on()
            raise
        finally:
            if left is not None:
                left.remove_done_callback(give_up)
        if not is_granted:
            raise ClientGone

    def _pass_on(self) -> None:
        while self._waiters:
            granted = self._waiters.popleft()
            if not granted.done():
                granted.set_result(True)
                return
        self.is_held = False


class Turns:
    """The two locks for long lists.

    `parts`: for lists that are sent in parts. `threads`: for lists that a thread renders.
    """

    def __init__(self) -> None:
        self.parts = Turn()
        self.threads = Turn()
