"""The native format: JSON Lines, a header and then exchanges in the order of their offsets."""

import contextlib
import os
import tempfile
from array import array
from collections.abc import Generator, Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from fakeapi.traces.formats import compression, native_lines
from fakeapi.traces.model import Exchange, Header, TraceError
from fakeapi.wholefile import whole_file

_BUFFER = 1 << 18


def lines_of(path: Path) -> Generator[tuple[int, bytes], None, None]:
    """The lines that are not blank, without their ends, with their numbers.

    Raises TraceError for what cannot be read.
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
                if not line.isspace():
                    yield number, line.rstrip(b"\r\n")
    except compression.UNREADABLE as error:
        raise compression.explain(path, number + 1, error) from error


class NativeReader:
    """A trace in the native format. Every iteration reads the file anew; memory is that of one exchange.

    Raises TraceError: here for the header, while iterating for the rest. With `ordered` false, exchanges may
    be in any order.
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
            found = native_lines.explain(str(self.path), number, error)
            if found.field == "version":
                found = TraceError(
                    found.path,
                    number,
                    "version",
                    f"only version {native_lines.VERSION} of the format can be read",
                )
            raise found from error
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
            found = native_lines.explain(path, number, error)
            if b'"fakeapi.trace"' in line[:200]:
                message = "a second header: two traces were joined, which have clocks and ids of their own"
                found = TraceError(path, number, "kind", message)
            raise found from error
        except ValueError as error:
            raise TraceError(path, number, *error.args) from error

    def close(self) -> None:
        """Nothing stays open between iterations."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Spool:
    """Lines in a nameless file, given back in the order of their offsets, equal ones as they were added.

    In memory are 16 bytes for each line.
    """

    def __init__(self, directory: Path) -> None:
        """Raises OSError."""
        # Closed by `close`.
        self._file = tempfile.TemporaryFile(dir=directory, prefix=".trace-", buffering=_BUFFER)  # noqa: SIM115 - see above
        self._offsets = array("d")
        self._ends = array("Q")
        self._size = 0

    def __len__(self) -> int:
        return len(self._offsets)

    def add(self, offset: float, line: bytes) -> None:
        """Raises OSError."""
        self._file.write(line)
        self._size += len(line)
        self._offsets.append(offset)
        self._ends.append(self._size)

    def __iter__(self) -> Iterator[bytes]:
        """Raises OSError. Nothing may be added meanwhile."""
        self._file.flush()
        file = self._file.fileno()
        for index in self._order():
            begin = self._ends[index - 1] if index else 0
            yield os.pread(file, self._ends[index] - begin, begin)

    def _order(self) -> "array[int] | range":
        offsets = self._offsets
        count = range(len(offsets))
        if all(offsets[index - 1] <= offsets[index] for index in count[1:]):
            return count
        return array("Q", sorted(count, key=offsets.__getitem__))

    def close(self) -> None:
        self._file.close()


class TraceWriter:
    """A trace file in the making. It appears at `close`, whole, or not at all; only its owner may read it.

    Exchanges may come in any order, and are written in the order of their offsets. As a context manager it
    gives up what it has when an error passes. Raises TraceError for what the machine refuses.
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
        """Exchanges that were added."""
        return self._count

    def append(self, exchange: Exchange) -> None:
        """Adds one exchange; what it holds is on the disk, and no longer in memory."""
        assert self._spool is not None, "append after the end"
        line = native_lines.exchange_line(exchange)
        if len(line) >= native_lines.LINE_MAX:
            place = exchange.place or f"exchange {exchange.id}"
            message = (
                f"{place} makes a line of {len(line)} bytes, more than {native_lines.LINE_MAX >> 20} MiB"
            )
            raise TraceError(str(self.path), 0, "", message)
        try:
            self._spool.add(exchange.offset, line + b"\n")
            self._count += 1
        except OSError as error:
            raise self._refused(error) from error

    def close(self) -> None:
        """Writes the file; again is no error."""
        spool, self._spool = self._spool, None
        if spool is None:
            return
        try:
            write_whole(self.path, self._all(spool))
        except OSError as error:
            raise self._refused(error) from error
        finally:
            spool.close()

    def _all(self, spool: Spool) -> Iterator[bytes]:
        yield native_lines.header_line(self.header) + b"\n"
        yield from spool

    def abort(self) -> None:
        """Forgets everything; no file appears."""
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


def write_whole(path: Path, pieces: Iterator[bytes]) -> None:
    """Puts a file there by renaming, compressed as its name says. Raises OSError, TraceError."""
    with whole_file(path) as file, compression.open_write(path, file) as out:
        for piece in pieces:
            out.write(piece)
