"""Runs a step of a request again, after asynchronous work that the step needs.

A step is a synchronous function that reads, validates or encodes an object. A step cannot await a conversion
webhook, and must not compile hundreds of CEL expressions on the event loop. A step that needs such work
raises `Rerun`. The caller awaits the work, and then starts the step again. Therefore a step must not change
its arguments.
"""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

from fakeapi.machinery.cel.deferred import Deferral

Result = TypeVar("Result")


class Rerun(Exception):
    """Raised by a step that must run again after asynchronous work, such as a webhook call.

    The caller awaits `work` and then runs the step again. `work` may raise ApiError.
    """

    def __init__(self, work: Callable[[], Awaitable[None]]) -> None:
        super().__init__("the step has to run again")
        self.work = work


async def completed(step: Callable[[], Result]) -> Result:
    """Runs a step on the event loop, and again after each Rerun; returns its result or raises its error."""
    while True:
        try:
            return step()
        except Rerun as rerun:
            await rerun.work()


async def completed_by(run: Callable[[], Awaitable[Result]]) -> Result:
    """Awaits `run()`, and awaits it again after each Rerun. Returns its result or raises its error."""
    while True:
        try:
            return await run()
        except Rerun as rerun:
            await rerun.work()


def compiling(step: Callable[[], Result]) -> Callable[[], Result]:
    """Wraps a step so that a thread compiles the CEL expressions over the limit of `Deferral`.

    The wrapped step raises Rerun if it deferred expressions. The `work` of this Rerun compiles these
    expressions one by one in a thread.
    """
    deferral = Deferral()

    def compiled() -> Result:
        try:
            result = deferral.run(step)
        except Exception:
            if not deferral.is_pending:
                raise
        else:
            if not deferral.is_pending:
                return result
        raise Rerun(partial(_compile_pending, deferral))

    return compiled


async def _compile_pending(deferral: Deferral) -> None:
    while deferral.is_pending:
        await asyncio.to_thread(deferral.compile_next)
