"""Tunes the Python interpreter of a process that only serves."""

import gc
import sys

_GARBAGE_THRESHOLDS = (10_000, 20, 10)
"""Arguments of `gc.set_threshold` for a process that only serves.

Requests create almost no reference cycles, and stored objects create none. With Python's defaults (700, 10,
10), the collector would scan all objects several times before their number doubles. All clients wait during
a scan.
"""

_SWITCH_SECONDS = 0.0005
"""Argument of `sys.setswitchinterval`: the seconds after which a busy thread lets the event loop run.

The event loop releases the interpreter lock for every read, write and accept. If another thread renders a
long list, each of these calls then waits for the lock. With Python's default of 5 ms, 200 new clients delayed
the other clients by a second.
"""


def tune_interpreter() -> None:
    """Tunes the garbage collector and the threads of Python for a process that only serves.

    Only commands call it: `FakeAPI` does not change the process of a test.
    """
    gc.freeze()  # imported modules are never freed; each scan of them would take 30 ms
    gc.set_threshold(*_GARBAGE_THRESHOLDS)
    sys.setswitchinterval(_SWITCH_SECONDS)
