"""Writes files atomically, and creates directories with a given mode."""

import contextlib
import errno
import fcntl
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

_BUFFER = 1 << 18


@contextlib.contextmanager
def atomic_file(path: Path) -> Iterator[IO[bytes]]:
    """Opens a temporary file, readable only by its owner, that replaces `path` at the end of the block.

    If the block raises an exception, deletes the temporary file and leaves `path` unchanged. Raises OSError
    if the file cannot be created, written or moved.
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
    """Writes `data` to a file atomically. Only the owner can read the file.

    Raises OSError if the file cannot be written.
    """
    with atomic_file(path) as file:
        file.write(data)


def make_directory(path: Path, mode: int) -> None:
    """Creates a directory and its missing parents with this mode, reduced by the umask.

    Existing directories keep their modes. Raises OSError if a directory cannot be created, or if `path`
    exists and is not a directory.
    """
    missing = [directory for directory in (path, *path.parents) if not directory.exists()]
    for directory in reversed(missing):
        directory.mkdir(mode=mode, exist_ok=True)
    if not path.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))


@contextlib.contextmanager
def alone_in(directory: Path) -> Iterator[None]:
    """Holds an exclusive lock on a directory during the block, so that only one process fills it at a time.

    Waits while another process holds the lock. Raises OSError if the directory cannot be opened or locked.
    """
    handle = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
