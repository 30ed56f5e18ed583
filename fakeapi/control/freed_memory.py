"""Returns freed memory to the operating system.

glibc keeps freed memory that lies below used memory. For example, after 300 claims of 290 KB were created and
deleted, the process kept over 100 MB until `malloc_trim` returned whole pages, in 14 ms.
"""

import asyncio
import ctypes
import sys
from functools import cache
from typing import Any


async def return_freed_memory() -> None:
    """Calls glibc's `malloc_trim` in a thread. Does nothing on systems without `malloc_trim`."""
    trim = _malloc_trim()
    if trim is not None:
        await asyncio.to_thread(trim, 0)


@cache
def _malloc_trim() -> Any:
    """Returns glibc's function `malloc_trim`; None on systems without it."""
    return getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
