"""ContainerLog: the output of one run of a container, as lines with times."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable

import msgspec

LOG_BYTES_MAX = 1 << 20
"""Maximum number of bytes in a log. When a log is full, each new line drops the oldest lines."""
LINE_BYTES_MAX = 16 * 1024
"""Maximum number of bytes in one line. The log splits a longer line, as a kubelet does in its log files."""


class LogLine(msgspec.Struct, frozen=True):
    """A line of output. `time`: seconds since the epoch. `data`: the line, with its newline if complete."""

    time: float
    stream: str
    data: bytes


class ContainerLog:
    """The output of one run of a container. Readers can follow the output while the container runs."""

    def __init__(self, now: Callable[[], float]) -> None:
        """Starts an empty log. `now`: returns the time of the server's clock."""
        self._now = now
        self._lines: deque[LogLine] = deque()
        self._bytes = 0
        self._dropped = 0
        self._open: dict[str, bytes] = {}
        self._readers: set[asyncio.Event] = set()
        self.is_closed = False

    def write(self, data: bytes, stream: str = "stdout") -> None:
        """Appends output. Keeps an incomplete last line back until its newline arrives or the log ends."""
        *complete, rest = (self._open.pop(stream, b"") + data).split(b"\n")
        for line in complete:
            self._add(stream, line + b"\n")
        while len(rest) >= LINE_BYTES_MAX:
            self._add(stream, rest[:LINE_BYTES_MAX])
            rest = rest[LINE_BYTES_MAX:]
        if rest:
            self._open[stream] = rest
        self._wake()

    def close(self) -> None:
        """Writes the incomplete last lines and ends the log. All `follow` calls end too."""
        for stream, rest in self._open.items():
            self._add(stream, rest)
        self._open.clear()
        self.is_closed = True
        self._wake()

    @property
    def complete_lines(self) -> list[LogLine]:
        """The kept lines, oldest first, without the incomplete last lines."""
        return list(self._lines)

    @property
    def lines(self) -> list[LogLine]:
        """The kept lines, oldest first, with the incomplete last lines."""
        return [*self._lines, *(LogLine(self._now(), stream, rest) for stream, rest in self._open.items())]

    @property
    def end(self) -> int:
        """The position after the last complete line, for `follow`."""
        return self._dropped + len(self._lines)

    async def follow(self, position: int) -> AsyncIterator[LogLine]:
        """Yields all complete lines from a position on, until the log is closed.

        Skips lines that the log dropped before the reader reached them.
        """
        woken = asyncio.Event()
        self._readers.add(woken)
        try:
            while True:
                woken.clear()
                position = max(position, self._dropped)
                while position < self.end:
                    yield self._lines[position - self._dropped]
                    position = max(position + 1, self._dropped)
                if self.is_closed:
                    return
                await woken.wait()
        finally:
            self._readers.discard(woken)

    def _add(self, stream: str, data: bytes) -> None:
        for start in range(0, len(data), LINE_BYTES_MAX):
            part = data[start : start + LINE_BYTES_MAX]
            self._lines.append(LogLine(self._now(), stream, part))
            self._bytes += len(part)
        while self._bytes > LOG_BYTES_MAX:
            self._bytes -= len(self._lines.popleft().data)
            self._dropped += 1

    def _wake(self) -> None:
        for reader in self._readers:
            reader.set()
