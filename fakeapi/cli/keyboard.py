"""Reads keys from the terminal while a command runs."""

import contextlib
import os
import select
import sys
import threading
from collections.abc import Callable, Iterator
from typing import TextIO

from fakeapi.traces.replay.pacing import ReplayControl

HELP = "space: pause or resume · n: next exchange · q: stop"


def keys(control: ReplayControl, stream: TextIO | None = None) -> contextlib.AbstractContextManager[bool]:
    """Returns a context manager that lets keys pause, step and stop a replay during its block.

    `stream`: the terminal; None for standard input. On a stream that is not a POSIX terminal, the value of
    the context manager is False and keys have no effect.
    """
    return listening(lambda pressed: handle_key(control, pressed), stream)


@contextlib.contextmanager
def listening(on_key: Callable[[bytes], None], stream: TextIO | None = None) -> Iterator[bool]:
    """Calls `on_key` in another thread for each key that the user presses during the block.

    `stream`: the terminal; None for standard input. On a stream that is not a POSIX terminal, the value of
    the context manager is False and keys have no effect.
    """
    stream = stream or sys.stdin
    if os.name != "posix" or not stream.isatty():
        yield False
        return
    import termios  # noqa: PLC0415 - exists only on POSIX
    import tty  # noqa: PLC0415 - exists only on POSIX

    descriptor = stream.fileno()
    before = termios.tcgetattr(descriptor)
    over, wake = os.pipe()
    listener = threading.Thread(target=_listen, args=(on_key, descriptor, over), daemon=True)
    try:
        tty.setcbreak(descriptor)
        listener.start()
        yield True
    finally:
        os.write(wake, b".")
        listener.join()
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
        os.close(over)
        os.close(wake)


def _listen(on_key: Callable[[bytes], None], descriptor: int, over: int) -> None:
    while True:
        ready, _, _ = select.select([descriptor, over], [], [])
        if over in ready:
            return
        pressed = os.read(descriptor, 1)
        if not pressed:
            return
        on_key(pressed)


def handle_key(control: ReplayControl, pressed: bytes) -> None:
    """Pauses or resumes (space), steps (n, Enter) or stops (q) a replay; ignores other keys."""
    if pressed == b" ":
        if control.is_paused:
            control.resume()
        else:
            control.pause()
    elif pressed in {b"n", b"\n"}:
        control.step()
    elif pressed == b"q":
        control.stop()
