"""Reads and writes the native format of fakeapi: JSON lines with a header and exchanges by offset."""

import contextlib
from collections.abc import Generator, Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from fakeapi.atomic_file import atomic_file
from fakeapi.traces.formats import compression, native_lines
from fakeapi.traces.formats.sorting import Spool
from fakeapi.traces.model import Exchange, Header, TraceError

_BLANK = b" \t\r\n\v\f"


def lines_of(path: Path) -> Generator[tuple[int, bytes], None, None]:
    """Yields pairs of line number and line, without line ends, blank lines and a byte order mark.

    Raises TraceError for a file that cannot be read, and for a line of more than 64 MiB.
    """
    number = 0
    try:
        with compression.open_read(path) as file:
            while line := file.readline(native_lines.LINE_MAX + 1):
                number += 1
                if len(line) > native_lines.LINE_MAX:
                    raise TraceError(
                        str(path), number, "", f"is longer than {native_lines.LINE_MAX >> 20} MiB"
                    )
                if number == 1:
                    line = line.removeprefix(compression.BOM)
                if line and not line.isspace():
                    yield number, line.rstrip(b"\r\n")
                    continue
                # A gzip file of 50 KB can contain 50 million blank lines, so skip all in the buffer at once.
                ahead = file.peek()
                blank = file.read(len(ahead) - len(ahead.lstrip(_BLANK)))
                number += blank.count(b"\n")
    except compression.UNREADABLE as error:
        raise compression.explain(path, number + 1, error) from error


class NativeReader:
    """A TraceReader of the native format, which keeps only one exchange in memory.

    The constructor raises TraceError for an invalid header. The iteration raises TraceError for an invalid
    exchange.

    `ordered`: whether exchanges must be in the order of their offsets.
    """

    format = "native"

    def __init__(self, path: Path, *, ordered: bool = True) -> None:
        self.path = path
        self._ordered = ordered
        lines = lines_of(path)
        with contextlib.closing(lines):
            number, line = next(lines, (0, b""))
        if not number:
            raise TraceError(str(path), 0, "", "is empty: a trace begins with a header line")
        self.header = self._header(number, line)

    def _header(self, number: int, line: bytes) -> Header:
        try:
            return native_lines.header_of(native_lines.decode_header(line))
        except native_lines.MALFORMED as error:
            problem = native_lines.explain(str(self.path), number, error)
            if problem.field == "version":
                problem = TraceError(
                    problem.path,
                    number,
                    "version",
                    f"only version {native_lines.VERSION} of the format can be read",
                )
            raise problem from error
        except ValueError as error:
            raise TraceError(str(self.path), number, *error.args) from error

    def __iter__(self) -> Iterator[Exchange]:
        path = str(self.path)
        lines = lines_of(self.path)
        latest = 0.0
        with contextlib.closing(lines):
            next(lines, None)
            for number, line in lines:
                exchange = self._exchange(path, number, line)
                if exchange.offset < latest and self._ordered:
                    raise TraceError(
                        path,
                        number,
                        "offset",
                        f"{exchange.offset} is before the line above ({latest}): the trace is not in order "
                        "(`fakeapi trace convert` sorts it)",
                    )
                latest = exchange.offset
                yield exchange

    @staticmethod
    def _exchange(path: str, number: int, line: bytes) -> Exchange:
        try:
            return native_lines.exchange_of(native_lines.decode_exchange(line), f"{path}:{number}")
        except native_lines.MALFORMED as error:
            problem = native_lines.explain(path, number, error)
            if b'"fakeapi.trace"' in line[:200]:
                message = "is a second header: two traces were joined, but each counts ids and times anew"
                problem = TraceError(path, number, "kind", message)
            raise problem from error
        except ValueError as error:
            raise TraceError(path, number, *error.args) from error

    def close(self) -> None:
        """Does nothing, because no file stays open between iterations."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class LineTooLong(TraceError):
    """Raised for an exchange whose line would be longer than 64 MiB. The writer stays usable."""


class TraceWriter:
    """Writes a trace file in the native format.

    `append` adds exchanges in any order. `close` sorts them by offset and creates the file atomically,
    readable only by its owner. As a context manager, the writer calls `close` at the end of the block, or
    `abort` if the block raises. All methods raise TraceError if the file cannot be written.
    """

    def __init__(self, path: str | Path, header: Header) -> None:
        self.path = Path(path)
        self.header = header
        self._spool: Spool | None = None
        self._count = 0
        try:
            compression.check_writable(self.path)
            self._spool = Spool(self.path.parent)
            if self.path.is_dir():
                raise IsADirectoryError(0, "is a directory")
        except OSError as error:
            self.abort()
            raise self._refused(error) from error

    def __len__(self) -> int:
        """Returns the number of added exchanges."""
        return self._count

    def append(self, exchange: Exchange) -> None:
        """Adds an exchange to a temporary file.

        Raises LineTooLong if the line of the exchange is too long, and TraceError if the file cannot be
        written.
        """
        assert self._spool is not None, "append after close"
        line = native_lines.exchange_line(exchange)
        if len(line) >= native_lines.LINE_MAX:
            place = exchange.place or f"exchange {exchange.id}"
            message = (
                f"{place} makes a line of {len(line)} bytes, more than {native_lines.LINE_MAX >> 20} MiB"
            )
            raise LineTooLong(str(self.path), 0, "", message)
        try:
            self._spool.add(exchange.offset, line + b"\n")
            self._count += 1
        except OSError as error:
            raise self._refused(error) from error

    def close(self) -> None:
        """Creates the trace file.

        A second call does nothing. Raises TraceError if the file cannot be written.
        """
        spool, self._spool = self._spool, None
        if spool is None:
            return
        try:
            with atomic_file(self.path) as file, compression.open_write(self.path, file) as out:
                out.write(native_lines.header_line(self.header) + b"\n")
                for line in spool:  # the zstd writer has no method `writelines`
                    out.write(line)
        except OSError as error:
            raise self._refused(error) from error
        finally:
            spool.close()

    def abort(self) -> None:
        """Drops all added exchanges, without creating the trace file."""
        spool, self._spool = self._spool, None
        if spool is not None:
            spool.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.abort()

    def _refused(self, error: OSError) -> TraceError:
        return TraceError(str(self.path), 0, "", f"cannot be written: {error.strerror or error}")
