"""Finds misspelled environment variables of a command."""

import os
from collections.abc import Iterator

import click

from fakeapi.machinery.printable import printable_line
from fakeapi.machinery.suggestions import nearest

PREFIX = "FAKEAPI_"
_OTHERS = frozenset(("FAKEAPI_PORT_ON_HOST", "FAKEAPI_SERVER"))
"""Variables of the compose file and of other commands."""

_LIKENESS = 0.8
"""Minimum similarity, from 0 to 1, to a known variable. Other programs can use FAKEAPI_ for other names."""


def unknown_variables(context: click.Context) -> Iterator[str]:
    """Yields a warning for each variable that is probably a misspelled variable of a command's options."""
    known = set(_OTHERS)
    for param in context.command.params:
        names = param.envvar or ()
        known.update([names] if isinstance(names, str) else names)
    for name in sorted(os.environ):
        if name.startswith(PREFIX) and name not in known:
            near = nearest(name.removeprefix(PREFIX), (one.removeprefix(PREFIX) for one in known), _LIKENESS)
            if near:
                yield printable_line(f"the variable {name} is ignored; did you mean {PREFIX}{near}?")
