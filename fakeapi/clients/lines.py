"""LineSplitter: splits a stream of bytes into lines of bounded length."""

from collections.abc import Iterator


class LineTooLong(Exception):
    """Raised for a line over the limit. The message has the limit in bytes."""


class LineSplitter:
    """A buffer that splits a stream of bytes into lines. `limit`: the maximum length of a line in bytes."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._rest = bytearray()

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Adds the next bytes of the stream. Yields each line that is complete, without its newline.

        Raises LineTooLong if a line is longer than the limit.
        """
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
        """Returns the bytes after the last newline; b"" if the stream ends with a newline."""
        return bytes(self._rest)

    def _check(self, line: bytes | bytearray) -> None:
        if len(line) > self._limit:
            raise LineTooLong(f"a line is longer than {self._limit} bytes")
