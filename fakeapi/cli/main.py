"""The command `fakeapi`, with the subcommands `serve`, `releases` and `healthcheck`.

Exit status of `serve`: 0 after SIGINT or SIGTERM, 1 for errors of the machine (a port, a file, a database), 2
for invalid options. Each function imports the modules that only it needs, so that `--help` is fast.
"""

import errno
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import click

from fakeapi import other_distribution
from fakeapi.cli import STARTED_BY, announcing
from fakeapi.cli.file_type import FILE
from fakeapi.cli.numbers import Number, WholeNumber
from fakeapi.cli.options import PlainOption, server_options
from fakeapi.cli.themes import ThemedCommand
from fakeapi.cli.variables import unknown_variables
from fakeapi.machinery.hosts import connect_host, is_loopback, url_host
from fakeapi.machinery.printable import counted, printable_line
from fakeapi.machinery.suggestions import nearest
from fakeapi.settings import DEFAULT_PORT
from fakeapi.settings import options as options_of_settings
from fakeapi.shared_settings import is_shared_database
from fakeapi.version import __version__

if TYPE_CHECKING:
    from fakeapi.testing.server import FakeAPI
    from fakeapi.traces.recording.recording import Recording

HEALTH_SECONDS = 2.0
"""Seconds to wait for the response of the server in `fakeapi healthcheck`."""


class _Commands(click.Group):
    """A group of commands. Imports the module of a command in `later` only when the user calls the command.

    `later`: the module and the short help text of each command.
    """

    later: ClassVar[dict[str, tuple[str, str]]] = {
        "clock": ("fakeapi.cli.clock", "Freeze, resume and move the clock of a running server."),
        "devices": ("fakeapi.cli.devices", "Print presets of simulated DRA drivers, or make one."),
        "drivers": ("fakeapi.cli.drivers", "List and change the simulated DRA drivers of a server."),
        "envtest": (
            "fakeapi.cli.envtest",
            "Print a folder for KUBEBUILDER_ASSETS, so that envtest suites run here.",
        ),
        "explain": ("fakeapi.cli.explain", "Say why a pod or claim waits, here or on a real cluster."),
        "export": ("fakeapi.cli.export", "Write the objects of a server as manifests."),
        "faults": ("fakeapi.cli.faults", "List, arm and disarm the faults of a running server."),
        "import": ("fakeapi.cli.import_", "Put manifests, or the objects of a cluster, into a server."),
        "node": ("fakeapi.cli.node", "Show the nodes of a server: drivers, claims, CDI devices."),
        "record": ("fakeapi.cli.record", "Record the traffic between clients and a cluster."),
        "replay": ("fakeapi.cli.replay", "Send the requests of a trace again and compare the responses."),
        "requests": ("fakeapi.cli.requests", "Print the requests of a running server."),
        "snapshot": ("fakeapi.cli.snapshot", "Keep, restore and compare all objects of a running server."),
        "top": ("fakeapi.cli.top", "Show the live figures of a running server."),
        "trace": ("fakeapi.cli.trace", "Inspect and convert recorded traces."),
    }

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*super().list_commands(ctx), *self.later])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.later:
            return super().get_command(ctx, cmd_name)
        command: click.Command = getattr(
            import_module(self.later[cmd_name][0]), "import_" if cmd_name == "import" else cmd_name
        )
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Finds the command that the first argument names. Raises UsageError with the most similar name."""
        name = args[0]
        known = self.list_commands(ctx)
        if name not in known and (near := nearest(name, known)):
            raise click.UsageError(f"No such command {name!r}. Did you mean {near!r}?", ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command. Suggests only the most similar option for an unknown option."""
        try:
            return super().invoke(ctx)
        except click.NoSuchOption as error:
            error.possibilities = error.possibilities[:1] if error.possibilities else None  # type: ignore[misc]
            raise

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


