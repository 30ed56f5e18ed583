"""ReplayControl: pauses, steps and stops a replay, also from another thread."""

import asyncio
import threading
import time


class ReplayControl:
    """Pauses, steps and stops one replay. Its methods are thread-safe."""

    def __init__(self, *, stepping: bool = False, pause_at: float | None = None) -> None:
        """Sets whether and when the replay pauses.

        - `stepping`: whether the replay waits for `step` before each exchange.
        - `pause_at`: where the replay pauses, in seconds from the start of the trace; None for no pause.
        """
        self._lock = threading.Lock()
        self._is_paused = stepping
        self._pause_at = pause_at
        self._steps = 0
        self._stopped = False
        self._wakers: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []
        self.paused = 0.0
        """The number of seconds that the replay has been paused in total."""
        self.offset = 0.0
        """The position of the replay, in seconds from the start of the trace.

        This is the start of the exchange that waits to be sent, or that was sent last.
        """

    @property
    def is_paused(self) -> bool:
        return self._is_paused

    def pause(self) -> None:
        """Pauses the replay before its next exchange."""
        with self._lock:
            self._is_paused, self._steps = True, 0

    def resume(self) -> None:
        """Continues a paused replay."""
        with self._lock:
            self._is_paused, self._steps = False, 0
        self._wake()

    def step(self, count: int = 1) -> None:
        """Lets the replay send `count` more exchanges, and then pauses the replay again."""
        with self._lock:
            self._is_paused = True
            self._steps += count
        self._wake()

    def stop(self) -> None:
        """Ends the replay. Its report contains the exchanges so far."""
        with self._lock:
            self._stopped = True
        self._wake()

    def _wake(self) -> None:
        with self._lock:
            wakers = list(self._wakers)
        for loop, event in wakers:
            loop.call_soon_threadsafe(event.set)

    async def passed(self, offset: float) -> bool:
        """Waits while the replay is paused. Returns False if the replay must end.

        `offset`: the recorded start of the next exchange, in seconds from the start of the trace.
        """
        self.offset = offset
        if self._pause_at is not None and offset >= self._pause_at:
            self._pause_at = None
            self.pause()
        if not (self._is_paused or self._stopped):
            return True
        waker = (asyncio.get_running_loop(), asyncio.Event())
        with self._lock:
            self._wakers.append(waker)
        began = time.monotonic()
        try:
            while not self._may_pass():
                await waker[1].wait()
                waker[1].clear()
        finally:
            self.paused += time.monotonic() - began
            with self._lock:
                self._wakers.remove(waker)
        return not self._stopped

    def _may_pass(self) -> bool:
        with self._lock:
            if self._stopped or not self._is_paused:
                return True
            if self._steps:
                self._steps -= 1
                return True
            return False
