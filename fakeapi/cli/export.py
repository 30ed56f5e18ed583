"""The command `fakeapi export`: writes the objects of a server or of a database as plain manifests.

Exit status: 0 if the manifests were written, 1 for errors of reading or writing, 2 for invalid options.
"""

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fakeapi.cli.control_options import server_target
from fakeapi.cli.file_type import FILE
from fakeapi.cli.server_choice import FROM_OPTION, named
from fakeapi.cli.transfer_options import read_limit, reported, selection_of, selection_options, summary
from fakeapi.machinery.printable import printable_line

if TYPE_CHECKING:
    from fakeapi.clients.target import Target
    from fakeapi.transfer.exporting import Exported
    from fakeapi.transfer.selection import Selection


@click.command(context_settings={"show_default": True})
@click.option("--output", "-o", metavar="FILE", type=FILE, help="Write one file.  [default: standard output]")
@click.option(
    "--directory",
    "-d",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write NAMESPACE/RESOURCE/NAME.yaml into this new directory.",
)
@selection_options
@click.option("--status", is_flag=True, help="Also write the status of objects.")
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Also write events, and objects that every server creates by itself.",
)
@read_limit
@server_target
@click.option(
    "--db",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Read the objects from this database file instead of a server; the file is not changed.",
)
@click.option("--release", metavar="RELEASE", help="Read --db as this Kubernetes release.")
def export(
    *,
    target: "Target",
    output: Path | None,
    directory: Path | None,
    status: bool,
    limit: int,
    db: Path | None,
    release: str | None,
    **chosen: Any,
) -> None:
    """Write the objects of a server as manifests in YAML, for `fakeapi import` and `kubectl`.

    The manifests lack uids, resourceVersions, timestamps and managed fields; --status includes the status.
    Only GET requests are sent. From a server other than fakeapi, Secrets are written without their data.
    """
    if output is not None and directory is not None:
        raise click.UsageError("Name --output or --directory, not both.")
    if release is not None and db is None:
        raise click.UsageError("--release needs --db.")
    from fakeapi.transfer import files  # noqa: PLC0415 - keeps --help fast

    selection = selection_of(chosen)
    with reported(target):
        if directory is not None:
            files.check_directory(directory)
        if db is None:
            exported = _read(target, selection, status=status, limit=limit)
        else:
            from fakeapi.transfer.database import copy_served  # noqa: PLC0415 - keeps --help fast

            with copy_served(db, release) as copied:
                exported = _read(copied, selection, status=status, limit=limit)
        manifests = [manifest for _, manifest in exported.manifests]
        if directory is not None:
            files.write_directory(directory, exported.manifests)
        elif output is not None:
            files.write_file(output, manifests)
        else:
            sys.stdout.write(files.text_of(manifests))
    for problem in exported.problems:
        click.echo(f"Left out: {printable_line(problem)}", err=True)
    origin = "" if db is not None or target.origin == FROM_OPTION else f", from {named(target)}"
    click.echo(f"exported {summary(resource for resource, _ in exported.manifests)}{origin}", err=True)
    if exported.problems and not manifests:
        raise click.exceptions.Exit(1)


def _read(target: "Target", selection: "Selection", *, status: bool, limit: int) -> "Exported":
    from fakeapi.cli.progress import Activity  # noqa: PLC0415 - keeps --help fast
    from fakeapi.clients.remote import ReadOnlyClient  # noqa: PLC0415 - keeps --help fast
    from fakeapi.transfer.exporting import AGENT, export  # noqa: PLC0415 - keeps --help fast

    async def read() -> "Exported":
        api = ReadOnlyClient(target, AGENT)
        try:
            return await export(api, selection, status=status, limit=limit, progress=activity)
        finally:
            await api.close()

    with Activity("reading", "resources") as activity:
        return asyncio.run(read())
