"""Adds options to commands that select a running server, and converts errors of its requests."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fakeapi.cli.file_type import FILE
from fakeapi.cli.server_choice import DEFAULT_SERVER, choose_target, control_error_text, refuse_port
from fakeapi.cli.token_options import token_options
from fakeapi.machinery.printable import printable_line

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
            raise click.ClickException(control_error_text(error, target)) from error

    return server_target(call)


def server_target(command: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator that adds the options that select a server. The command receives the argument `target`.

    `target` is the Target for the server. If the command raises TargetError, prints one line and exits with
    status 1.
    """

    @wraps(command)
    def call(
        *, server: str | None, kubeconfig: Path | None, token: str | None, ca_file: Path | None, **rest: Any
    ) -> Any:
        from fakeapi.clients.target import TargetError  # noqa: PLC0415 - keeps --help fast

        if rest.get("db") is not None:  # the command reads a database file, so no kubeconfig matters
            server = server or DEFAULT_SERVER
        try:
            return command(target=choose_target(server, kubeconfig, token, ca_file), **rest)
        except TargetError as error:
            raise click.ClickException(printable_line(error)) from error

    decorated: Callable[..., Any] = call
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


_OPTIONS = (
    click.option(
        "--server",
        metavar="URL",
        envvar="FAKEAPI_SERVER",
        help="Ask the server at this URL.  [default: $FAKEAPI_SERVER, or the server of the kubeconfig in "
        f"$KUBECONFIG, or {DEFAULT_SERVER}]",
    ),
    click.option(
        "--kubeconfig",
        metavar="FILE",
        type=FILE,
        help="Ask the server of this kubeconfig, with its token and certificates.",
    ),
    token_options("Send this bearer token with --server.", envvar="FAKEAPI_TOKEN"),
    click.option("--ca-file", metavar="FILE", type=FILE, help="Trust these certificates with --server."),
    click.option("--port", hidden=True, expose_value=False, is_eager=True, callback=refuse_port),
)
