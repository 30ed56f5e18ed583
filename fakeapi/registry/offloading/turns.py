"""Turns: lets other tasks of the event loop run during long work."""

import asyncio
from time import perf_counter

TURN_SECONDS = 0.002
"""Seconds after which a scheduling attempt, an explanation or a list lets the event loop run other tasks.

The interval is short, because one API request needs several turns of the event loop.
"""


class Turns:
    """Lets other tasks of the event loop run while one task works for a long time."""

    def __init__(self) -> None:
        """Starts an interval of TURN_SECONDS."""
        self._turn_ends = perf_counter() + TURN_SECONDS

    @property
    def turn_is_over(self) -> bool:
        """Whether the caller must await `give_turn` before it continues, so that other tasks can run."""
        return perf_counter() >= self._turn_ends

    async def give_turn(self) -> None:
        """Lets the event loop run other tasks, and starts a new interval of TURN_SECONDS."""
        await asyncio.sleep(0)
        self._turn_ends = perf_counter() + TURN_SECONDS

    async def give_turn_if_over(self) -> None:
        """Lets the event loop run other tasks if the interval has ended. Call it after each small step."""
        if self.turn_is_over:
            await self.give_turn()
