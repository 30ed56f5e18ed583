"""Adds options to commands that select a running server, and converts errors of its requests."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fakeapi.cli.file_type import FILE
from fakeapi.cli.token_options import token_options
from fakeapi.machinery.printable import printable_line
from fakeapi.settings import DEFAULT_PORT

if TYPE_CHECKING:
    from fakeapi.clients.target import Target


def control_client(command: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator that adds the options that select a server. The command receives the argument `client`.

    `client` is a ControlClient for the control API of the server. If the command raises ControlError, prints
    one line and exits with status 1.
    """

    @wraps(command)
    def call(*, target: "Target", **rest: Any) -> Any:
        from fakeapi.clients.control import ControlClient, ControlError  # noqa: PLC0415 - keeps --help fast

        try:
            client = ControlClient.of_target(target)
            try:
                return command(client=client, **rest)
            finally:
                client.close()
        except ControlError as error:
            raise click.ClickException(printable_line(error)) from error

    return server_target(call)


def server_target(command: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator that adds the options that select a server. The command receives the argument `target`.

    `target` is the Target for the server. If the command raises TargetError, prints one line and exits with
    status 1.
    """

    @wraps(command)
    def call(
        *, server: str, kubeconfig: Path | None, token: str | None, ca_file: Path | None, **rest: Any
    ) -> Any:
        from fakeapi.clients.target import TargetError  # noqa: PLC0415 - keeps --help fast

        try:
            return command(target=_target(server, kubeconfig, token, ca_file), **rest)
        except TargetError as error:
            raise click.ClickException(printable_line(error)) from error

    decorated: Callable[..., Any] = call
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


def _target(server: str, kubeconfig: Path | None, token: str | None, ca_file: Path | None) -> "Target":
    """Returns the Target for the options --server, --kubeconfig, --token and --ca-file.

    If `kubeconfig` is not None, ignores the other options. Raises TargetError if an option is invalid, or if
    a file cannot be read.
    """
    if kubeconfig is not None:
        from fakeapi.clients.kubeconfig_reader import target_of_kubeconfig  # noqa: PLC0415 - keeps --help fast

        return target_of_kubeconfig(kubeconfig)
    from fakeapi.clients.target import target_of_url  # noqa: PLC0415 - keeps --help fast

    return target_of_url(server, token=token, ca_file=ca_file)


_OPTIONS = (
    click.option(
        "--server",
        metavar="URL",
        envvar="FAKEAPI_SERVER",
        default=f"http://127.0.0.1:{DEFAULT_PORT}",
        show_default=True,
        help="Ask the server at this URL.",
    ),
    click.option(
        "--kubeconfig",
        metavar="FILE",
        type=FILE,
        help="Ask the server of this kubeconfig, with its token and certificates.",
    ),
    token_options("Send this bearer token with --server.", envvar="FAKEAPI_TOKEN"),
    click.option("--ca-file", metavar="FILE", type=FILE, help="Trust these certificates with --server."),
)
