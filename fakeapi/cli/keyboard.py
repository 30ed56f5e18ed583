"""Reads keys from the terminal that pause, step and stop a replay."""

import contextlib
import os
import select
import sys
import threading
from collections.abc import Iterator
from typing import TextIO

from fakeapi.traces.replay.pacing import ReplayControl

HELP = "space: pause or resume · n: next exchange · q: stop"


@contextlib.contextmanager
def keys(control: ReplayControl, stream: TextIO | None = None) -> Iterator[bool]:
    """Listens for keys during the block if the stream is a terminal; yields whether it does."""
    stream = stream or sys.stdin
    if os.name != "posix" or not stream.isatty():
        yield False
        return
    import termios  # noqa: PLC0415 - exists on POSIX alone
    import tty  # noqa: PLC0415 - the same

    descriptor = stream.fileno()
    before = termios.tcgetattr(descriptor)
    over, wake = os.pipe()
    listener = threading.Thread(target=_listen, args=(control, descriptor, over), daemon=True)
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


def _listen(control: ReplayControl, descriptor: int, over: int) -> None:
    while True:
        ready, _, _ = select.select([descriptor, over], [], [])
        if over in ready:
            return
        pressed = os.read(descriptor, 1)
        if not pressed:
            return
        obey(control, pressed)


def obey(control: ReplayControl, pressed: bytes) -> None:
    """Acts on a key; other keys are ignored."""
    if pressed == b" ":
        if control.is_paused:
            control.resume()
        else:
            control.pause()
    elif pressed in {b"n", b"\n"}:
        control.step()
    elif pressed == b"q":
        control.stop()
