"""Shows the progress of a command: a bar on a terminal, otherwise a line every few seconds."""

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
"""Seconds before a progress bar appears; faster commands show none."""

WAITING_AFTER_SECONDS = 1.0
"""Seconds before a spinner appears; faster commands show none."""

TERMINAL_SECONDS = 0.1
"""Seconds between two updates of the bar on a terminal."""

PLAIN_SECONDS = 5.0
"""Seconds between two lines if the output is not a terminal."""


class ProgressDisplay(ABC):
    """A display of progress. As a context manager it ends with the block."""

    @abstractmethod
    def end(self) -> None:
        """Removes the display; does nothing if it has ended already."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()


class Activity(ProgressDisplay):
    """Shows the progress of one activity, by default on standard error.

    Call it with the count so far, the total (0 if unknown) and a remark. On a terminal the line is removed at
    the end.
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
        """`title` is a word such as "reading"; `unit` names the things; `stays` keeps the last line."""
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
    """A spinner on a terminal for work of unknown length; appears after a moment, and is removed at the end.

    It shows nothing without a terminal.
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
    """Shows the progress of a replay: called after each exchange; `end` is called after the last."""

    def __init__(self, stream: TextIO) -> None:
        self._reading = Waiting("reading the trace", stream)
        self._activity = Activity("replaying", "exchanges", stream, after=0, stays=True)

    def __call__(self, progress: "Progress") -> None:
        self._reading.end()
        divergent = f"{progress.divergent} diverge" if progress.divergent else ""
        self._activity(progress.done, progress.total, divergent)

    def end(self) -> None:
        """Ends the display of the progress."""
        self._reading.end()
        self._activity.end()


def describe(done: int, total: int, unit: str, seconds: float, what: str = "") -> str:
    """Formats count, rate and remaining time: "1200 of 5000 exchanges, 800/s, 5 s left, 2 diverge"."""
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
