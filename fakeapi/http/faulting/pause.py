"""Waiting by the server's clock."""

import asyncio

from fakeapi.registry.clock import Clock

NEVER = float("inf")


async def pause(clock: Clock, until: float, over: asyncio.Event | None = None) -> None:
    """Returns when the clock's `monotonic` is at `until`, which may be NEVER, or once `over` is set."""
    over = over or asyncio.Event()
    if until == NEVER:
        await over.wait()
        return
    try:
        async with clock.timeout(until - clock.monotonic()):
            await over.wait()
    except TimeoutError:
        return
