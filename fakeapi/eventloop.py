"""Selects the event loop of servers and replays: uvloop if it is installed, otherwise asyncio's default."""

import asyncio
from collections.abc import Callable
from functools import cache
from importlib import import_module


@cache
def loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Returns the `loop_factory` argument for `asyncio.Runner`: uvloop's factory, or None without uvloop.

    The extra `fast` installs uvloop. Transports of uvloop do not inherit from `asyncio.Transport`: check for
    their methods, not for the class.
    """
    try:
        factory: Callable[[], asyncio.AbstractEventLoop] = import_module("uvloop").new_event_loop
    except ImportError:
        return None
    return factory
