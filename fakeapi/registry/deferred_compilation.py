"""Compiles the many CEL expressions of a large object in a thread, while other clients are served."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from fakeapi.machinery.cel.deferred import Deferral

Result = TypeVar("Result")


async def with_expressions_compiled(step: Callable[[], Result]) -> Result:
    """The result of a synchronous step that validates, or its error.

    Usually the step runs once, and nothing is awaited. Where it has put expressions off, they are compiled
    one by one in a thread, and it runs again; so it must change nothing that it is given.
    """
    deferral = Deferral()
    while True:
        try:
            with deferral.running():
                result = step()
        except Exception:
            if not deferral.is_pending:
                raise
        else:
            if not deferral.is_pending:
                return result
        while deferral.is_pending:
            await asyncio.to_thread(deferral.compile_next)
