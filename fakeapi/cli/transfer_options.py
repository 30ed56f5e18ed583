"""The options, errors and summary line that `fakeapi export` and `fakeapi import` share."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from fakeapi.cli.numbers import WholeNumber
from fakeapi.cli.server_choice import with_hint
from fakeapi.machinery.printable import counted, printable_line
from fakeapi.transfer.bounds import OBJECTS_MAX

if TYPE_CHECKING:
    from fakeapi.clients.target import Target
    from fakeapi.transfer.selection import Selection

F = TypeVar("F", bound=Callable[..., Any])
_SHOWN = 8
"""Maximum number of resources that a summary names."""


def selection_options(command: F) -> F:
    """Adds the options --namespace, --resource and --selector to a command. Pass their values to
    `selection_of`.
    """
    for option in (
        click.option(
            "--selector",
            "-l",
            "labels",
            metavar="SELECTOR",
            default="",
            help="Only objects with these labels.",
            show_default=False,
        ),
        click.option(
            "--resource",
            "-r",
            "resources",
            metavar="RESOURCE",
            multiple=True,
            help="Only this resource, such as pods or deployments.apps. May be repeated.",
        ),
        click.option(
            "--namespace",
            "-n",
            "namespaces",
            metavar="NAMESPACE",
            multiple=True,
            help="Only this namespace; objects without a namespace only if --resource names their resource. "
            "May be repeated.",
        ),
    ):
        command = option(command)
    return command


def read_limit(command: F) -> F:
    """Adds the option --limit, the maximum number of objects, to a command."""
    return click.option(
        "--limit",
        type=WholeNumber(1),
        default=OBJECTS_MAX,
        help="Fail if there are more objects than this.",
    )(command)


def selection_of(chosen: dict[str, Any], **more: Any) -> "Selection":
    """Converts the values of the options from `selection_options` to a Selection.

    - `chosen`: the values of the options, by parameter name, and optionally other fields of Selection.
    - `more`: further fields of Selection.
    """
    from fakeapi.transfer.selection import Selection, all_of  # noqa: PLC0415 - keeps --help fast

    namespaces, resources = all_of(chosen.pop("namespaces")), all_of(chosen.pop("resources"))
    return Selection(namespaces, resources, **chosen, **more)


@contextmanager
def reported(target: "Target") -> Iterator[None]:
    """Context manager that converts errors of an export or import to a one-line ClickException with exit
    status 1.

    `target`: the server of the command. An error of this server says how to name another server.
    """
    from fakeapi.clients.errors import StatusError  # noqa: PLC0415 - keeps --help fast
    from fakeapi.clients.target import TargetError  # noqa: PLC0415 - keeps --help fast
    from fakeapi.installing.sources import InstallError  # noqa: PLC0415 - keeps --help fast
    from fakeapi.transfer.database import DatabaseUnreadable  # noqa: PLC0415 - keeps --help fast
    from fakeapi.transfer.files import WriteError  # noqa: PLC0415 - keeps --help fast
    from fakeapi.transfer.reading import TooManyObjects  # noqa: PLC0415 - keeps --help fast
    from fakeapi.transfer.selection import SelectionError  # noqa: PLC0415 - keeps --help fast

    try:
        yield
    except (
        StatusError,
        InstallError,
        TargetError,
        DatabaseUnreadable,
        WriteError,
        TooManyObjects,
        SelectionError,
    ) as error:
        raise click.ClickException(with_hint(error, target)) from error


def summary(resources: Iterable[str]) -> str:
    """Returns the counts of resources as text, such as "3 objects: pods 2, nodes 1".

    `resources`: the resource of each object, such as "pods". The text names at most _SHOWN resources.
    """
    counts = Counter(resources)
    total = counts.total()
    named = [f"{printable_line(resource)} {count}" for resource, count in counts.most_common(_SHOWN)]
    others = total - sum(count for _, count in counts.most_common(_SHOWN))
    named += [f"others {others}"] if others else []
    return counted(total, "object") + (f": {', '.join(named)}" if named else "")
