"""Effort: bounds the search for the devices of one pod, over all nodes, and lets other work run meanwhile."""

import asyncio
from collections.abc import Callable
from functools import partial
from time import perf_counter, thread_time
from typing import TypeVar

from fakeapi.controllers.allocation.model import SearchTooLong
from fakeapi.registry.offloading.heavy_steps import HeavySteps

TRIES_MAX = 100_000
"""Number of devices that one scheduling attempt may try after a search gave a device back.

They take about half a second. The number of combinations doubles with each device. Upstream stops after ten
seconds on a node (DRASchedulerFilterTimeout), before 1.34 never."""

SECONDS_MAX = 2.0
"""CPU time of one scheduling attempt for expensive selectors. The cost limit of CEL allows one evaluation
almost half a second."""

FREE_SECONDS = 0.0002
"""CPU time of each evaluation that does not count. Only devices and requests multiply cheap selectors."""

TURN_SECONDS = 0.002
"""Time after which a scheduling attempt lets the event loop run other work. Requests need several turns."""

Result = TypeVar("Result")


class Effort:
    """The effort of one scheduling attempt. The search on each node may take half of what is left.

    So a node whose search explodes leaves something for all other nodes, and the sum has a bound.
    """

    def __init__(self, heavy: HeavySteps) -> None:
        """Steps that `heavy` considers expensive run in a thread."""
        self._heavy = heavy
        self._turn_ends = perf_counter() + TURN_SECONDS
        self.tries = TRIES_MAX
        self.seconds = SECONDS_MAX
        self.gave_up = False
        """Whether a search was given up at its bound."""

    @property
    def turn_is_over(self) -> bool:
        """Whether the caller must await `give_turn` before it goes on."""
        return perf_counter() >= self._turn_ends

    async def give_turn(self) -> None:
        """Lets the event loop run other work."""
        await asyncio.sleep(0)
        self._turn_ends = perf_counter() + TURN_SECONDS

    async def run(self, step: Callable[[], Result]) -> tuple[Result, float]:
        """The result of a step that evaluates selectors, and the CPU time that it took beyond FREE_SECONDS.

        Raises the exception of the step. An expensive step is begun again in a thread.
        """
        seconds: list[float] = []
        result = await self._heavy.run(0, partial(_timed, step, seconds))
        if self.turn_is_over:
            await self.give_turn()
        return result, max(sum(seconds) - FREE_SECONDS, 0.0)

    def on_node(self) -> "NodeEffort":
        """The effort of the search on the next node."""
        return NodeEffort(self)


class NodeEffort:
    """The effort of the search on one node."""

    def __init__(self, whole: Effort) -> None:
        self._whole = whole
        self._tries_left = whole.tries // 2
        self._seconds_left = whole.seconds / 2

    def step(self, *, counts: bool) -> bool:
        """Takes one step of a search; returns whether the caller must await `give_turn`.

        `counts`: the search has given a device back before. Raises SearchTooLong.
        """
        if counts:
            self._tries_left -= 1
            self._whole.tries -= 1
            if self._tries_left < 0:
                self._give_up()
        return self._whole.turn_is_over

    async def give_turn(self) -> None:
        """Lets the event loop run other work."""
        await self._whole.give_turn()

    async def evaluate(self, step: Callable[[], Result]) -> Result:
        """The result of a step that evaluates selectors. Raises SearchTooLong."""
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
