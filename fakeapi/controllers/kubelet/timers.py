"""Timers: calls functions after delays of the server's clock, through the kubelet's work queue."""

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field

from fakeapi.controllers.controller import ControllerContext
from fakeapi.controllers.kubelet.keys import TimerKey


@dataclass(order=True, slots=True)
class Timer:
    """A pending call. `due`: the monotonic time of the server's clock."""

    due: float
    number: int
    callback: Callable[[], None] | None = field(compare=False)

    def cancel(self) -> None:
        self.callback = None


class Timers:
    """The timers of all nodes. All timers share one delayed key of the work queue."""

    def __init__(self, context: ControllerContext) -> None:
        self._context = context
        self._heap: list[Timer] = []
        self._number = 0

    def after(self, seconds: float, callback: Callable[[], None]) -> Timer:
        """Calls a function after a number of seconds. The method `cancel` of the returned timer prevents the
        call.
        """
        self._number += 1
        timer = Timer(self._context.clock.monotonic() + max(seconds, 0.0), self._number, callback)
        self._drop_cancelled()
        heapq.heappush(self._heap, timer)
        if self._heap[0] is timer:
            self._arm()
        return timer

    def fire(self) -> None:
        """Calls the functions of all due timers, in the order of their times."""
        now = self._context.clock.monotonic()
        while self._heap and self._heap[0].due <= now:
            callback = heapq.heappop(self._heap).callback
            if callback is not None:
                callback()
        self._drop_cancelled()
        self._arm()

    def _arm(self) -> None:
        if self._heap:
            left = self._heap[0].due - self._context.clock.monotonic()
            if left > 0:
                self._context.add_after(TimerKey(), left)
            else:
                self._context.add(TimerKey())

    def _drop_cancelled(self) -> None:
        while self._heap and self._heap[0].callback is None:
            heapq.heappop(self._heap)
        if sum(timer.callback is None for timer in self._heap[:16]) > 8:
            self._heap = [timer for timer in self._heap if timer.callback is not None]
            heapq.heapify(self._heap)
