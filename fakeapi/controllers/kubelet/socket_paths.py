"""Makes Unix sockets with long paths usable by gRPC, and creates node directories with short paths.

The path of a Unix socket is limited to 107 bytes on Linux and 103 on macOS. A driver in a container sees the
node's directory under another path, such as /var/lib/kubelet. The driver can create a socket whose path is
too long on this machine.
"""

import os
import re
import secrets
import string
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc
import grpc.aio

ADDRESS_BYTES_MAX = 103
"""Maximum length, in bytes, of a Unix socket's path on both Linux and macOS."""
DIRECTORY_ATTEMPTS = 100
"""Maximum number of random names to try for the directory that contains the node directories."""
_PLAIN = re.compile(r"(?!//)[\w./@+,=:~-]+", re.ASCII)
"""Matches paths that need no escaping in a gRPC target. A gRPC target is a URI."""


class UnreachableSocket(grpc.aio.AioRpcError):  # type: ignore[misc]  # grpc has no types
    """Raised by every call to a socket whose path is too long and cannot be replaced by a link."""

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


def make_short_directory() -> Path:
    """Creates a private temporary directory whose name has six characters.

    Example: below /tmp, the registry path of a node named `node` is as long as
    /var/lib/kubelet/plugins_registry. So socket names may be as long as in a real cluster. Raises OSError if
    the directory cannot be created.
    """
    parent = Path("/tmp" if sys.platform == "darwin" else tempfile.gettempdir())  # noqa: S108 - made privately
    for _ in range(DIRECTORY_ATTEMPTS):
        name = "".join(secrets.choice(string.ascii_lowercase + string.digits) for _ in range(5))
        directory = parent / f"k{name}"
        try:
            directory.mkdir(mode=0o700)
        except FileExistsError:
            continue
        return directory
    raise FileExistsError(f"no free name for a directory of nodes in {parent}")
