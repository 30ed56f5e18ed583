"""Compiles the many CEL expressions of a large object in a thread, while other clients are served."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from fakeapi.machinery.cel.deferred import Deferral
from fakeapi.registry.offloading.heavy_steps import RunStep

Result = TypeVar("Result")


async def on_event_loop(step: Callable[[], Result]) -> Result:
    """Runs a step on the event loop."""
    return step()


async def with_expressions_compiled(
    step: Callable[[], Result], run: RunStep[Result] = on_event_loop
) -> Result:
    """Runs a synchronous validation step by calling `run`; returns its result or raises its error.

    Usually the step runs once, without an await. If it needs CEL expressions that are not compiled, a thread
    compiles them one by one. Then the step runs again. The step must not change its arguments.
    """
    deferral = Deferral()
    validated = partial(deferral.run, step)
    while True:
        try:
            result = await run(validated)
        except Exception:
            if not deferral.is_pending:
                raise
        else:
            if not deferral.is_pending:
                return result
        while deferral.is_pending:
            await asyncio.to_thread(deferral.compile_next)
