"""Sorts exchanges by offset in a temporary file, so that sorting needs little memory."""

import os
import struct
import tempfile
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

from fakeapi.traces.formats import native_lines
from fakeapi.traces.model import Exchange, Header, TraceError

_BUFFER = 1 << 18
_LINE_NUMBER = struct.Struct("<Q")


class Spool:
    """Sorts encoded exchanges by offset in an unnamed file. Exchanges with equal offsets keep their order.

    The class needs 16 bytes of memory per exchange.
    """

    def __init__(self, directory: Path) -> None:
        """Creates the unnamed file in `directory`. Raises OSError if that fails."""
        self._file = tempfile.TemporaryFile(dir=directory, prefix=".trace-", buffering=_BUFFER)  # noqa: SIM115 - `close` closes it
        self._offsets = array("d")
        self._ends = array("Q")
        self._size = 0

    def __len__(self) -> int:
        return len(self._offsets)

    def add(self, offset: float, line: bytes) -> None:
        """Adds an encoded exchange. Raises OSError if the file cannot be written."""
        self._file.write(line)
        self._size += len(line)
        self._offsets.append(offset)
        self._ends.append(self._size)

    def __iter__(self) -> Iterator[bytes]:
        """Yields the encoded exchanges by offset. Do not call `add` during the iteration.

        Raises OSError if the file cannot be written or read.
        """
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
        """Closes the unnamed file, which deletes it."""
        self._file.close()


class SortedReader:
    """A TraceReader for unsorted exchanges, which it sorts in a temporary file.

    - `source`: yields pairs of line number and exchange; the constructor reads it completely.
    - `absolute`: whether the offsets in `source` are in seconds since the Unix epoch. If so, the earliest
      offset becomes `Header.started`.

    The constructor raises TraceError if the source is invalid or has no exchange.
    """

    def __init__(
        self,
        path: Path,
        format: str,  # noqa: A002 - the attribute's name in TraceReader
        header: Header,
        source: Iterable[tuple[int, Exchange]],
        *,
        absolute: bool,
    ) -> None:
        self.path = path
        self.format = format
        try:
            self._spool = Spool(Path(tempfile.gettempdir()))
        except OSError as error:
            raise self._unwritable(error) from error
        try:
            first = self._fill(source)
        except OSError as error:
            self._spool.close()
            raise self._unwritable(error) from error
        except BaseException:
            self._spool.close()
            raise
        self._since = first if absolute else 0.0
        self.header = replace(header, started=first) if absolute else header

    def _fill(self, source: Iterable[tuple[int, Exchange]]) -> float:
        first = float("inf")
        for number, exchange in source:
            first = min(first, exchange.offset)
            line = native_lines.exchange_line(exchange)
            self._spool.add(exchange.offset, _LINE_NUMBER.pack(number) + line)
        if not len(self._spool):
            raise TraceError(str(self.path), 0, "", "contains no request to Kubernetes")
        return first

    def __len__(self) -> int:
        return len(self._spool)

    def __iter__(self) -> Iterator[Exchange]:
        path, since = str(self.path), self._since
        for data in self._spool:
            place = f"{path}:{_LINE_NUMBER.unpack_from(data)[0]}"
            yield native_lines.exchange_of(
                native_lines.decode_exchange(memoryview(data)[_LINE_NUMBER.size :]), place, since
            )

    def close(self) -> None:
        """Deletes the temporary file."""
        self._spool.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _unwritable(self, error: OSError) -> TraceError:
        place = tempfile.gettempdir()
        return TraceError(str(self.path), 0, "", f"cannot be sorted in {place}: {error.strerror or error}")
