"""Runs the steps of a write that work on many bytes in a thread, while other clients are served."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

Result = TypeVar("Result")

HEAVY_BYTES = 128 * 1024
"""Bytes of a body, and of the stored object that it changes, from which on a step runs in a thread.

Python decodes and validates some megabytes in a second. Fewer bytes than these hold up others no longer than
a change of threads does.
"""

RunStep = Callable[[Callable[[], Result]], Awaitable[Result]]
"""Runs a synchronous step, at once or beside the event loop."""


class HeavySteps:
    """Runs heavy steps one after the other, so that the event loop shares the interpreter with one alone."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()

    async def run(self, size: int, step: Callable[[], Result]) -> Result:
        """The result or the error of a synchronous step over so many bytes.

        Nothing is awaited where they are few. Where they are many the state may change meanwhile; the step
        must not read it, nor change what others see.
        """
        if size <= HEAVY_BYTES:
            return step()
        async with self._turn:
            return await asyncio.to_thread(step)
