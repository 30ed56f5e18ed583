"""Shows the progress of a replay: a bar on a terminal, a line now and then elsewhere."""

import time
from typing import Any, TextIO

import click

from fakeapi.traces.replay.options import Progress

TERMINAL_SECONDS = 0.1
"""Between two updates of the bar on a terminal."""

PLAIN_SECONDS = 5.0
"""Between two lines elsewhere."""


class ProgressLine:
    """Called with the progress after each exchange; `end` is called after the last."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._terminal = stream.isatty()
        self._every = TERMINAL_SECONDS if self._terminal else PLAIN_SECONDS
        self._next = time.monotonic() + (0 if self._terminal else PLAIN_SECONDS)
        self._bar: Any = None

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + self._every
        if self._terminal:
            self._show_bar(progress)
        else:
            click.echo(describe(progress, now - progress.began), file=self._stream)

    def _show_bar(self, progress: Progress) -> None:
        if self._bar is None:
            self._bar = click.progressbar(
                length=progress.total, file=self._stream, show_pos=True, item_show_func=_divergent
            )
            self._bar.__enter__()
        self._bar.update(progress.done - self._bar.pos, progress)

    def end(self) -> None:
        """Ends the line of the bar."""
        if self._bar is not None:
            self._bar.render_finish()
            self._bar = None


def _divergent(progress: Progress | None) -> str | None:
    return f"{progress.divergent} diverge" if progress is not None and progress.divergent else None


def describe(progress: Progress, seconds: float) -> str:
    """Count, rate and remaining time: "1200 of 5000 exchanges, 800/s, 5 s left, 2 diverge"."""
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
