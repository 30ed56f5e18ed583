"""Writes files atomically, and makes directories that only their owner can write."""

import contextlib
import errno
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

_BUFFER = 1 << 18


@contextlib.contextmanager
def atomic_file(path: Path) -> Iterator[IO[bytes]]:
    """Opens a temporary file that replaces `path` at the end of the block, readable only by its owner.

    If the block raises, `path` does not change and the temporary file is removed. Raises OSError.
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


def write_atomically(path: Path, data: bytes) -> None:
    """Writes a file atomically, readable only by its owner. Raises OSError."""
    with atomic_file(path) as file:
        file.write(data)


def make_directory(path: Path, mode: int) -> None:
    """Makes a directory and its missing parents, each with this mode less the umask.

    Existing directories keep their modes. Raises OSError.
    """
    missing = [directory for directory in (path, *path.parents) if not directory.exists()]
    for directory in reversed(missing):
        directory.mkdir(mode=mode, exist_ok=True)
    if not path.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))
