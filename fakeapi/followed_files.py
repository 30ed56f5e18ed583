"""FollowedFiles: a value that is made from files, and made again after a file has changed."""

import logging
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Generic, TypeVar

logger = logging.getLogger("fakeapi")

CHECK_SECONDS = 1.0
"""Minimum seconds between two checks whether the files of a FollowedFiles have changed."""

T = TypeVar("T")


class FollowedFiles(Generic[T]):
    """Provides a value that is made from files. Makes the value again after a file has changed.

    The server thus uses replaced certificates without a restart, as kube-apiserver does.

    - `make`: makes the value. Raises OSError or ValueError if a file is unusable.
    - `files`: the files that `make` reads.

    The constructor raises the errors of `make`. If `make` fails later, the error is logged, and the last
    value stays in use.
    """

    def __init__(self, make: Callable[[], T], files: Sequence[Path]) -> None:
        self._make = make
        self._files = files
        self._versions = self._read_versions()
        self._checked = time.monotonic()
        self._value = make()

    def __call__(self) -> T:
        """Returns the value of the files. The value can be CHECK_SECONDS older than the files.

        If the changed files are unusable, returns the last value.
        """
        now = time.monotonic()
        if now - self._checked >= CHECK_SECONDS:
            self._checked = now
            versions = self._read_versions()
            if versions != self._versions:
                self._versions = versions
                self._renew()
        return self._value

    def _renew(self) -> None:
        try:
            self._value = self._make()
        except (OSError, ValueError) as error:
            logger.warning("Cannot use the changed files: %s", error)

    def _read_versions(self) -> list[tuple[int, int, int] | None]:
        return [_version(file) for file in self._files]


def _version(file: Path) -> tuple[int, int, int] | None:
    """Returns the inode, the size and the modification time of a file; None if they cannot be read."""
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns
