"""Finds the code that uses fakeapi, so that a warning names a line of the test."""

import sys


def stack_level() -> int:
    """Returns the `stacklevel` for `warnings.warn` in the calling function.

    The warning then names the line of the code that uses fakeapi.
    """
    frame, level = sys._getframe(1), 1  # noqa: SLF001 - as the module warnings does
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).split(".")[0] == "fakeapi":
        frame, level = frame.f_back, level + 1
    return level
