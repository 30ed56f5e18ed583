"""The options --token and --token-file of commands, which receive one `token`."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from fakeapi.cli.file_type import FILE
from fakeapi.token_file import given_token


def token_options(help: str, envvar: str = "") -> Callable[[Callable[..., Any]], Callable[..., Any]]:  # noqa: A002 - the name in click
    """Returns a decorator that adds --token and --token-file; the command receives `token`.

    `envvar` is the environment variable of the token; the variable of the file has the suffix _FILE. Without
    `envvar`, click derives both names from the command's prefix. An invalid token raises UsageError.
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
