"""Adds the options --token and --token-file to commands. Commands receive one argument `token`."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from fakeapi.cli.file_type import FILE
from fakeapi.token_file import given_token


def token_options(help: str, envvar: str = "") -> Callable[[Callable[..., Any]], Callable[..., Any]]:  # noqa: A002 - the name in click
    """Returns a decorator that adds --token and --token-file to a command.

    The command receives the argument `token`: the token, or None without both options. If both options are
    set, or the token is unusable, the command fails with UsageError.

    - `help`: the help text of --token.
    - `envvar`: the environment variable for --token. With the suffix _FILE, it is the variable for
      --token-file. If `envvar` is "", click derives both names from the command's `auto_envvar_prefix`.
    """

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def call(*args: Any, token: str | None, token_file: Path | None, **rest: Any) -> Any:
            try:
                token = given_token(token, token_file)
            except ValueError as error:
                raise click.UsageError(str(error)) from error
            return command(*args, token=token, **rest)

        file = click.option(
            "--token-file",
            metavar="FILE",
            envvar=f"{envvar}_FILE" if envvar else None,
            type=FILE,
            help="Read the token from this file, so that process lists do not show it.",
        )
        return click.option("--token", metavar="TOKEN", envvar=envvar or None, help=help)(file(call))

    return decorate
