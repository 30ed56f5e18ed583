"""Limits the search for devices of one pod on all nodes, and lets other tasks run meanwhile."""

import asyncio
from collections.abc import Callable
from functools import partial
from time import perf_counter, thread_time
from typing import TypeVar

from fakeapi.controllers.allocation.model import SearchTooLong
from fakeapi.registry.offloading.heavy_steps import HeavySteps

TRIES_MAX = 100_000
"""Maximum number of devices that one scheduling attempt may try after its first backtracking.

These tries take about half a second. The number of combinations doubles with each device. Upstream stops
after ten seconds on a node (DRASchedulerFilterTimeout); before 1.34 it never stops.
"""

SECONDS_MAX = 2.0
"""Maximum CPU seconds that one scheduling attempt may spend on expensive selectors.

The cost limit of CEL allows almost half a second for one evaluation.
"""

FREE_SECONDS = 0.0002
"""CPU seconds of each evaluation that do not count against `SECONDS_MAX`.

Cheap selectors need no limit of their own: devices and requests limit how often they run.
"""

TURN_SECONDS = 0.002
"""Seconds after which a scheduling attempt lets the event loop run other tasks.

The interval is short because one API request needs several turns of the loop.
"""

Result = TypeVar("Result")


class Effort:
    """The devices and CPU seconds that one scheduling attempt may still spend.

    The search on each node may spend half of the rest. So a very long search on one node leaves some effort
    for
    all other nodes, and the total is limited.
    """

    def __init__(self, heavy: HeavySteps) -> None:
        """Starts with the full limits. `heavy` runs expensive steps in a thread."""
        self._heavy = heavy
        self._turn_ends = perf_counter() + TURN_SECONDS
        self.tries = TRIES_MAX
        self.seconds = SECONDS_MAX
        self.gave_up = False
        """Whether the search on any node was stopped at its limit."""

    @property
    def turn_is_over(self) -> bool:
        """Whether the caller must await `give_turn` before it continues."""
        return perf_counter() >= self._turn_ends

    async def give_turn(self) -> None:
        """Lets the event loop run other tasks."""
        await asyncio.sleep(0)
        self._turn_ends = perf_counter() + TURN_SECONDS

    async def run(self, step: Callable[[], Result]) -> tuple[Result, float]:
        """Runs a step that evaluates selectors. Returns its result, and its CPU seconds above FREE_SECONDS.

        Raises the exception of the step. An expensive step starts again in a thread.
        """
        seconds: list[float] = []
        result = await self._heavy.run(0, partial(_timed, step, seconds))
        if self.turn_is_over:
            await self.give_turn()
        return result, max(sum(seconds) - FREE_SECONDS, 0.0)

    def on_node(self) -> "NodeEffort":
        """Returns a NodeEffort with half of the remaining effort, for the search on the next node."""
        return NodeEffort(self)


class NodeEffort:
    """Limits the search on one node to half of the effort that its scheduling attempt has left."""

    def __init__(self, whole: Effort) -> None:
        self._whole = whole
        self._tries_left = whole.tries // 2
        self._seconds_left = whole.seconds / 2

    def step(self, *, counts: bool) -> bool:
        """Counts one step of a search; returns whether the caller must await `give_turn`.

        `counts`: whether the step counts against the limit. Steps count after the first backtracking. Raises
        SearchTooLong at the limit.
        """
        if counts:
            self._tries_left -= 1
            self._whole.tries -= 1
            if self._tries_left < 0:
                self._give_up()
        return self._whole.turn_is_over

    async def give_turn(self) -> None:
        """Lets the event loop run other tasks."""
        await self._whole.give_turn()

    async def evaluate(self, step: Callable[[], Result]) -> Result:
        """Runs a step that evaluates selectors, and returns its result.

        Raises SearchTooLong if no CPU time is left.
        """
        if self._seconds_left < 0:
            self._give_up()
        result, seconds = await self._whole.run(step)
        self._seconds_left -= seconds
        self._whole.seconds -= seconds
        return result

    def _give_up(self) -> None:
        self._whole.gave_up = True
        raise SearchTooLong


def _timed(step: Callable[[], Result], seconds: list[float]) -> Result:
    began = thread_time()
    try:
        return step()
    finally:
        seconds.append(thread_time() - began)
