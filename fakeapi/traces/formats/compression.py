"""Files that are read and written through gzip or zstd, by their name."""

import gzip
import io
import zlib
from pathlib import Path
from typing import IO, Any, cast

from fakeapi.traces.model import TraceError

GZIP_LEVEL = 6
_CHUNK = 1 << 18
_ZSTD_CHUNK = 1 << 13
"""Compressed bytes at a time: a step may become a thousand times as much text."""

UNREADABLE: tuple[type[Exception], ...] = (OSError, EOFError, zlib.error)
"""What reading may raise; `explain` tells what it means. Zstd's own errors are added when it is loaded."""


def open_read(path: Path) -> IO[bytes]:
    """Raises TraceError."""
    try:
        if path.is_dir():
            raise TraceError(str(path), 0, "", "is a directory, not a trace")
        if path.suffix == ".zst":
            return _zstd_reader(path)
        if path.suffix == ".gz":
            return cast("IO[bytes]", io.BufferedReader(cast("Any", gzip.GzipFile(path, "rb")), _CHUNK))
        return path.open("rb", buffering=_CHUNK)
    except OSError as error:
        raise explain(path, 0, error) from error


def check_writable(path: Path) -> None:
    """Raises TraceError if what the name asks for is not there."""
    if path.suffix == ".zst":
        _zstandard(path)


def open_write(path: Path, file: IO[bytes]) -> IO[bytes]:
    """What compresses into `file` as the name of `path` says; closing it leaves `file` open.

    Raises TraceError.
    """
    if path.suffix == ".zst":
        writer = _zstandard(path).ZstdCompressor().stream_writer(file, closefd=False)
        return cast("IO[bytes]", writer)
    if path.suffix == ".gz":
        # No name and no time in it: the same trace is the same file.
        return cast("IO[bytes]", gzip.GzipFile("", "wb", GZIP_LEVEL, file, mtime=0))
    return cast("IO[bytes]", _Plain(file))


def explain(path: Path, line: int, error: Exception) -> TraceError:
    """The error of a read, in the words of who holds the file."""
    if isinstance(error, EOFError):
        return TraceError(str(path), line, "", "the compressed file ends too early: it was cut short")
    if isinstance(error, gzip.BadGzipFile | zlib.error):
        return TraceError(str(path), line, "", f"is not gzip, or is damaged: {error}")
    if isinstance(error, OSError):
        return TraceError(str(path), line, "", error.strerror or str(error))
    return TraceError(str(path), line, "", f"cannot be decompressed: {error}")


class _Plain(io.RawIOBase):
    """A file behind a door that may be closed without closing the file."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        return self._file.write(data)


def _zstd_reader(path: Path) -> IO[bytes]:
    zstandard = _zstandard(path)
    return cast("IO[bytes]", io.BufferedReader(_ZstdFile(path.open("rb"), zstandard), _CHUNK))


class _ZstdFile(io.RawIOBase):
    """The text of a file of zstd frames.

    A frame cut short is an EOFError; the library's own reader takes it for the end.
    """

    def __init__(self, file: IO[bytes], zstandard: Any) -> None:
        self._file = file
        self._new_frame = zstandard.ZstdDecompressor().decompressobj
        self._frame: Any = None
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready:
            if not self._fill():
                return 0
        size = min(len(buffer), len(self._ready))
        buffer[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size

    def _fill(self) -> bool:
        data = b"" if self._frame is None else self._frame.unused_data
        if data or self._frame is None or self._frame.eof:
            data = data or self._file.read(_ZSTD_CHUNK)
            if not data:
                return False
            self._frame = self._new_frame()
        else:
            data = self._file.read(_ZSTD_CHUNK)
            if not data:
                raise EOFError
        self._ready = memoryview(self._frame.decompress(data))
        return True

    def close(self) -> None:
        self._file.close()
        super().close()


def _zstandard(path: Path) -> Any:
    try:
        import zstandard  # noqa: PLC0415 - an extra, loaded for the files that need it
    except ImportError as error:
        raise TraceError(
            str(path), 0, "", "zstd needs the extra `zstd`: pip install 'fakeapi-k8s[zstd]'"
        ) from error
    global UNREADABLE  # noqa: PLW0603 - the errors of a library that may not be there
    if zstandard.ZstdError not in UNREADABLE:
        UNREADABLE = (*UNREADABLE, zstandard.ZstdError)
    return zstandard
