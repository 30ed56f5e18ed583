"""Traces of any format, told apart by what is in the file."""

from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from fakeapi.traces.model import Exchange, Header
from fakeapi.traces.native import NativeReader


class TraceReader(Protocol):
    """A trace that is read as often as it is iterated, each time anew and in the order of offsets.

    `format`: "native", "audit" or "har". Iterating raises TraceError at what cannot be read.
    """

    @property
    def path(self) -> Path: ...

    @property
    def format(self) -> str: ...

    @property
    def header(self) -> Header: ...

    def __iter__(self) -> Iterator[Exchange]: ...

    def close(self) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


def open_trace(path: str | Path) -> TraceReader:
    """The trace in a file, native, audit log or HAR. Raises TraceError."""
    return NativeReader(Path(path))
