"""Reads and writes compressed files: with gzip if the name ends with .gz, with zstd if it ends with .zst."""

import gzip
import io
import zlib
from pathlib import Path
from typing import IO, Any, cast

from fakeapi.inputfile import open_regular
from fakeapi.traces.model import TraceError

GZIP_LEVEL = 6
_CHUNK = 1 << 18
_ZSTD_CHUNK = 1 << 13
"""Number of compressed bytes per read. The decompressed data can be a thousand times as long."""

BOM = b"\xef\xbb\xbf"
"""The byte order mark in UTF-8, which some editors and shells write at the start of a file."""


class DamagedError(Exception):
    """Raised for a damaged zstd file. The message comes from the library zstandard."""


UNREADABLE: tuple[type[Exception], ...] = (OSError, EOFError, zlib.error, DamagedError)
"""The exceptions from reading a file, which `explain` converts to a TraceError."""


def open_read(path: Path) -> "io.BufferedReader[Any]":
    """Opens a file to read its decompressed content. Raises TraceError if the file cannot be opened.

    Later reads from the result can raise the exceptions in UNREADABLE.
    """
    try:
        if path.is_dir():
            raise TraceError(str(path), 0, "", "is a directory, not a trace")
        if path.suffix == ".zst":
            return _zstd_reader(path)
        if path.suffix == ".gz":
            return io.BufferedReader(cast("Any", _GzipFile(path)), _CHUNK)
        return io.BufferedReader(open_regular(path), _CHUNK)
    except OSError as error:
        raise explain(path, 0, error) from error


def check_writable(path: Path) -> None:
    """Raises TraceError for a name that ends with .zst if the library zstandard is not installed."""
    if path.suffix == ".zst":
        _zstandard(path)


def open_write(path: Path, file: IO[bytes]) -> IO[bytes]:
    """Returns a writer that compresses into `file`. Closing the writer does not close `file`.

    `path`: its suffix selects the compression. Raises TraceError if the library zstandard is needed and not
    installed.
    """
    if path.suffix == ".zst":
        writer = _zstandard(path).ZstdCompressor().stream_writer(file, closefd=False)
        return cast("IO[bytes]", writer)
    if path.suffix == ".gz":
        # Without a name and a time in the gzip header, equal traces give equal bytes.
        return cast("IO[bytes]", gzip.GzipFile("", "wb", GZIP_LEVEL, file, mtime=0))
    return cast("IO[bytes]", _Plain(file))


def explain(path: Path, line: int, error: Exception) -> TraceError:
    """Converts an exception from reading a file to a TraceError. `line`: the line number; 0 if unknown."""
    if isinstance(error, EOFError):
        return TraceError(str(path), line, "", "the compressed file ends too early: it was cut short")
    if isinstance(error, gzip.BadGzipFile | zlib.error):
        return TraceError(str(path), line, "", f"is not gzip, or is damaged: {error}")
    if isinstance(error, OSError):
        return TraceError(str(path), line, "", error.strerror or str(error))
    return TraceError(str(path), line, "", f"cannot be decompressed: {error}")


class _GzipFile(gzip.GzipFile):
    """Reads the decompressed content of a gzip file. Closing it also closes the compressed file."""

    def __init__(self, path: Path) -> None:
        """Opens the file. Raises OSError if the file cannot be opened or is not a regular file."""
        self._compressed = io.BufferedReader(open_regular(path))
        super().__init__(fileobj=self._compressed, mode="rb")

    def close(self) -> None:
        super().close()
        self._compressed.close()


class _Plain(io.RawIOBase):
    """Writes to a file without compression. Closing the writer does not close the file."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        return self._file.write(data)


def _zstd_reader(path: Path) -> "io.BufferedReader[Any]":
    zstandard = _zstandard(path)
    return io.BufferedReader(_ZstdFile(io.BufferedReader(open_regular(path)), zstandard), _CHUNK)


class _ZstdFile(io.RawIOBase):
    """Reads the decompressed content of a file with zstd frames.

    Reading an incomplete frame raises EOFError. The library zstandard would take the incomplete frame for the
    end of the file. Other damage raises DamagedError.
    """

    def __init__(self, file: IO[bytes], zstandard: Any) -> None:
        self._file = file
        self._new_frame = zstandard.ZstdDecompressor().decompressobj
        self._error = zstandard.ZstdError
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
        try:
            self._ready = memoryview(self._frame.decompress(data))
        except self._error as error:
            raise DamagedError(str(error)) from error
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
    return zstandard
