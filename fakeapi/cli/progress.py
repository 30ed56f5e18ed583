"""How far a replay is: a line that is written over on a terminal, lines now and then elsewhere."""

import time
from typing import TextIO

from fakeapi.traces.replay.replay import Progress

TERMINAL_SECONDS = 0.1
"""Between two looks of the line on a terminal."""

PLAIN_SECONDS = 5.0
"""Between two lines elsewhere."""

_WIDTH = 24
_CLEAR = "\r\x1b[2K"


class ProgressLine:
    """Writes to a stream, which is asked whether it is a terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._terminal = stream.isatty()
        self._every = TERMINAL_SECONDS if self._terminal else PLAIN_SECONDS
        self._next = time.monotonic() + (0 if self._terminal else PLAIN_SECONDS)
        self._shown = False

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + self._every
        self._shown = True
        text = describe(progress, now - progress.began)
        self._stream.write(f"{_CLEAR}{bar(progress)} {text}" if self._terminal else f"{text}\n")
        self._stream.flush()

    def end(self) -> None:
        """Takes the line off a terminal."""
        if self._shown and self._terminal:
            self._stream.write(_CLEAR)
            self._stream.flush()


def bar(progress: Progress) -> str:
    filled = int(_WIDTH * progress.done / progress.total) if progress.total else 0
    return "█" * filled + "░" * (_WIDTH - filled)


def describe(progress: Progress, seconds: float) -> str:
    """How far, how fast and how much longer: "1200 of 5000 exchanges, 800/s, 5 s left, 2 diverge"."""
    rate = progress.done / seconds if seconds > 0 else 0.0
    left = (progress.total - progress.done) / rate if rate else None
    parts = [f"{progress.done} of {progress.total} exchanges", f"{rate:.0f}/s"]
    if left is not None:
        parts.append(f"{_span(left)} left")
    if progress.divergent:
        parts.append(f"{progress.divergent} diverge")
    return ", ".join(parts)


def _span(seconds: float) -> str:
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes}:{rest:02d} min" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02d} h"