@main.command(cls=ThemedCommand)
@server_options
@click.option(
    "--replace-recording",
    is_flag=True,
    envvar="FAKEAPI_REPLACE_RECORDING",
    help="Let --record replace the file of an earlier recording.",
)
@click.option(
    "--allow-anonymous",
    is_flag=True,
    envvar="FAKEAPI_ALLOW_ANONYMOUS",
    help="Listen on an address other than loopback without a token.",
)
@click.option(
    "--ready-file",
    metavar="FILE",
    envvar="FAKEAPI_READY_FILE",
    type=FILE,
    help="Write url, kubeconfig, ca_file and pid as JSON to this file when ready.",
)
@click.option(
    "--log",
    is_flag=True,
    envvar="FAKEAPI_LOG",
    help="Print a line for each request of clients, except requests for leases.",
)
@click.option(
    "--end-with-parent",
    is_flag=True,
    envvar="FAKEAPI_END_WITH_PARENT",
    help="Stop when the process that started the server has ended, also if it was killed.",
)
@click.option(
    "--from",
    "trace",
    metavar="TRACE",
    envvar=["FAKEAPI_FROM", "FAKEAPI_TRACE"],
    type=FILE,
    help="Serve this trace as a live cluster: first its state, then each recorded write at its time.",
)
@click.option(
    "--at",
    cls=PlainOption,
    type=Number(0),
    envvar="FAKEAPI_AT",
    default=0.0,
    help="Start this many seconds into the trace.  [default: 0]",
)
@click.option(
    "--speed",
    cls=PlainOption,
    type=Number(0, 1e6),
    envvar="FAKEAPI_SPEED",
    default=1.0,
    help="Play the trace this many times as fast; 0 applies no writes.  [default: 1]",
)
@click.option(
    "--demo",
    is_flag=True,
    envvar="FAKEAPI_DEMO",
    help="Fill the server with nodes, simulated devices, pods and claims to look at.",
)
def serve(
    *,
    demo: bool,
    replace_recording: bool,
    allow_anonymous: bool,
    ready_file: Path | None,
    log: bool,
    end_with_parent: bool,
    trace: Path | None,
    at: float,
    speed: float,
    **options: Any,
) -> None:
    """Serve a cluster until Ctrl-C (SIGINT) or SIGTERM.

    Each option is also an environment variable: FAKEAPI_RELEASE, FAKEAPI_FEATURE_GATES, FAKEAPI_DB and so on.

    Exit status: 0 after a signal, 1 if a port, file or database cannot be used, 2 for an invalid option.
    """
    _check_options(options, allow_anonymous=allow_anonymous, log=log)
    _check_playback(trace, demo=demo, at=at, speed=speed)
    _check_recording(options["record"], replace=replace_recording)
    from fakeapi import FakeAPI  # noqa: PLC0415 - see the module's docstring
    from fakeapi.cli.progress import Waiting  # noqa: PLC0415 - see the module's docstring
    from fakeapi.serving.interpreter import tune_interpreter  # noqa: PLC0415 - see the module's docstring

    _print_warnings()
    announcing.remove_ready_file(ready_file)
    _set_tls_directory(options)
    if end_with_parent:
        from fakeapi.envtest import parent  # noqa: PLC0415 - see the module's docstring

        parent.end_with_parent(STARTED_BY)
    if demo:
        from fakeapi.testing.demo import options_of  # noqa: PLC0415 - see the module's docstring

        options = options_of(options)
    starting = Waiting("starting")
    recordings: list[Recording] = []

    def ready(server: "FakeAPI", served: str | None) -> None:
        starting.end()
        tune_interpreter()
        if (recording := server.active_recording) is not None:
            recordings.append(recording)
        announcing.announce(server, served, ready_file, options)
        _begin(server, log=log, demo=demo)

    with _reported_errors(), starting:
        try:
            if trace is not None:
                _serve_trace(trace, at, speed, ready, options)
            else:
                FakeAPI(**options).run(lambda server: ready(server, options["release"]))
        finally:
            announcing.remove_ready_file(ready_file)
    for recording in recordings:
        click.echo(f"Wrote {counted(len(recording), 'exchange')} to {recording.path}")


@contextmanager
def _reported_errors() -> Iterator[None]:
    """Converts errors of a server to ClickException, and errors of its options to UsageError."""
    from fakeapi import StartError  # noqa: PLC0415 - see the module's docstring
    from fakeapi.clients.target import TargetError  # noqa: PLC0415 - see the module's docstring
    from fakeapi.traces.model import TraceError  # noqa: PLC0415 - see the module's docstring

    try:
        yield
    except (StartError, TraceError, TargetError) as error:
        raise click.ClickException(f"{printable_line(error)}{_remedy(error)}") from error
    except ValueError as error:
        raise click.UsageError(_with_flag(printable_line(error))) from error


def _with_flag(message: str) -> str:
    """Replaces the name of an option at the start of a message by its flag, such as `--frozen-at`."""
    name, colon, rest = message.partition(": ")
    flags = {setting.name: option.flag for setting, option in options_of_settings() if option.flag}
    return f"{flags[name]}: {rest}" if colon and name in flags else message


def _print_warnings() -> None:
    """Prints warnings about another installed distribution and about unknown variables FAKEAPI_…."""
    for problem in (other_distribution.problem(), *unknown_variables(click.get_current_context())):
        if problem:
            click.echo(f"Warning: {problem}", err=True)


def _begin(server: "FakeAPI", *, log: bool, demo: bool) -> None:
    """Starts what --log and --demo add to a server that is ready."""
    if log:
        announcing.print_requests(server)
    if demo:
        from fakeapi.testing.demo import play_later  # noqa: PLC0415 - see the module's docstring

        announcing.announce_demo(server)
        play_later(server)


