"""Tunes the Python interpreter of a process that only serves."""

import asyncio
import sys

from fakeapi.serving.garbage import GarbageCollection

_SWITCH_SECONDS = 0.0005
"""Argument of `sys.setswitchinterval`: the seconds after which a busy thread lets the event loop run.

The event loop releases the interpreter lock for every read, write and accept. If another thread renders a
long list, each of these calls then waits for the lock. With Python's default of 5 ms, 200 new clients delayed
the other clients by a second.
"""


def tune_interpreter() -> None:
    """Tunes the garbage collector and the threads of Python for a process that only serves.

    Call this function in the event loop that serves. Only commands call this function, because `FakeAPI` does
    not change the process of a test.
    """
    GarbageCollection(asyncio.get_running_loop()).start()
    sys.setswitchinterval(_SWITCH_SECONDS)
