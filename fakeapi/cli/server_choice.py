"""Chooses the server of a command from options and environment variables, and names the choice in errors."""

import os
import ssl
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from fakeapi.machinery.printable import printable_line
from fakeapi.settings import DEFAULT_PORT

if TYPE_CHECKING:
    from fakeapi.clients.control import ControlError
    from fakeapi.clients.target import Target

DEFAULT_SERVER = f"http://127.0.0.1:{DEFAULT_PORT}"
FROM_OPTION = "an option"
"""The origin of a target that --server or --kubeconfig names."""

FROM_SERVER_VARIABLE = "$FAKEAPI_SERVER"
FROM_KUBECONFIG_VARIABLE = "$KUBECONFIG"
_OF_URL = ("token", "token_file", "ca_file")
"""The options that belong to a URL, not to a kubeconfig."""


def choose_target(
    server: str | None, kubeconfig: Path | None, token: str | None, ca_file: Path | None
) -> "Target":
    """Returns the Target for a command, with its origin.

    The first of these names the server: --server, --kubeconfig, $FAKEAPI_SERVER, a readable file of
    $KUBECONFIG, DEFAULT_SERVER. $KUBECONFIG does not count if the command line sets a token or CA
    certificates, because a kubeconfig has its own. Prints a note if no file of $KUBECONFIG is readable.

    Raises UsageError if the command line sets --server and --kubeconfig. Raises TargetError if an option is
    invalid, or if a file cannot be read.
    """
    from fakeapi.clients.target import target_of_url  # noqa: PLC0415 - keeps --help fast

    source = click.get_current_context().get_parameter_source
    typed = source("server") is ParameterSource.COMMANDLINE
    if typed and kubeconfig is not None:
        raise click.UsageError("Set --server or --kubeconfig, not both.")
    if kubeconfig is not None:
        return _of_kubeconfig(kubeconfig, FROM_OPTION)
    if server is None and not any(source(name) is ParameterSource.COMMANDLINE for name in _OF_URL):
        names = [name for name in os.environ.get("KUBECONFIG", "").split(os.pathsep) if name]
        for name in names:
            if os.access(name, os.R_OK):
                return _of_kubeconfig(Path(name), FROM_KUBECONFIG_VARIABLE)
        if names:
            unreadable = printable_line(names[0])
            click.echo(
                f"Note: $KUBECONFIG names {unreadable}, which cannot be read; asking {DEFAULT_SERVER}",
                err=True,
            )
    target = target_of_url(server or DEFAULT_SERVER, token=token, ca_file=ca_file)
    if server is not None:
        target.origin = FROM_OPTION if typed else FROM_SERVER_VARIABLE
    return target


def _of_kubeconfig(path: Path, origin: str) -> "Target":
    from fakeapi.clients.kubeconfig_reader import target_of_kubeconfig  # noqa: PLC0415 - keeps --help fast

    target = target_of_kubeconfig(path)
    target.origin = origin
    return target


def named(target: "Target") -> str:
    """Returns the URL of a server for a message, and its origin unless an option names the server."""
    if target.origin == FROM_OPTION:
        return target.url
    return f"{target.url} ({target.origin or 'the default'})"


def with_hint(error: Exception, target: "Target") -> str:
    """Returns the message of an error, with a hint how to name another server.

    The hint follows only if the connection failed, and if no option of the command line names the server. If
    the certificate of the server is not trusted, the hint names the options for its CA.
    """
    text = printable_line(error)
    if isinstance(error.__cause__, ssl.SSLCertVerificationError):
        return f"{text}; --ca-file names the file of its CA, or --kubeconfig a kubeconfig with this CA"
    failed = target.url in text and isinstance(error.__cause__, OSError)
    if not failed or target.origin == FROM_OPTION:
        return text
    if not target.origin:
        return f"{text}; name the server with --server"
    return f"{text}; {target.origin} names this server, --server names another"


def control_error_text(error: "ControlError", target: "Target") -> str:
    """Returns the message for an error of the control API, in one line.

    Says that the server has no control API if it is not fakeapi, such as the server of a real cluster.
    """
    from fakeapi.clients.control import page_of  # noqa: PLC0415 - keeps --help fast

    if error.code in {403, 404} and not str(error).startswith("fakeapi: ") and not page_of(target):
        remedy = "name a fakeapi server with --server"
        return f"{named(target)} is not a fakeapi server with a control API; {remedy}"
    return printable_line(error) if error.code else with_hint(error, target)


def refuse_port(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    """Raises UsageError for --port, which users know from `fakeapi serve`; the error names --server."""
    if value is not None:
        port = value if value.isdecimal() else "PORT"
        raise click.UsageError(f"No such option '--port'. Write --server http://127.0.0.1:{port}.")
