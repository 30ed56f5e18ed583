"""Options to redact traces, and the conversion of TraceError to ClickException, for several commands."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from fakeapi.machinery.printable import printable_line
from fakeapi.traces import fieldpaths
from fakeapi.traces.model import TraceError
from fakeapi.traces.recording.redaction import Redactor


def _paths(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> tuple[fieldpaths.FieldPath, ...]:
    try:
        return tuple(map(fieldpaths.parse, values))
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


def redaction_options(command: Any) -> Any:
    """Adds the options --redact and --keep-credentials to a command. Pass their values to `redactor`."""
    command = click.option(
        "--redact",
        "redact",
        callback=_paths,
        multiple=True,
        metavar="FIELD",
        help="Remove this field from every object: spec.controller, metadata.labels[a.b/c]. May be repeated.",
    )(command)
    return click.option(
        "--keep-credentials",
        is_flag=True,
        help="Keep tokens, passwords, keys and the data of Secrets.",
    )(command)


def redactor(*, redact: tuple[fieldpaths.FieldPath, ...], keep_credentials: bool) -> Redactor:
    """Returns a Redactor for the values of the options --redact and --keep-credentials."""
    return Redactor(credentials=not keep_credentials, paths=redact)


@contextmanager
def reported() -> Iterator[None]:
    """Context manager that converts a TraceError to a ClickException with a one-line message and exit status
    1.
    """
    try:
        yield
    except TraceError as error:
        raise click.ClickException(printable_line(error)) from error
