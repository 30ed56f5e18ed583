"""The command `fakeapi snapshot`: takes, restores, saves and compares snapshots of a running server."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fakeapi.cli.control_options import control_client
from fakeapi.cli.file_type import FILE
from fakeapi.cli.progress import Waiting
from fakeapi.machinery.printable import printable, printable_line

if TYPE_CHECKING:
    from fakeapi.snapshots.model import Snapshot


@click.group()
def snapshot() -> None:
    """Keep, restore and compare all objects of a running server."""


@snapshot.command("list")
@control_client
def list_(*, client: Any) -> None:
    """List the snapshots that the server keeps."""
    kept = client.get("/snapshots")
    if not kept:
        click.echo("The server keeps no snapshots.")
    for entry in kept:
        _print_snapshot(entry)


@snapshot.command()
@click.argument("name")
@control_client
def take(*, client: Any, name: str) -> None:
    """Take a snapshot of the current objects, and keep it as NAME."""
    with Waiting("taking the snapshot"):
        taken = client.put(f"/snapshots/{_quoted(name)}")
    _print_snapshot(taken)


@snapshot.command()
@click.argument("name")
@click.option(
    "--rewind",
    is_flag=True,
    help="Let new resourceVersions continue after the snapshot's own; only for clients that start again.",
)
@control_client
def restore(*, client: Any, name: str, rewind: bool) -> None:
    """Replace all objects with the objects of the snapshot NAME. Open watches end."""
    with Waiting("restoring"):
        client.post(f"/snapshots/{_quoted(name)}/restore", {"rewind": rewind})
    click.echo(f"restored {name}")


@snapshot.command()
@click.argument("name")
@control_client
def delete(*, client: Any, name: str) -> None:
    """Delete the snapshot NAME."""
    client.delete(f"/snapshots/{_quoted(name)}")
    click.echo(f"deleted {name}")


@snapshot.command()
@click.argument("name")
@click.argument("file", type=FILE)
@control_client
def save(*, client: Any, name: str, file: Path) -> None:
    """Write the snapshot NAME to FILE; a file whose name ends with .gz is gzipped."""
    from fakeapi.snapshots.model import SnapshotError  # noqa: PLC0415 - keeps --help fast

    try:
        with Waiting("saving"):
            _downloaded(client, name).save(file)
    except SnapshotError as error:
        raise click.ClickException(printable_line(error)) from error
    click.echo(f"saved {name} to {file}")


@snapshot.command()
@click.argument("file", type=FILE)
@click.argument("name")
@control_client
def load(*, client: Any, file: Path, name: str) -> None:
    """Load a snapshot from FILE into the server, and keep it as NAME."""
    from fakeapi.snapshots.file import encoded  # noqa: PLC0415 - keeps --help fast

    with Waiting("loading"):
        loaded = client.put(f"/snapshots/{_quoted(name)}/file", encoded(_read(file), compressed=True))
    _print_snapshot(loaded)


@snapshot.command()
@click.argument("old")
@click.argument("new", default="")
@control_client
def diff(*, client: Any, old: str, new: str) -> None:
    """Compare the snapshot OLD with NEW, or with the current objects. OLD and NEW are names or files.

    Exit status: 0 if they are equal, 1 if they differ.
    """
    with Waiting("comparing"):
        if not any(Path(name).is_file() for name in (old, new)):
            comparison = client.get("/snapshots/diff", old=old, new=new or None)
            differences, more = [_text(item) for item in comparison["items"]], comparison["more"]
        else:
            differences, more = (
                [str(item) for item in _snapshot_of(client, old).diff(_snapshot_of(client, new))],
                0,
            )
    for difference in differences:
        click.echo("\n".join(printable(line) for line in difference.splitlines()))
    if more:
        click.echo(f"and {more} more objects")
    if differences:
        raise click.exceptions.Exit(1)
    click.echo("No differences.")


def _snapshot_of(client: Any, name: str) -> "Snapshot":
    if Path(name).is_file():
        return _read(Path(name))
    if name:
        return _downloaded(client, name)
    raise click.ClickException("a comparison with a file needs two arguments: files or names of snapshots")


def _read(file: Path) -> "Snapshot":
    from fakeapi.snapshots.model import Snapshot, SnapshotError  # noqa: PLC0415 - keeps --help fast

    try:
        return Snapshot.load(file)
    except SnapshotError as error:
        raise click.ClickException(printable_line(error)) from error


def _downloaded(client: Any, name: str) -> "Snapshot":
    from fakeapi.snapshots.file import decoded  # noqa: PLC0415 - keeps --help fast
    from fakeapi.snapshots.model import Snapshot  # noqa: PLC0415 - keeps --help fast

    return Snapshot.of(decoded(client.get(f"/snapshots/{_quoted(name)}/file").encode(), name))


def _text(item: dict[str, Any]) -> str:
    """Formats a difference between two snapshots as text. `item`: a difference in the JSON of the control
    API.
    """
    from fakeapi.snapshots.comparing import Difference, FieldChange  # noqa: PLC0415 - keeps --help fast

    fields = tuple(FieldChange(field["path"], field["old"], field["new"]) for field in item["fields"])
    place = item["resource"], item["namespace"], item["name"]
    return str(Difference(item["kind"], *place, fields, item["more"]))


def _print_snapshot(kept: dict[str, Any]) -> None:
    release = f", release {kept['release']}" if kept["release"] else ""
    text = f"{kept['name']}: {kept['objects']} objects, taken at {kept['takenAt']}{release}"
    click.echo(printable_line(text))


def _quoted(name: str) -> str:
    from urllib.parse import quote  # noqa: PLC0415 - keeps --help fast

    return quote(name, safe="")
