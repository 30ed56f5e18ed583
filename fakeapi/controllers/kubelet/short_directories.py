"""Creates node directories with short paths, so that the sockets of drivers in them can be reached.

The path of a Unix socket is limited to 107 bytes on Linux and 103 on macOS.
"""

import secrets
import string
import sys
import tempfile
from pathlib import Path

DIRECTORY_ATTEMPTS = 100
"""Maximum number of random names to try for the directory that contains the node directories."""


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
