"""Options and errors of the commands that are clients of a server's control API."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from fakeapi.settings import DEFAULT_PORT

_FILE = click.Path(dir_okay=False, path_type=Path)


def control_client(command: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator: adds the options that say which server, and gives the command a `client` of it.

    What the server refuses is one line and exit status 1.
    """

    @wraps(command)
    def call(
        *, server: str, kubeconfig: Path | None, token: str | None, ca_file: Path | None, **rest: Any
    ) -> Any:
        from fakeapi.testing.control import ControlClient, ControlError  # noqa: PLC0415 - for --help's sake
        from fakeapi.traces.client.target import TargetError  # noqa: PLC0415 - the same

        try:
            if kubeconfig is not None:
                client = ControlClient.of_kubeconfig(kubeconfig)
            else:
                client = ControlClient.of_url(server, token=token, ca_file=ca_file)
            try:
                return command(client=client, **rest)
            finally:
                client.close()
        except (ControlError, TargetError) as error:
            raise click.ClickException(str(error)) from error

    for option in reversed(_OPTIONS):
        call = option(call)
    return call


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
        type=_FILE,
        help="Ask the server of this kubeconfig, with its token and certificates.",
    ),
    click.option(
        "--token", metavar="TOKEN", envvar="FAKEAPI_TOKEN", help="Send this bearer token with --server."
    ),
    click.option("--ca-file", metavar="FILE", type=_FILE, help="Trust these certificates with --server."),
)
