"""Prints the URL, the kubeconfig and the state of a started server, and writes its ready file."""

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fakeapi.atomic_file import write_atomically
from fakeapi.machinery.hosts import connect_host
from fakeapi.machinery.printable import LINE_MAX, printable
from fakeapi.settings import DEFAULT_PORT

if TYPE_CHECKING:
    from fakeapi.journal.entry import Entry
    from fakeapi.testing.server import FakeAPI

PLAIN_HTTP_NOTE = (
    "Note: kubectl and other clients built on client-go send no token over plain HTTP and get 401; add --tls."
)
CHOOSE_NOTE = "; --release chooses one"
"""The end of the first line if the user chose no release."""
DEMO_NOTE = (
    "Demo: the namespace demo fills within seconds. Try:\n"
    "  kubectl -n demo get pods,resourceclaims\n"
    "  fakeapi explain pod demo/too-large{server}"
)
HEARTBEATS = "leases"
"""The resource whose requests `--log` omits: kubelets and leader elections renew leases every few seconds."""
OWN_CONTROLLERS = "kubernetes/fakeapi"
"""A part of the User-Agent of the server's own controllers; `--log` omits their requests."""


def announce(
    server: "FakeAPI", release: str | None, ready_file: Path | None, options: dict[str, Any]
) -> None:
    """Writes the ready file. Then prints the URL, the kubeconfig, the live page and notes about the options.

    - `release`: the Kubernetes release that the user chose; None for the default.
    - `options`: the options of the server, by the field names of Settings.

    Raises StartError if the ready file cannot be written.
    """
    if ready_file is not None:
        _write_ready_file(server, ready_file)
    from fakeapi.releases.serving import default_description  # noqa: PLC0415 - keeps --help fast

    chosen = release or default_description()
    click.echo(f"Serving Kubernetes {chosen} at {server.url}{'' if release else CHOOSE_NOTE}")
    if connect_host(options["host"]) != options["host"]:
        click.echo(f"Other machines: port {server.port} of every address of this machine ({options['host']})")
    click.echo(f"export KUBECONFIG={server.kubeconfig.absolute()}")
    if server.page:
        click.echo(f"Live page: {server.page}")
    click.echo(_objects_text(server, options["database"]))
    if not (options["controllers"] or options.get("drivers") or options.get("run")):
        click.echo("Controllers: none, so pods stay Pending; --controllers all runs them")
    if options["latency"]:
        click.echo(f"Latency: the server delays every request by {options['latency']:g} s (--latency)")
    if server.token is not None and not server.url.startswith("https:"):
        click.echo(PLAIN_HTTP_NOTE, err=True)


def _objects_text(server: "FakeAPI", database: str | Path | None) -> str:
    """Returns a line that says where the server keeps objects, and how many it has."""
    if database is None:
        return "Objects: in memory; --db FILE keeps them"
    from fakeapi_storage import parse_location  # noqa: PLC0415 - keeps --help fast

    count = server._running().count_objects()  # noqa: SLF001 - the program announces its own server
    return printable(f"Objects: {count} in {parse_location(database).text}, which keeps them")


def announce_demo(server: "FakeAPI") -> None:
    """Prints the namespace of `serve --demo`, and commands that show its objects.

    The command of fakeapi has the option --server, unless the server has the default port.
    """
    is_default = server.url == f"http://127.0.0.1:{DEFAULT_PORT}"
    click.echo(DEMO_NOTE.format(server="" if is_default else f" --server {server.url}"))


def print_requests(server: "FakeAPI") -> None:
    """Prints one line for each later request of a client.

    Leaves out requests for leases, and requests of the server's own controllers.
    """
    server.on_request(_print_request)


def _print_request(entry: "Entry") -> None:
    if entry.resource != HEARTBEATS and OWN_CONTROLLERS not in entry.agent:
        click.echo(printable(str(entry)[:LINE_MAX]))


def remove_ready_file(path: Path | None) -> None:
    """Removes the ready file of this process, or of a process that has ended, such as one that was killed.

    A client thus does not take the file for that of a later server. Leaves the file of another running
    server, pipes and other special files, and files that cannot be removed.
    """
    if path is None or not path.is_file():
        return
    with suppress(OSError, ValueError, LookupError, TypeError, OverflowError):
        process = json.loads(path.read_bytes())["pid"]
        if process == os.getpid() or not _is_running(process):
            path.unlink()


def _is_running(process: int) -> bool:
    """Whether a process with this id exists. Raises PermissionError if it belongs to another user."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def _write_ready_file(server: "FakeAPI", path: Path) -> None:
    from fakeapi.testing.server import StartError  # noqa: PLC0415 - keeps --help fast

    facts = {
        "url": server.url,
        "kubeconfig": str(server.kubeconfig.absolute()),
        "ca_file": str(server.ca_file.absolute()) if server.ca_file else None,
        "pid": os.getpid(),
    }
    try:
        write_atomically(path, json.dumps(facts).encode() + b"\n")
    except OSError as error:
        raise StartError(f"cannot write the ready file {path}: {error.strerror}") from error
