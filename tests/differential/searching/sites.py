"""Sites: the places in `fakeapi/kinds` that created an error of a field."""

import importlib
import pkgutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from fakeapi import kinds, machinery
from fakeapi.machinery import field_errors
from tests.differential.exchanges.messages import KINDS


class Sites:
    """The places that created an error since the last call of `take`."""

    def __init__(self) -> None:
        self._seen: set[str] = set()

    def add(self, file: str, line: int) -> None:
        """Adds a place. Leaves out files outside of `fakeapi/kinds`."""
        folder = f"{KINDS}/"
        if file.startswith(folder):
            self._seen.add(f"{file.removeprefix(folder)}:{line}")

    def take(self) -> set[str]:
        """Returns the places as in `Message.place`, and forgets them."""
        taken = {*self._seen}
        self._seen.clear()
        return taken


@contextmanager
def watched_sites() -> Iterator[Sites]:
    """Watches the functions of `field_errors` until the block ends."""
    for package in (kinds, machinery):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)  # annotations need the real class
    sites, real = Sites(), field_errors.FieldError

    def recorded(*values: str) -> field_errors.FieldError:
        frame = sys._getframe(2)
        sites.add(frame.f_code.co_filename, frame.f_lineno)
        return real(*values)

    field_errors.FieldError = recorded  # type: ignore[assignment, misc]
    try:
        yield sites
    finally:
        field_errors.FieldError = real  # type: ignore[misc]
