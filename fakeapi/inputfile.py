"""Reads files that a user names. Reads only regular files, and only up to a maximum number of bytes."""

import errno
import io
import os
import stat
from pathlib import Path

KEY_FILE_BYTES_MAX = 1024 * 1024
"""Maximum size, in bytes, of a file with certificates or keys of the server; a longer file raises OSError."""

_SPECIAL = (
    (stat.S_ISFIFO, "a FIFO"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


class UnreadableFile(ValueError):
    """A file that cannot be read as text; the message names the file and the reason."""


def open_regular(path: Path) -> io.FileIO:
    """Opens a regular file for reading bytes, without a buffer.

    Raises OSError if the file cannot be opened; the error's `strerror` names the reason. Also raises OSError
    for directories, FIFOs, sockets, devices and symbolic links to them, because reading them may block or
    never end.
    """
    try:
        _refuse_special(path, path.stat().st_mode)
        # A FIFO may have replaced the file since the check; O_NONBLOCK opens it without waiting for a writer.
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    except ValueError as error:  # the path contains a NUL
        raise OSError(errno.EINVAL, str(error), str(path)) from error
    try:
        _refuse_special(path, os.fstat(handle).st_mode)
        return os.fdopen(handle, "rb", buffering=0)
    except BaseException:
        os.close(handle)
        raise


def read_regular(path: Path, bytes_max: int) -> bytes:
    """Returns the content of a regular file of at most `bytes_max` bytes.

    Raises OSError if the file cannot be read. Its `errno` is EFBIG for a longer file, EISDIR for a directory,
    and EINVAL for a FIFO, a socket or a device.
    """
    with open_regular(path) as raw:
        if os.fstat(raw.fileno()).st_size > bytes_max:
            raise _too_long(path, bytes_max)
        parts, room = [], bytes_max + 1
        while room and (part := raw.read(min(room, 1 << 20))):
            parts.append(part)
            room -= len(part)
    if not room:
        raise _too_long(path, bytes_max)
    return b"".join(parts)


def read_text(path: Path, bytes_max: int) -> str:
    """Returns the UTF-8 text of a regular file of at most `bytes_max` bytes, without a byte order mark.

    Raises UnreadableFile if the file cannot be read, is longer, or is not UTF-8.
    """
    try:
        return read_regular(path, bytes_max).decode("utf-8-sig")
    except OSError as error:
        raise UnreadableFile(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UnreadableFile(f"{path}: not UTF-8") from error


def _refuse_special(path: Path, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    for is_of_type, name in _SPECIAL:
        if is_of_type(mode):
            raise OSError(errno.EINVAL, f"{name}, not a regular file", str(path))


def _too_long(path: Path, bytes_max: int) -> OSError:
    return OSError(errno.EFBIG, f"longer than {bytes_max} bytes", str(path))
