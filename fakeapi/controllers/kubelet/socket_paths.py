"""Makes Unix sockets with long paths usable by gRPC.

The path of a Unix socket is limited to 107 bytes on Linux and 103 on macOS. A driver in a container sees the
node's directory under another path, such as /var/lib/kubelet. The driver can create a socket whose path is
too long on this machine.
"""

import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc
import grpc.aio

from fakeapi.machinery.lazy_pattern import lazy_pattern

ADDRESS_BYTES_MAX = 103
"""Maximum length, in bytes, of a Unix socket's path on both Linux and macOS."""
_PLAIN = lazy_pattern(r"(?!//)[\w./@+,=:~-]+", re.ASCII)
"""Matches paths that need no escaping in a gRPC target. A gRPC target is a URI."""


class UnreachableSocket(grpc.aio.AioRpcError):  # type: ignore[misc]  # grpc has no types
    """Raised by calls to a socket if its path is too long and a link cannot replace it."""

    def __init__(self, problem: str) -> None:
        none = grpc.aio.Metadata()
        super().__init__(grpc.StatusCode.UNAVAILABLE, none, none, details=problem)
        self.problem = problem


@contextmanager
def connectable(path: str) -> Iterator[str]:
    """Yields a path to the socket that gRPC accepts: the socket's own path, or a temporary link.

    The link exists until the end of the block. gRPC errors from the block contain the socket's own path.
    Raises UnreachableSocket if no link is possible. Raises UnicodeEncodeError for a path that is not UTF-8.
    """
    if _PLAIN.fullmatch(path) and len(path.encode()) <= ADDRESS_BYTES_MAX:
        yield path
        return
    path.encode()
    with tempfile.TemporaryDirectory(prefix="k", ignore_cleanup_errors=True) as directory:
        link = _link(path, directory)
        try:
            yield link
        except grpc.aio.AioRpcError as error:
            details = (error.details() or "").replace(link, path)
            metadata = error.initial_metadata(), error.trailing_metadata()
            raise grpc.aio.AioRpcError(error.code(), *metadata, details=details) from None


def _link(path: str, directory: str) -> str:
    """Creates a symbolic link to the socket `path`. Returns the path of the link.

    `directory`: the directory for the link; it must be empty.

    Raises UnreachableSocket if the link cannot be created or its path is too long.
    """
    link = f"{directory}/s"
    size, room = len(path.encode()), f"the {ADDRESS_BYTES_MAX} that a socket's address has room for"
    if len(os.fsencode(link)) > ADDRESS_BYTES_MAX:
        problem = f"a link to it in {tempfile.gettempdir()} is longer than {room} too"
        raise UnreachableSocket(f"its path has {size} bytes, and {problem}")
    try:
        Path(link).symlink_to(Path(path).absolute())
    except (OSError, ValueError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else str(problem)
        raise UnreachableSocket(f"its path has {size} bytes, and cannot be linked: {reason}") from None
    return link
