"""Progress displays for commands: a bar on a terminal, otherwise a line every few seconds."""

import sys
import threading
import time
from abc import ABC, abstractmethod
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TextIO

import click

from fakeapi.machinery.printable import printable_line

if TYPE_CHECKING:
    from fakeapi.traces.replay.options import Progress

SHOWN_AFTER_SECONDS = 0.5
"""Seconds until a progress bar appears; a faster command shows no bar."""

WAITING_AFTER_SECONDS = 1.0
"""Seconds until a spinner appears; a faster command shows no spinner."""

TERMINAL_SECONDS = 0.1
"""Minimum number of seconds between two updates of the bar on a terminal."""

PLAIN_SECONDS = 5.0
"""Minimum number of seconds between two lines if the output is not a terminal."""


class ProgressDisplay(ABC):
    """A display of progress. As a context manager, ends the display at the end of the block."""

    @abstractmethod
    def end(self) -> None:
        """Ends the display. Does nothing if the display has ended."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()


class Activity(ProgressDisplay):
    """Shows the progress of one activity, by default on standard error.

    Call the object with the number of finished items, the total (0 if unknown) and a remark. Draws a bar on a
    terminal; otherwise prints a line every PLAIN_SECONDS.
    """

    def __init__(
        self,
        title: str,
        unit: str,
        stream: TextIO | None = None,
        *,
        after: float = SHOWN_AFTER_SECONDS,
        stays: bool = False,
    ) -> None:
        """Starts to measure the time. Prints nothing yet.

        - `title`: the name of the activity, such as "reading".
        - `unit`: the name of the counted items, such as "objects".
        - `after`: the seconds until the bar appears on a terminal.
        - `stays`: whether the bar stays on the terminal at the end.
        """
        self._title = title
        self._unit = unit
        self._stays = stays
        self._stream = stream or sys.stderr
        self._terminal = self._stream.isatty()
        self._began = time.monotonic()
        self._next = self._began + (after if self._terminal else PLAIN_SECONDS)
        self._bar: Any = None

    def __call__(self, done: int, total: int = 0, what: str = "") -> None:
        now = time.monotonic()
        if now < self._next:
            return
        if self._terminal:
            self._next = now + TERMINAL_SECONDS
            self._show_bar(done, total, printable_line(what))
        else:
            self._next = now + PLAIN_SECONDS
            progress = describe(done, total, self._unit, now - self._began, printable_line(what))
            click.echo(f"{self._title} {progress}", file=self._stream)

    def end(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _show_bar(self, done: int, total: int, what: str) -> None:
        if self._bar is None:
            self._bar = _bar(self._stream, transient=not self._stays)
            self._bar.add_task(self._title, total=None, count="", what="")
            self._bar.start()
        task = self._bar.tasks[0].id
        count = f"{done}/{total} {self._unit}" if total else f"{done} {self._unit}"
        self._bar.update(task, completed=done, total=total or None, count=count, what=what)
        self._bar.refresh()


class Waiting(ProgressDisplay):
    """Shows a spinner on a terminal, for work of unknown length.

    The spinner appears after `after` seconds and disappears at the end. Shows nothing without a terminal.
    """

    def __init__(
        self, title: str, stream: TextIO | None = None, *, after: float = WAITING_AFTER_SECONDS
    ) -> None:
        self._title = title
        self._stream = stream or sys.stderr
        self._after = after
        self._over = threading.Event()
        self._thread: threading.Thread | None = None
        if self._stream.isatty():
            self._thread = threading.Thread(target=self._show, daemon=True)
            self._thread.start()

    def end(self) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()

    def _show(self) -> None:
        if self._over.wait(self._after):
            return
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn  # noqa: PLC0415 - loaded only when shown

        columns = SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn()
        with Progress(*columns, console=_console(self._stream), transient=True) as progress:
            progress.add_task(self._title, total=None)
            self._over.wait()


def _console(stream: TextIO) -> Any:
    from rich.console import Console  # noqa: PLC0415 - takes 60 ms, loaded only when shown

    return Console(file=stream, force_terminal=True)


def _bar(stream: TextIO, *, transient: bool) -> Any:
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=30),
        TextColumn("{task.fields[count]}", markup=False),
        TimeRemainingColumn(),
        TextColumn("{task.fields[what]}", markup=False),
        console=_console(stream),
        transient=transient,
        redirect_stdout=False,
        redirect_stderr=False,
    )


class ProgressLine:
    """Shows the progress of a replay: a spinner while the trace is read, then a bar.

    Call the object after each exchange, and call `end` at the end of the replay.
    """

    def __init__(self, stream: TextIO) -> None:
        self._reading = Waiting("reading the trace", stream)
        self._activity = Activity("replaying", "exchanges", stream, after=0, stays=True)

    def __call__(self, progress: "Progress") -> None:
        self._reading.end()
        divergent = f"{progress.divergent} diverge" if progress.divergent else ""
        self._activity(progress.done, progress.total, divergent)

    def end(self) -> None:
        """Ends the display. The bar stays on a terminal."""
        self._reading.end()
        self._activity.end()


def describe(done: int, total: int, unit: str, seconds: float, what: str = "") -> str:
    """Formats progress, such as "1200 of 5000 exchanges, 800/s, 5 s left, 2 diverge".

    - `done`: the number of finished items.
    - `total`: the number of all items; 0 if unknown.
    - `unit`: the name of the counted items, such as "exchanges".
    - `seconds`: the seconds since the start.
    - `what`: a remark at the end; "" for none.
    """
    rate = done / seconds if seconds > 0 else 0.0
    parts = [f"{done} of {total} {unit}" if total else f"{done} {unit}", f"{rate:.0f}/s"]
    if rate and total:
        parts.append(f"{_span((total - done) / rate)} left")
    if what:
        parts.append(what)
    return ", ".join(parts)


def _span(seconds: float) -> str:
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes}:{rest:02d} min" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02d} h"
