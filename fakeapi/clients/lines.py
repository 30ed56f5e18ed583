"""LineSplitter: splits a stream of bytes into lines of bounded length."""

from collections.abc import Iterator


class LineTooLong(Exception):
    """Raised for a line over the limit; the message names the limit."""


class LineSplitter:
    """Splits the bytes of a stream at newlines. `limit` is the most bytes of a line."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._rest = bytearray()

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yields each line that `data` completes, without its newline. Raises LineTooLong."""
        if b"\n" in data:
            *lines, rest = (bytes(self._rest) + data if self._rest else data).split(b"\n")
            self._rest = bytearray(rest)
            for line in lines:
                self._check(line)
                yield line
        else:
            self._rest += data
        self._check(self._rest)

    def rest(self) -> bytes:
        """Returns the bytes after the last newline."""
        return bytes(self._rest)

    def _check(self, line: bytes | bytearray) -> None:
        if len(line) > self._limit:
            raise LineTooLong(f"a line is longer than {self._limit} bytes")
