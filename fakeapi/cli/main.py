"""The command `fakeapi`: reads options, prints and exits. What it does is done by `fakeapi.testing`.

Exit status: 0 when it was told to stop, 1 for what the machine refuses (a port, a file, a database), 2 for
options that make no sense. Modules are imported by the command that needs them, so that `--help` is quick.
"""

import ipaddress
import json
import os
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import click

from fakeapi import __version__

if TYPE_CHECKING:
    from fakeapi.testing.server import FakeAPI

DEFAULT_PORT = 8001
HEALTH_SECONDS = 2.0
"""For the server to answer a health check."""


class _Commands(click.Group):
    """Commands of which some are imported when they are called; the list of commands has their text here."""

    later: ClassVar[dict[str, tuple[str, str]]] = {
        "record": ("fakeapi.cli.record", "Record the traffic between clients and a cluster."),
        "replay": ("fakeapi.cli.replay", "Send the requests of a trace again and compare the responses."),
        "trace": ("fakeapi.cli.trace", "Inspect and convert recorded traces."),
    }

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*super().list_commands(ctx), *self.later])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.later:
            return super().get_command(ctx, cmd_name)
        command: click.Command = getattr(import_module(self.later[cmd_name][0]), cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = []
        for name in self.list_commands(ctx):
            own = super().get_command(ctx, name)
            rows.append((name, own.get_short_help_str(80) if own else self.later[name][1]))
        with formatter.section("Commands"):
            formatter.write_dl(rows)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="fakeapi %(version)s")
def main() -> None:
    """A fake Kubernetes API server for Dynamic Resource Allocation."""


@main.command(context_settings={"auto_envvar_prefix": "FAKEAPI", "show_default": True})
@click.option(
    "--release",
    metavar="RELEASE",
    help="Kubernetes release, see `fakeapi releases`.  [default: each API version as its newest release]",
)
@click.option(
    "--feature-gates",
    metavar="NAME=BOOL,…",
    default="",
    show_default=False,
    help="Feature gates, as in Kubernetes.",
)
@click.option(
    "--db",
    "database",
    envvar="FAKEAPI_DB",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Keep the state in this file.  [default: in memory]",
)
@click.option(
    "--durability",
    type=click.Choice(["normal", "full"]),
    default="normal",
    help="What an acknowledged write survives: the process, or the machine too.",
)
@click.option(
    "--history",
    type=click.IntRange(min=1),
    default=10_000,
    help="Changes to keep; versions before them are Expired, for lists and for watches.",
)
@click.option("--host", default="127.0.0.1", help="Address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=DEFAULT_PORT,
    help="Port to listen on; 0 takes a free one.",
)
@click.option(
    "--kubeconfig",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the kubeconfig there, and leave it.  [default: a temporary file]",
)
@click.option("--tls", is_flag=True, help="Serve HTTPS; with --db, its CA is kept beside the database.")
@click.option("--token", metavar="TOKEN", help="Bearer token that clients must send.")
@click.option(
    "--allow-anonymous", is_flag=True, help="Listen on other addresses than loopback without a token."
)
@click.option(
    "--advertise-url",
    metavar="URL",
    help="URL for the kubeconfig, where clients reach the server by another one.",
)
@click.option(
    "--grace",
    type=click.FloatRange(0, 3600),
    default=0.3,
    help="Seconds for running requests to end when stopping.",
)
@click.option(
    "--record",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Record the traffic there: .jsonl, .jsonl.gz or .jsonl.zst. It appears when the server stops.",
)
@click.option(
    "--redact",
    multiple=True,
    metavar="FIELD",
    help="Field that is not recorded, such as spec.controller; may be repeated. Credentials never are.",
)
@click.option(
    "--ready-file",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write url, kubeconfig, ca_file and pid there as JSON once ready.",
)
@click.option(
    "--from",
    "trace",
    metavar="TRACE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Be the cluster of this trace: its state, then its writes as time passes.",
)
@click.option("--at", type=click.FloatRange(0), default=0.0, help="Seconds into the trace to begin at.")
@click.option(
    "--speed",
    type=click.FloatRange(0, 1e6),
    default=1.0,
    help="Apply the trace's writes so many times as fast; 0 stands still.",
)
def serve(
    *,
    allow_anonymous: bool,
    ready_file: Path | None,
    feature_gates: str,
    trace: Path | None,
    at: float,
    speed: float,
    **options: Any,
) -> None:
    """Serve until SIGINT or SIGTERM.

    Each option is also an environment variable: FAKEAPI_RELEASE, FAKEAPI_FEATURE_GATES, FAKEAPI_DB and so on.
    """
    if not (allow_anonymous or options["token"] or _is_loopback(options["host"])):
        raise click.UsageError(
            f"{options['host']} is not a loopback address: others could use the server. "
            "Name a --token for them to send, or say --allow-anonymous."
        )
    from fakeapi.releases import gates  # noqa: PLC0415 - see the module's docstring
    from fakeapi.testing.server import FakeAPI, StartError  # noqa: PLC0415 - the same
    from fakeapi.traces.client.target import TargetError  # noqa: PLC0415 - the same
    from fakeapi.traces.model import TraceError  # noqa: PLC0415 - the same

    database = options["database"]
    if options["tls"] and database is not None:
        options["tls_directory"] = database.with_name(database.name + ".tls")
    try:
        options["feature_gates"] = gates.parse(feature_gates)
        if trace is None and (at or speed != 1.0):
            raise click.UsageError("--at and --speed speak of a trace: name it with --from.")
        if trace is not None:
            _serve_trace(trace, at, speed, ready_file, options)
            return
        server = FakeAPI(**options)
        server.run(lambda ready: _announce(ready, options["release"], ready_file))
    except (StartError, TraceError, TargetError) as error:
        raise click.ClickException(str(error)) from error
    except ValueError as error:
        raise click.UsageError(str(error)) from error


