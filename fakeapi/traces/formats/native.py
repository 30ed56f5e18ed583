"""Reads and writes fakeapi's own format: JSON Lines, first a header, then exchanges sorted by offset."""

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
    """Yields pairs of line number and line; skips line ends, blank lines and a byte order mark.

    Raises TraceError for a file that cannot be read, and for a line longer than LINE_MAX.
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
                # A gzip file of 50 KB may hold 50 million blank lines: skip all that are in the buffer.
                ahead = file.peek()
                blank = file.read(len(ahead) - len(ahead.lstrip(_BLANK)))
                number += blank.count(b"\n")
    except compression.UNREADABLE as error:
        raise compression.explain(path, number + 1, error) from error


class NativeReader:
    """A TraceReader of the native format; memory holds one exchange at a time.

    The constructor raises TraceError for a bad header, iteration for a bad exchange. With `ordered` false,
    exchanges may be in any order.
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
        """Does nothing: no file stays open between iterations."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class LineTooLong(TraceError):
    """An exchange has a longer line than LINE_MAX; the writer can continue with other exchanges."""


class TraceWriter:
    """Writes a trace file. `close` creates it, completely or not at all, readable only by its owner.

    `append` accepts exchanges in any order; the file has them by offset. As a context manager, the writer
    closes at the end of the block, and aborts if the block raises. Methods raise TraceError if the file
    cannot be written.
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
        """The number of exchanges added so far."""
        return self._count

    def append(self, exchange: Exchange) -> None:
        """Adds an exchange to a temporary file, not to memory. Raises LineTooLong, TraceError."""
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
        """Writes the file; a second call does nothing."""
        spool, self._spool = self._spool, None
        if spool is None:
            return
        try:
            with atomic_file(self.path) as file, compression.open_write(self.path, file) as out:
                out.write(native_lines.header_line(self.header) + b"\n")
                for line in spool:  # zstd's writer has no writelines
                    out.write(line)
        except OSError as error:
            raise self._refused(error) from error
        finally:
            spool.close()

    def abort(self) -> None:
        """Drops all added exchanges and creates no file."""
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
