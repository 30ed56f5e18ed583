"""Waiting by the server's clock."""

import asyncio

from fakeapi.asgi import Receive
from fakeapi.clock.clocks import Clock

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


async def pause_for_client(clock: Clock, until: float, receive: Receive) -> bool:
    """As `pause`, and over when the client leaves; whether it is still there. Drops what it still sends."""
    left = asyncio.Event()
    listening = asyncio.ensure_future(_until_gone(receive, left))
    try:
        await pause(clock, until, left)
    finally:
        listening.cancel()
    return not left.is_set()


async def _until_gone(receive: Receive, left: asyncio.Event) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    left.set()
