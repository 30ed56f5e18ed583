"""Makes Unix sockets with long paths usable by gRPC, and creates directories with short paths for nodes.

The path of a Unix socket is limited to 107 bytes on Linux and 103 on macOS. A driver that mounts the node's
directory elsewhere, such as at /var/lib/kubelet, can create a socket with a longer path on this machine.
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
"""Maximum length in bytes of a Unix socket's path that Linux and macOS accept."""
DIRECTORY_ATTEMPTS = 100
"""Maximum number of random names to try for a new directory of nodes."""
_PLAIN = re.compile(r"(?!//)[\w./@+,=:~-]+", re.ASCII)
"""Matches the paths that need no escaping in a gRPC target, which is a URI."""


class UnreachableSocket(grpc.aio.AioRpcError):  # type: ignore[misc]  # grpc has no types
    """The path of a socket is too long, and no link can replace it.

    Every call to the socket raises this error.
    """

    def __init__(self, problem: str) -> None:
        none = grpc.aio.Metadata()
        super().__init__(grpc.StatusCode.UNAVAILABLE, none, none, details=problem)
        self.problem = problem


@contextmanager
def connectable(path: str) -> Iterator[str]:
    """Yields a path of the socket that gRPC accepts: its own path, or a link in a temporary directory.

    The link exists while the context is open. gRPC errors inside the context contain the socket's own path.
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
    """Creates a link to a socket in an empty directory; returns the path. Raises UnreachableSocket."""
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
    """Creates a private temporary directory whose name has six characters. Raises OSError.

    If temporary files are in /tmp, the registry path of a node named `node` has the same length as
    /var/lib/kubelet/plugins_registry. So socket names may have as many bytes as in a real cluster.
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
