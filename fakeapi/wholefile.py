"""Writes files atomically: they appear whole or not at all."""

import contextlib
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