def _serve_trace(
    trace: Path, at: float, speed: float, ready_file: Path | None, options: dict[str, Any]
) -> None:
    from fakeapi.testing import playback_server  # noqa: PLC0415 - see the module's docstring

    playback_server.serve_trace(
        trace,
        at=at,
        speed=speed,
        on_ready=lambda server: _announce(server, server.release, ready_file),
        on_end=lambda moved: click.echo(f"The trace is at its end: {moved}"),
        **options,
    )


def _announce(server: "FakeAPI", release: str | None, ready_file: Path | None) -> None:
    """Says where the server is; the ready file is there before the first line is printed."""
    if ready_file is not None:
        _write_ready_file(server, ready_file)
    from fakeapi.releases.serving import default_description  # noqa: PLC0415 - see the module's docstring

    click.echo(f"Serving Kubernetes {release or default_description()} at {server.url}")
    click.echo(f"export KUBECONFIG={server.kubeconfig}")


def _write_ready_file(server: "FakeAPI", path: Path) -> None:
    from fakeapi.testing.server import StartError  # noqa: PLC0415 - see the module's docstring

    facts = {
        "url": server.url,
        "kubeconfig": str(server.kubeconfig),
        "ca_file": str(server.ca_file) if server.ca_file else None,
        "pid": os.getpid(),
    }
    unfinished = path.with_name(path.name + ".part")
    try:
        unfinished.write_text(json.dumps(facts) + "\n", encoding="utf-8")
        unfinished.replace(path)
    except OSError as error:
        raise StartError(f"cannot write the ready file {path}: {error.strerror}") from error


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@main.command()
def releases() -> None:
    """List the Kubernetes releases that can be served, with what each serves."""
    from fakeapi.releases import KNOWN_RELEASES, served  # noqa: PLC0415 - see the module's docstring

    for name in KNOWN_RELEASES:
        serving = served(name)
        versions = ", ".join(each.api_version for each in serving.versions)
        click.echo(f"{name}  {serving.primary.version:10}  {versions}")


@main.command(context_settings={"auto_envvar_prefix": "FAKEAPI", "show_default": True})
@click.option("--host", default="127.0.0.1", help="Address that the server listens on.")
@click.option("--port", type=click.IntRange(1, 65535), default=DEFAULT_PORT)
@click.option("--tls", is_flag=True, help="The server speaks HTTPS.")
def healthcheck(host: str, port: int, *, tls: bool) -> None:
    """Ask a server on this machine whether it is ready; exit 1 if it is not."""
    import http.client  # noqa: PLC0415 - see the module's docstring
    import ssl  # noqa: PLC0415 - the same

    if host in {"0.0.0.0", "::"}:  # noqa: S104 - not bound
        host = "127.0.0.1"
    connection = http.client.HTTPConnection(host, port, timeout=HEALTH_SECONDS)
    if tls:
        # Whether it is alive is asked, not who it is.
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        connection = http.client.HTTPSConnection(host, port, timeout=HEALTH_SECONDS, context=context)
    try:
        connection.request("GET", "/readyz")
        response = connection.getresponse()
        text = response.read().decode()
    except (OSError, http.client.HTTPException) as error:
        raise click.ClickException(f"{host}:{port} does not answer: {error}") from error
    finally:
        connection.close()
    if response.status != 200:
        raise click.ClickException(f"{host}:{port} answers {response.status}: {text}")
    click.echo(text)
