"""Selects the event loop of servers and replays: uvloop if it is installed, else asyncio's own."""

import asyncio
from collections.abc import Callable
from importlib import import_module


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Returns the `loop_factory` argument for `asyncio.Runner`.

    That is uvloop's factory if the extra `fast` is installed, else None for asyncio's own loop. Transports of
    uvloop do not inherit from `asyncio.Transport`: check for their methods, not for the class.
    """
    try:
        factory: Callable[[], asyncio.AbstractEventLoop] = import_module("uvloop").new_event_loop
    except ImportError:
        return None
    return factory
