"""Finds another distribution that installs a package named `fakeapi`.

PyPI has a distribution `fakeapi`, which has nothing to do with `fakeapi-k8s`. Both install files into one
folder `fakeapi`, and the one that is installed last overwrites files of the other.
"""

from importlib import metadata

NAME = "fakeapi"


def problem() -> str:
    """Returns a sentence that says how to remove the other distribution; "" if it is not installed."""
    try:
        version = metadata.version(NAME)
    except metadata.PackageNotFoundError:
        return ""
    return (
        f"the distribution {NAME} {version} is installed too, and has the same package name; "
        f"pip uninstall {NAME}, and pip install --force-reinstall fakeapi-k8s"
    )
