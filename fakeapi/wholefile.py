"""Writes files whole or not at all, and makes directories that only their owner writes."""

import contextlib
import errno
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

_BUFFER = 1 << 18


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """A file beside `path` that takes its place at the end of the block, readable by its owner only.

    If the block raises, what stood at `path` stays and nothing is left behind. Raises OSError.
    """
    handle, unfinished = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb", buffering=_BUFFER) as file:
            yield file
        Path(unfinished).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(unfinished).unlink()
        raise


def write_whole(path: Path, data: bytes) -> None:
    """Writes a file that appears whole or not at all, readable by its owner only. Raises OSError."""
    with whole_file(path) as file:
        file.write(data)


def make_directory(path: Path, mode: int) -> None:
    """Makes a directory and those above it that are missing, each with this mode, whatever the umask allows.

    Directories that are there keep their modes. Raises OSError.
    """
    missing = [directory for directory in (path, *path.parents) if not directory.exists()]
    for directory in reversed(missing):
        directory.mkdir(mode=mode, exist_ok=True)
    if not path.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))
