"""Runs the steps of a write that take long in a thread, while other clients are served.

A step takes long over many bytes, which is known before, or by the CEL expressions that it evaluates, which
is found out. Python's threads share one interpreter, which another thread gets after some milliseconds.
"""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

from fakeapi.machinery.cel.allowance import AT_ONCE_UNITS, Allowance, AllowanceSpent

Result = TypeVar("Result")

HEAVY_BYTES = 128 * 1024
"""Bytes of a body, and of the stored object that it changes, from which on a step runs in a thread.

Python decodes and validates some megabytes in a second. Fewer bytes than these hold up others no longer than
a change of threads does.
"""

RunStep = Callable[[Callable[[], Result]], Awaitable[Result]]
"""Runs a synchronous step, at once or beside the event loop."""


BESIDE_UNITS = 20 * AT_ONCE_UNITS
"""Cost units of expressions up to which steps take turns with those over many bytes; costlier ones take turns
among themselves, as one may take ten seconds.
"""


class HeavySteps:
    """Runs heavy steps one after the other, so that the event loop shares the interpreter with two at most:
    one of half a second or so, and one whose expressions take longer.
    """

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._long_turn = asyncio.Lock()

    async def run(self, size: int, step: Callable[[], Result]) -> Result:
        """The result or the error of a synchronous step over so many bytes.

        Nothing is awaited where they are few, and expressions cost little. Else the state may change
        meanwhile; the step must not read it, nor change what others see or what it is given: where
        expressions turn out to cost much it is begun again.
        """
        if size <= HEAVY_BYTES:
            try:
                return self.at_once(step)
            except AllowanceSpent:
                pass
        return await self.beside(step)

    def at_once(self, step: Callable[[], Result]) -> Result:
        """The result or the error of a step on the event loop. Raises AllowanceSpent where its expressions
        cost much.
        """
        return _within(AT_ONCE_UNITS, step)

    async def beside(self, step: Callable[[], Result]) -> Result:
        """The result or the error of a step in a thread, which is begun again where its expressions cost
        very much.
        """
        try:
            return await _in_turn(self._turn, partial(_within, BESIDE_UNITS, step))
        except AllowanceSpent:
            return await _in_turn(self._long_turn, step)


async def _in_turn(turn: asyncio.Lock, step: Callable[[], Result]) -> Result:
    """Runs a step in a thread. Whoever is cancelled leaves the thread at work, and its turn lasts until it
    ends.
    """
    await turn.acquire()
    thread = asyncio.ensure_future(asyncio.to_thread(step))
    thread.add_done_callback(lambda _: turn.release())
    return await asyncio.shield(thread)


def _within(units: int, step: Callable[[], Result]) -> Result:
    with Allowance(units):
        return step()
