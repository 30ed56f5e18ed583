"""Finds another distribution that installs a package named `fakeapi`.

PyPI has a distribution `fakeapi`, which has nothing to do with `fakeapi-k8s`. Both install files into one
folder `fakeapi`, and the later installation overwrites files of the earlier one.
"""

import os
import sys
from contextlib import suppress

NAME = "fakeapi"


def problem() -> str:
    """Returns a sentence that says how to remove the other distribution; "" if it is not installed.

    Imports `importlib.metadata` only if `sys.path` has a metadata folder named `fakeapi`. The import would
    take a tenth of the time in which a server starts.
    """
    if not _has_metadata():
        return ""
    from importlib import metadata  # noqa: PLC0415 - see the docstring

    try:
        version = metadata.version(NAME)
    except metadata.PackageNotFoundError:
        return ""
    return (
        f"the distribution {NAME} {version} is installed too, and has the same package name; "
        f"pip uninstall {NAME}, and pip install --force-reinstall fakeapi-k8s"
    )


def _has_metadata() -> bool:
    """Whether a folder of `sys.path` contains metadata of a distribution named `fakeapi`."""
    names: list[str] = []
    for folder in sys.path:
        with suppress(OSError):
            names += os.listdir(folder or ".")  # noqa: PTH208 - listdir is faster than creating Paths
    return any(name.lower().startswith((f"{NAME}-", f"{NAME}.")) for name in names)
