"""Reads bearer tokens from files.

A token on the command line would be visible to all users of the machine.
"""

import os
import re
import stat
from pathlib import Path

from fakeapi.machinery.lazy_pattern import lazy_pattern

TOKEN_MAX = 65_536
"""Maximum size of a token file in bytes; reading a longer file raises TokenFileError."""

_FORBIDDEN = stat.S_IWGRP | stat.S_IRWXO
"""Permission bits that a token file must not have: write for the group, and any access for other users."""

_TOKEN = lazy_pattern(rb"[\x21-\x7e]+")


class TokenFileError(ValueError):
    """Raised for an unusable token file. The error message is one line and does not contain the token."""


def read_token(path: str | Path) -> str:
    """Returns the token in a file, without the newline at its end.

    Raises TokenFileError if the file

    - cannot be read, is not a regular file, or is longer than TOKEN_MAX bytes;
    - is writable by its group, or accessible to other users;
    - is empty, or contains anything except printable ASCII characters without spaces.
    """
    token = re.sub(rb"\r?\n\Z", b"", _read(path))
    if not token:
        raise TokenFileError(f"the token file {path} is empty")
    if not _TOKEN.fullmatch(token):
        raise TokenFileError(
            f"the token file {path} must hold one line of printable ASCII characters without spaces"
        )
    return token.decode("ascii")


def has_several_users(path: str | Path) -> bool:
    """Whether a token file is a table of users, with commas, instead of a single token.

    Raises TokenFileError if the file

    - cannot be read, is not a regular file, or is longer than TOKEN_MAX bytes;
    - is writable by its group, or accessible to other users.
    """
    return b"," in _read(path)


def _read(path: str | Path) -> bytes:
    """Returns the content of a token file.

    Raises TokenFileError if the file

    - cannot be read, is not a regular file, or is longer than TOKEN_MAX bytes;
    - is writable by its group, or accessible to other users.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise TokenFileError(f"the token file {path} is not a regular file")
            data = os.read(descriptor, TOKEN_MAX + 1)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise TokenFileError(f"cannot read the token file {path}: {error.strerror}") from error
    if status.st_mode & _FORBIDDEN:
        mode = stat.S_IMODE(status.st_mode)
        raise TokenFileError(
            f"the token file {path} is open to other users of this machine (mode {mode:04o}): chmod 600 it"
        )
    if len(data) > TOKEN_MAX:
        raise TokenFileError(f"the token file {path} is longer than {TOKEN_MAX} bytes")
    return data


def given_token(token: str | None, path: str | Path | None) -> str | None:
    """Returns `token`, or the token in the file `path`, or None if both are None.

    Raises ValueError if `token` is empty, or if `token` and `path` are both given. Raises TokenFileError for
    an unusable file.
    """
    if token is not None and path is not None:
        raise ValueError("the token is given twice: name a token or a token file, not both")
    if path is not None:
        return read_token(path)
    if token == "":
        raise ValueError("token: the token is empty")
    return token
