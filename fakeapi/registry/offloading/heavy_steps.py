"""Runs the long steps of a write in a thread, while the event loop serves other clients.

A step is long if it handles many bytes or evaluates expensive CEL expressions. The number of bytes is known
before the step runs, the cost of its expressions is not. Python's threads share one interpreter and take
turns after some milliseconds.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from fakeapi.machinery.cel.allowance import Allowance, AllowanceSpent
from fakeapi.machinery.cel.limits import EVENT_LOOP_COST_MAX, THREAD_COST_MAX

Result = TypeVar("Result")

HEAVY_BYTES = 128 * 1024
"""Maximum bytes of body and stored object together for which a step runs on the event loop.

Python decodes and validates some megabytes per second. A step over fewer bytes delays other requests no
longer than a switch of threads.
"""


class HeavySteps:
    """Runs long steps in threads, in two queues with one step at a time in each.

    At most two steps then share the interpreter with the event loop: one of about half a second, and one with
    expensive CEL expressions.
    """

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._long_turn = asyncio.Lock()

    async def run(self, size: int, step: Callable[[], Result]) -> Result:
        """Runs a synchronous step over `size` bytes; returns its result or raises its error.

        A step over few bytes runs on the event loop, without an await. It starts again in a thread if its CEL
        expressions turn out to be expensive. A step over many bytes runs in a thread. A step must not read
        the server's state, and must not change shared data or its arguments.
        """
        if size <= HEAVY_BYTES:
            try:
                return self.on_event_loop(step)
            except AllowanceSpent:
                pass
        return await self.in_thread(step)

    def on_event_loop(self, step: Callable[[], Result]) -> Result:
        """Runs a step on the event loop; returns its result or raises its error.

        Raises AllowanceSpent if the CEL expressions of the step cost more than EVENT_LOOP_COST_MAX.
        """
        return _within(EVENT_LOOP_COST_MAX, step)

    async def in_thread(self, step: Callable[[], Result]) -> Result:
        """Runs a step in a thread; returns its result or raises its error.

        A step whose CEL expressions cost more than THREAD_COST_MAX starts again in the queue for long steps.
        """
        try:
            return await _in_turn(self._turn, partial(_within, THREAD_COST_MAX, step))
        except AllowanceSpent:
            return await _in_turn(self._long_turn, step)


async def _in_turn(turn: asyncio.Lock, step: Callable[[], Result]) -> Result:
    """Runs a step in a thread while it holds the lock `turn`.

    If the caller is cancelled, the thread continues and holds the lock until the step ends.
    """
    await turn.acquire()
    thread = asyncio.ensure_future(asyncio.to_thread(step))
    thread.add_done_callback(lambda _: turn.release())
    return await asyncio.shield(thread)


def _within(units: int, step: Callable[[], Result]) -> Result:
    with Allowance(units):
        return step()
