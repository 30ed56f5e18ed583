"""ExplanationQueue: computes explanations one after the other, and only for connected clients."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from fakeapi.asgi import ClientGone, Gone
from fakeapi.control.errors import refused
from fakeapi.explaining.explanation import Explanation

EXPLANATIONS_MAX = 1
"""Maximum number of explanations that a server computes at once.

Further requests wait, in their order. An explanation lets other requests run after every few milliseconds.
With several explanations, other requests would wait several times as long, and no explanation would be ready
sooner, because all of them share one thread.
"""

WAITING_MAX = 100
"""Maximum number of requests that wait for an explanation; a further request gets 429."""


class ExplanationQueue:
    """The requests for explanations of one server, in their order."""

    def __init__(self) -> None:
        self._turn = asyncio.Semaphore(EXPLANATIONS_MAX)
        self._requests = 0

    async def run(self, explain: Callable[[], Awaitable[Explanation]], gone: Gone | None) -> Explanation:
        """Awaits `explain()` when it is the turn of this request, and returns the result or raises its error.

        `gone`: the function of the ASGI server that reports a disconnect; None to ignore a disconnect.

        Raises ClientGone if the client disconnects before the explanation is ready: the computation ends at
        its next step. Raises ApiError 429 if WAITING_MAX requests already wait.
        """
        if self._requests >= EXPLANATIONS_MAX + WAITING_MAX:
            raise refused(429, f"{WAITING_MAX} other requests already wait for an explanation; try again")
        self._requests += 1
        try:
            return await _while_connected(self._in_turn(explain), gone)
        finally:
            self._requests -= 1

    async def _in_turn(self, explain: Callable[[], Awaitable[Explanation]]) -> Explanation:
        async with self._turn:
            return await explain()


async def _while_connected(work: Coroutine[Any, Any, Explanation], gone: Gone | None) -> Explanation:
    """Awaits `work` and returns its result. Cancels it and raises ClientGone if the client disconnects."""
    if gone is None:
        return await work
    left, task = gone(), asyncio.ensure_future(work)

    def cancel(_: object) -> None:
        task.cancel()

    left.add_done_callback(cancel)
    try:
        return await task
    except asyncio.CancelledError:
        if left.done():
            raise ClientGone from None
        raise
    finally:
        left.remove_done_callback(cancel)
