"""The event loop of servers and replays."""

import asyncio
from collections.abc import Callable
from importlib import import_module


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Returns uvloop's factory if the extra `fast` is installed, else None for asyncio's own loop.

    For `asyncio.Runner`. uvloop's transports do not inherit from `asyncio.Transport`; check for methods, not
    for the class.
    """
    try:
        factory: Callable[[], asyncio.AbstractEventLoop] = import_module("uvloop").new_event_loop
    except ImportError:
        return None
    return factory
