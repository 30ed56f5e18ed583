"""Functions that wait until the server's clock reaches a time."""

import asyncio

from fakeapi.asgi import Receive, until_disconnected
from fakeapi.clock.clocks import Clock

NEVER = float("inf")


async def pause(clock: Clock, until: float, over: asyncio.Event | None = None) -> None:
    """Waits until the clock's monotonic time reaches `until`, or until the event `over` is set.

    If `until` is NEVER, waits only for the event.
    """
    over = over or asyncio.Event()
    if until == NEVER:
        await over.wait()
        return
    try:
        async with clock.timeout(until - clock.monotonic()):
            await over.wait()
    except TimeoutError:
        return


async def pause_for_client(clock: Clock, until: float, receive: Receive) -> bool:
    """Waits until the clock's monotonic time reaches `until`, or until the client disconnects.

    Returns whether the client is still connected. Drops all data that the client sends during the wait.
    """
    left = asyncio.Event()

    async def listen() -> None:
        await until_disconnected(receive)
        left.set()

    listening = asyncio.ensure_future(listen())
    try:
        await pause(clock, until, left)
    finally:
        listening.cancel()
    return not left.is_set()
