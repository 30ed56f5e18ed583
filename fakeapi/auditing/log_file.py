"""LogFile: appends the lines of the audit log to a file, in a thread, so that requests do not wait."""

import asyncio
import logging
import os
import queue
import threading
from pathlib import Path
from typing import Final

from fakeapi.atomic_file import make_directory

STDOUT: Final = "-"
"""The path that stands for the standard output."""

FLUSH_SECONDS: Final = 0.005
"""Longest time, in seconds, that a line waits for more lines before the lines go to the thread."""

BATCH_BYTES: Final = 1024 * 1024
"""Number of bytes from which waiting lines are written at once."""

BATCHES_MAX: Final = 64
"""Maximum number of batches of lines that wait for a slow file. Over the limit, requests wait too."""

CLOSE_SECONDS: Final = 5.0
"""Seconds that a stopping server waits for each step of writing the last lines.

The steps are room in the queue for the lines, room for the end mark, and the end of the thread.
"""

_STDOUT_DESCRIPTOR = 1

log = logging.getLogger("fakeapi")


class LogFile:
    """An append-only file of lines. Only the owner can read a new file.

    Call `open` first, and all methods from the same event loop. `path`: "-" for the standard output.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        self._descriptor = -1
        self._lines: list[bytes] = []
        self._size = 0
        self._timer: asyncio.TimerHandle | None = None
        self._batches: queue.Queue[bytes | None] = queue.Queue(BATCHES_MAX)
        self._thread: threading.Thread | None = None
        self._has_failed = False
        self.lines = 0
        """The number of lines that were passed to `write` while the file was open."""

    def open(self) -> None:
        """Opens the file, and starts the thread that writes to the file.

        Creates a missing file and its directory. Raises OSError if the file cannot be opened.
        """
        if str(self._path) == STDOUT:
            self._descriptor = os.dup(_STDOUT_DESCRIPTOR)
        else:
            make_directory(self._path.absolute().parent, 0o700)
            # The flag is O_RDWR, because opening a FIFO without a reader with O_WRONLY would block.
            flags = os.O_CREAT | os.O_APPEND | os.O_RDWR | os.O_CLOEXEC | os.O_NOCTTY
            self._descriptor = os.open(self._path, flags, 0o600)
        self._thread = threading.Thread(target=self._write_batches, name="fakeapi-audit-log", daemon=True)
        self._thread.start()

    def write(self, line: bytes) -> None:
        """Appends a line, which ends with a newline. Does nothing if the file is not open."""
        if self._thread is None:
            return
        self.lines += 1
        self._lines.append(line)
        self._size += len(line)
        if self._size >= BATCH_BYTES:
            self._flush()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(FLUSH_SECONDS, self._flush)

    def close(self) -> None:
        """Writes the waiting lines and closes the file. A second call does nothing."""
        thread, self._thread = self._thread, None
        if thread is None:
            return
        try:
            self._flush(CLOSE_SECONDS)
            self._batches.put(None, timeout=CLOSE_SECONDS)
            thread.join(CLOSE_SECONDS)
        except queue.Full:
            pass
        if thread.is_alive():
            log.error("the last lines of the audit log %s are lost: the file accepts no data", self._path)

    def _flush(self, seconds: float | None = None) -> None:
        """Passes the waiting lines to the writer thread.

        Waits up to `seconds` for room in the queue; None waits without a limit. Raises queue.Full after
        this time.
        """
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._lines:
            batch, self._lines, self._size = b"".join(self._lines), [], 0
            self._batches.put(batch, timeout=seconds)

    def _write_batches(self) -> None:
        while (batch := self._batches.get()) is not None:
            try:
                self._write_whole(batch)
            except OSError as error:
                self._report(error)
        os.close(self._descriptor)

    def _write_whole(self, batch: bytes) -> None:
        rest = memoryview(batch)
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]

    def _report(self, error: OSError) -> None:
        """Logs the first error of writing. Later errors would fill the log."""
        if not self._has_failed:
            log.error("cannot write the audit log %s: %s", self._path, error.strerror)
        self._has_failed = True
