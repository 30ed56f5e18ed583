"""Limits the search for the devices of one pod on all nodes, and lets other tasks run during the search."""

from collections.abc import Callable
from functools import partial
from time import thread_time
from typing import TypeVar

from fakeapi.controllers.allocation.model import SearchTooLong
from fakeapi.registry.offloading.heavy_steps import HeavySteps
from fakeapi.registry.offloading.turns import Turns

TRIES_MAX = 100_000
"""Maximum number of devices that one scheduling attempt may try after its first backtracking.

Trying them takes about half a second. Without a limit, the number of combinations doubles with each device.
Kubernetes limits the time instead: ten seconds per node since 1.34 (DRASchedulerFilterTimeout), and no limit
before.
"""

SECONDS_MAX = 2.0
"""Maximum CPU seconds that one scheduling attempt may spend on expensive CEL selectors.

The cost limit of CEL allows almost half a second for one evaluation.
"""

FREE_SECONDS = 0.0002
"""CPU seconds of each selector evaluation that do not count against `SECONDS_MAX`.

Cheap selectors need no limit of their own: the numbers of devices and requests limit their evaluations.
"""

Result = TypeVar("Result")


class Effort(Turns):
    """The remaining effort of one scheduling attempt: the number of devices to try, and CPU seconds.

    The search on each node may spend half of the remaining effort. So a very long search on one node leaves
    some effort for all other nodes.
    """

    def __init__(self, heavy: HeavySteps) -> None:
        """Starts with the full limits. `heavy`: runs expensive evaluations in a thread."""
        super().__init__()
        self._heavy = heavy
        self.tries = TRIES_MAX
        self.seconds = SECONDS_MAX
        self.gave_up = False
        """Whether the search for devices was stopped at its limit on any node."""

    def restart(self, tries: int, *, gave_up: bool) -> None:
        """Restores the values of `tries` and `gave_up` from before a search, to repeat the search.

        The pods of a gang share one Effort, so the search for an earlier pod can already have given up.
        """
        self.tries = tries
        self.gave_up = gave_up

    async def run(self, step: Callable[[], Result]) -> tuple[Result, float]:
        """Calls `step`, a function that evaluates CEL selectors.

        Returns (result, CPU seconds above FREE_SECONDS). Calls an expensive `step` a second time in a thread.
        Passes on the exceptions of `step`.
        """
        seconds: list[float] = []
        result = await self._heavy.run(0, partial(_timed, step, seconds))
        await self.give_turn_if_over()
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
        """Counts one device that the search tries. Returns whether the caller must await `give_turn`.

        `counts`: whether the device counts against the limit. Only devices after the first backtracking
        count. Raises SearchTooLong if the limit is reached.
        """
        if counts:
            self._tries_left -= 1
            self._whole.tries -= 1
            if self._tries_left < 0:
                self._give_up()
        return self._whole.turn_is_over

    async def give_turn(self) -> None:
        """Lets the event loop run other tasks, and starts a new interval of TURN_SECONDS."""
        await self._whole.give_turn()

    async def evaluate(self, step: Callable[[], Result]) -> Result:
        """Calls `step`, a function that evaluates CEL selectors, and returns its result.

        Raises SearchTooLong if the search on this node has no CPU time left. Passes on the exceptions of
        `step`.
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
