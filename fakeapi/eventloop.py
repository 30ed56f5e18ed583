"""The event loop that servers and replays run in."""

import asyncio
from collections.abc import Callable
from importlib import import_module


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Uvloop's factory where the extra `fast` is installed, else None: asyncio's own. For `asyncio.Runner`.

    uvloop's transports are no `asyncio.Transport`; ask them for methods, never for their class.
    """
    try:
        factory: Callable[[], asyncio.AbstractEventLoop] = import_module("uvloop").new_event_loop
    except ImportError:
        return None
    return factory
