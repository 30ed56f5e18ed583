"""Runs the long steps of a write in a thread, while the event loop serves other clients.

A step is a function that does a part of a request. A step is long if it handles many bytes or evaluates
expensive CEL expressions. The number of bytes is known before the step runs; the cost of CEL expressions is
not. Python's threads share one interpreter and take turns every few milliseconds.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from fakeapi.machinery.cel.allowance import Allowance, AllowanceSpent
from fakeapi.machinery.cel.limits import EVENT_LOOP_COST_MAX, THREAD_COST_MAX

Result = TypeVar("Result")

HEAVY_BYTES = 128 * 1024
"""Maximum size in bytes for a step on the event loop: the request body plus the stored object.

Python decodes and validates some megabytes per second. So a step below this size delays other requests no
longer than Python's switch between threads.
"""


class HeavySteps:
    """Runs long steps in threads, from two queues. Each queue runs one step at a time.

    So at most two steps compete with the event loop for the interpreter. The second queue is only for steps
    that evaluate expensive CEL expressions.
    """

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._long_turn = asyncio.Lock()

    async def run(self, size: int, step: Callable[[], Result]) -> Result:
        """Runs a synchronous step over `size` bytes; returns its result or raises its error.

        A step over at most HEAVY_BYTES runs on the event loop, without an await. If its CEL expressions are
        expensive, the step starts again in a thread. A larger step runs in a thread. A step must not read the
        server's data, and must not change shared data or its arguments.
        """
        if size <= HEAVY_BYTES:
            try:
                return self.on_event_loop(step)
            except AllowanceSpent:
                pass
        return await self.in_thread(step)

    def on_event_loop(self, step: Callable[[], Result]) -> Result:
        """Runs a step on the event loop; returns its result or raises its error.

        Raises AllowanceSpent if the step needs more than EVENT_LOOP_COST_MAX CEL cost units.
        """
        return _within(EVENT_LOOP_COST_MAX, step)

    async def in_thread(self, step: Callable[[], Result]) -> Result:
        """Runs a step in a thread; returns its result or raises its error.

        A step that needs more than THREAD_COST_MAX CEL cost units starts again in the queue for expensive
        steps.
        """
        try:
            return await _in_turn(self._turn, partial(_within, THREAD_COST_MAX, step))
        except AllowanceSpent:
            return await _in_turn(self._long_turn, step)


async def _in_turn(turn: asyncio.Lock, step: Callable[[], Result]) -> Result:
    """Runs a step in a thread that holds the lock `turn`. Steps with the same lock run one by one.

    If the caller is cancelled, the thread continues and holds the lock until the step ends.
    """
    await turn.acquire()
    thread = asyncio.ensure_future(asyncio.to_thread(step))
    thread.add_done_callback(lambda _: turn.release())
    return await asyncio.shield(thread)


def _within(units: int, step: Callable[[], Result]) -> Result:
    with Allowance(units):
        return step()