def _check_playback(trace: Path | None, *, demo: bool, at: float, speed: float) -> None:
    """Raises UsageError if options need --from, or exclude it."""
    if trace is None and (at or speed != 1.0):
        raise click.UsageError("--at and --speed need --from.")
    if trace is not None and demo:
        raise click.UsageError("--demo and --from exclude each other.")


def _check_recording(path: str | Path | None, *, replace: bool) -> None:
    """Raises ClickException if the recording would replace a file that is not empty."""
    if path is None or replace:
        return
    from fakeapi.traces.model import TraceError  # noqa: PLC0415 - see the module's docstring
    from fakeapi.traces.recording import recording_file  # noqa: PLC0415 - see the module's docstring

    try:
        recording_file.check_new(Path(path))
    except TraceError as error:
        raise click.ClickException(printable_line(error)) from error


def _remedy(error: Exception) -> str:
    """Returns the end of a message that names the option against an error; "" without such an option."""
    cause = error.__cause__
    in_use = isinstance(cause, OSError) and cause.errno == errno.EADDRINUSE
    return "; --port chooses another port, and --port 0 a free one" if in_use else ""


def _check_options(options: Mapping[str, Any], *, allow_anonymous: bool, log: bool) -> None:
    """Raises UsageError if options of a server exclude each other or lack another option."""
    has_credentials = any(options[name] for name in ("token", "token_file", "client_ca"))
    if not (allow_anonymous or has_credentials or is_loopback(options["host"])):
        raise click.UsageError(
            f"{options['host']} is not a loopback address: others could use the server. "
            "Name a --token or --token-file for them to send, or set --allow-anonymous."
        )
    if log and options["journal"] == "off":
        raise click.UsageError("--log needs the journal; leave out --journal off.")
    if options["tls_directory"] is not None and not options["tls"]:
        raise click.UsageError("--tls-directory needs --tls.")


def _set_tls_directory(options: dict[str, Any]) -> None:
    """Sets `tls_directory` to a directory next to the database file, unless the user has set it.

    Does nothing without --tls, and for a database that several servers can share.
    """
    database = options["database"]
    if options["tls"] and database is not None and not is_shared_database(database):
        options["tls_directory"] = options["tls_directory"] or Path(f"{database}.tls")


def _serve_trace(
    trace: Path,
    at: float,
    speed: float,
    announce: Callable[["FakeAPI", str | None], None],
    options: dict[str, Any],
) -> None:
    from fakeapi.testing import playback_server  # noqa: PLC0415 - see the module's docstring

    playback_server.serve_trace(
        trace,
        at=at,
        speed=speed,
        on_ready=lambda server: announce(server, server.release),
        on_end=lambda moved: click.echo(f"The trace has ended: {moved}"),
        **options,
    )


@main.command()
def releases() -> None:
    """List Kubernetes releases and their versions of resource.k8s.io."""
    from fakeapi.releases import KNOWN_RELEASES, served  # noqa: PLC0415 - see the module's docstring
    from fakeapi.releases.serving import GROUP  # noqa: PLC0415 - see the module's docstring

    for name in KNOWN_RELEASES:
        serving = served(name)
        versions = ", ".join(version.api_version for version in serving.versions if version.group == GROUP)
        click.echo(f"{name}  {serving.primary.version:10}  {versions}")


@main.command(context_settings={"auto_envvar_prefix": "FAKEAPI", "show_default": True})
@click.option("--host", default="127.0.0.1", help="Ask the server at this address.")
@click.option("--port", type=WholeNumber(1, 65535), default=DEFAULT_PORT, help="Ask at this port.")
@click.option("--tls", is_flag=True, help="Ask over HTTPS.")
def healthcheck(host: str, port: int, *, tls: bool) -> None:
    """Ask a server on this machine whether it is ready; exit 1 if it is not."""
    import http.client  # noqa: PLC0415 - see the module's docstring
    import ssl  # noqa: PLC0415 - see the module's docstring

    from fakeapi.clients.connections import Connections  # noqa: PLC0415 - see the module's docstring

    context = None
    if tls:
        # The command checks only whether the server is ready, so it need not verify the certificate.
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    url = f"{'https' if tls else 'http'}://{url_host(connect_host(host))}:{port}"
    connections = Connections(url, tls=context, timeout=HEALTH_SECONDS)
    try:
        answer = connections.send("GET", "/readyz", {})
    except (OSError, http.client.HTTPException) as error:
        hint = (
            "" if tls or not isinstance(error, http.client.RemoteDisconnected) else "; with HTTPS, add --tls"
        )
        raise click.ClickException(f"{host}:{port} does not answer: {error}{hint}") from error
    finally:
        connections.close()
    if answer.status != 200:
        raise click.ClickException(f"{host}:{port} answers {answer.status}: {printable_line(answer.text)}")
    click.echo(printable_line(answer.text))
