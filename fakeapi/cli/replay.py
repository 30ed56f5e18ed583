"""The command `fakeapi replay`: sends the requests of a trace again and compares the responses.

Exit status: 0 if all responses equal the recorded responses, or if all differences are explained. 1 if a
difference is not explained. 2 if the replay failed (unreadable trace, unreachable target, invalid options).
"""

import json
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, NoReturn

import click

from fakeapi.atomic_file import write_atomically
from fakeapi.cli.file_type import FILE
from fakeapi.cli.keyboard import HELP, keys
from fakeapi.cli.numbers import Number
from fakeapi.cli.old_names import with_new_names
from fakeapi.cli.progress import ProgressLine
from fakeapi.cli.token_options import token_options
from fakeapi.clients.control import page_of
from fakeapi.clients.kubeconfig_reader import target_of_kubeconfig
from fakeapi.clients.target import Target, TargetError, target_of_url
from fakeapi.machinery.patch.media_types import SHORT_NAMES
from fakeapi.machinery.printable import printable
from fakeapi.releases import gates
from fakeapi.testing import replaying
from fakeapi.testing.server import FakeAPI, StartError
from fakeapi.traces.formats.open import TraceReader, open_trace
from fakeapi.traces.model import TraceError
from fakeapi.traces.replay.options import ORDERS, Options, Progress
from fakeapi.traces.replay.pacing import ReplayControl
from fakeapi.traces.replay.replay import replay as replay_trace
from fakeapi.traces.reporting.junit import junit
from fakeapi.traces.reporting.report import Report
from fakeapi.traces.reporting.timeline import page

TROUBLE = 2


class _Timing(click.ParamType[float | None]):
    """The type of --timing: "recorded", "none", or a factor of the recorded speed, such as 10.

    `convert` returns the factor: 1.0 for "recorded", and None for "none".
    """

    name = "timing"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float | None:
        if value is None or isinstance(value, float):
            return value
        if value in {"none", "recorded"}:
            return None if value == "none" else 1.0
        try:
            speed = float(value.removeprefix("x").removesuffix("x"))
        except ValueError:
            speed = 0.0
        if not 0 < speed < float("inf"):
            self.fail(f"{value!r} is neither none, recorded nor a number above 0.", param, ctx)
        return speed


@click.command(
    context_settings={
        "auto_envvar_prefix": "FAKEAPI_REPLAY",
        "show_default": True,
        "token_normalize_func": with_new_names({"url": "server", "assume-patch": "patch-type"}),
    }
)
@click.argument("trace", type=FILE)
@click.option(
    "--server",
    metavar="URL",
    envvar=["FAKEAPI_REPLAY_SERVER", "FAKEAPI_REPLAY_URL"],
    help="Send the requests to the server at this URL.  [default: a new server in this process]",
)
@click.option(
    "--kubeconfig",
    metavar="FILE",
    type=FILE,
    help="Send the requests to the cluster of this kubeconfig, with its credentials.",
)
@click.option("--context", metavar="NAME", help="Kubeconfig context to use.  [default: its current context]")
@token_options("Send this bearer token to --server.")
@click.option(
    "--ca-file", metavar="FILE", type=FILE, help="Verify --server with the CA certificates in this file."
)
@click.option("--insecure-skip-tls-verify", is_flag=True, help="Do not verify the certificate of --server.")
@click.option(
    "--release", metavar="RELEASE", help="Kubernetes release of the new server.  [default: that of the trace]"
)
@click.option(
    "--feature-gates",
    metavar="NAME=BOOL,…",
    default="",
    show_default=False,
    help="Feature gates of the new server.",
)
@click.option(
    "--order",
    type=click.Choice(ORDERS),
    default="recorded",
    help="recorded: send one request at a time. actors: keep the order of each client. fast: send as many "
    "requests at a time as possible.",
)
@click.option(
    "--timing",
    "speed",
    type=_Timing(),
    default="none",
    metavar="none|recorded|N",
    help="none: do not wait between requests. recorded: keep the recorded times. N: be N times as fast.",
)
@click.option(
    "--until",
    type=Number(0),
    metavar="SECONDS",
    help="Send only requests up to this time of the trace.",
)
@click.option("--step", "stepping", is_flag=True, help="Pause before each request (keys: space, n, q).")
@click.option("--pause-at", type=Number(0), metavar="SECONDS", help="Pause at this time of the trace.")
@click.option("--seed/--no-seed", default=True, help="Create objects first that existed before the trace.")
@click.option(
    "--keep-names",
    is_flag=True,
    help="Create objects with the recorded names, instead of new generated names.",
)
@click.option(
    "--patch-type",
    envvar=["FAKEAPI_REPLAY_PATCH_TYPE", "FAKEAPI_REPLAY_ASSUME_PATCH"],
    type=click.Choice(sorted(SHORT_NAMES)),
    default="strategic",
    help="Assume this type for patches in an audit log that do not show theirs.",
)
@click.option(
    "--strict",
    is_flag=True,
    help="Fail also for explained divergences, and for requests that the server does not serve.",
)
@click.option(
    "--ignore",
    multiple=True,
    metavar="FIELD",
    help="Do not compare this field: metadata.labels[a.b/c]. May be repeated.",
)
@click.option("--stop-at-first", is_flag=True, help="Stop at the first divergence without an explanation.")
@click.option(
    "--keep",
    is_flag=True,
    help="Keep the new server running until Ctrl-C, and print a link to the object of each divergence.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option("--quiet", is_flag=True, help="Print no progress, and the report only on failure.")
@click.option(
    "--junit", "junit_file", metavar="FILE", type=FILE, help="Write the report as JUnit XML to this file."
)
@click.option(
    "--html", "html_file", metavar="FILE", type=FILE, help="Write a page with a time line to this file."
)
def replay(
    *,
    trace: Path,
    patch_type: str,
    stepping: bool,
    pause_at: float | None,
    keep: bool,
    as_json: bool,
    quiet: bool,
    junit_file: Path | None,
    html_file: Path | None,
    **options: Any,
) -> None:
    """Send the requests of TRACE again, and report where the responses differ.

    TRACE is in fakeapi's own format, a Kubernetes audit log or HAR 1.2. Exit status: 0 if all divergences are
    explained, 1 if one is unexplained, 2 if the replay failed.
    """
    where = {name: options.pop(name) for name in _WHERE}
    if keep and (where["server"] or where["kubeconfig"]):
        raise click.UsageError("--keep needs a new server: leave out --server and --kubeconfig.")
    servers = ExitStack()
    click.get_current_context().call_on_close(servers.close)
    control = ReplayControl(stepping=stepping, pause_at=pause_at)
    progress = None if quiet else ProgressLine(sys.stderr)
    try:
        chosen = replaying.options(marks=html_file is not None, **options)
        with (
            open_trace(trace, patch_type=SHORT_NAMES[patch_type]) as reader,
            keys(control) as listening,
        ):
            if listening and stepping:
                click.echo(HELP, err=True)
            report = _replay(reader, chosen, where, servers, control, progress or _nothing, keep=keep)
        if progress is not None:
            progress.end()
        _write(report, junit_file, html_file)
    except (TraceError, TargetError, StartError) as error:
        _fail(str(error), progress)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    _print(report, as_json=as_json, quiet=quiet)
    if keep:
        _wait_for_the_end(report.page)
    click.get_current_context().exit(0 if report.ok else 1)


_WHERE = (
    "server",
    "kubeconfig",
    "context",
    "token",
    "ca_file",
    "insecure_skip_tls_verify",
    "release",
    "feature_gates",
)


def _nothing(progress: Progress) -> None:
    pass


def _replay(
    reader: TraceReader,
    chosen: Options,
    where: dict[str, Any],
    servers: ExitStack,
    control: ReplayControl,
    on_progress: Callable[[Progress], None],
    *,
    keep: bool,
) -> Report:
    """Replays a trace against the selected target, or against a new server; returns the report.

    - `chosen`: the options of the replay.
    - `where`: the command's options for the target and for the new server.
    - `servers`: the exit stack that stops the new server.
    - `keep`: whether the report names the live page of the new server.

    Raises TraceError if the trace cannot be read, and TargetError if the target is invalid or does not
    respond. Raises StartError if the new server cannot start, and ValueError or UsageError for an invalid
    option.
    """
    target = _target(where)
    if target is not None:
        work = replay_trace(reader, target, chosen, control=control, on_progress=on_progress)
        report = replaying.run(work)
        report.page = page_of(target) if report.divergences else ""
        return report
    release = where["release"] or reader.header.release or None
    server = servers.enter_context(
        FakeAPI(release=release, feature_gates=gates.parse(where["feature_gates"]))
    )
    report = replaying.replay_on(server, reader, chosen, control=control, on_progress=on_progress)
    report.page = server.page if keep else ""
    return report


def _wait_for_the_end(page: str) -> None:
    """Prints the URL of the live page, and waits until the user presses Ctrl-C."""
    click.echo(f"The server stays until Ctrl-C: {page}", err=True)
    with suppress(KeyboardInterrupt):
        threading.Event().wait()


def _target(where: dict[str, Any]) -> Target | None:
    if where["server"] and where["kubeconfig"]:
        raise click.UsageError("Set --server or --kubeconfig, not both.")
    if where["kubeconfig"]:
        return target_of_kubeconfig(where["kubeconfig"], where["context"])
    if where["server"]:
        return target_of_url(
            where["server"],
            ca_file=where["ca_file"],
            insecure=where["insecure_skip_tls_verify"],
            token=where["token"],
        )
    return None


def _write(report: Report, junit_file: Path | None, html_file: Path | None) -> None:
    """Writes the reports of --junit and --html atomically. Raises TraceError if a file cannot be written."""
    try:
        if junit_file is not None:
            write_atomically(junit_file, junit(report))
        if html_file is not None:
            write_atomically(html_file, page(report).encode())
    except OSError as error:
        raise TraceError(str(junit_file or html_file), 0, "", error.strerror or str(error)) from error


def _print(report: Report, *, as_json: bool, quiet: bool) -> None:
    if as_json:
        click.echo(json.dumps(report.to_dict(), indent=2, ensure_ascii=False))
    elif not (quiet and report.ok):
        click.echo(str(report))
    if not quiet and report.divergences and not report.page:
        click.echo(
            "With --keep the server stays, and each divergence names the page of its object.", err=True
        )
    if not quiet and report.seconds:
        rate = report.replayed / report.seconds
        click.echo(f"{report.replayed} requests in {report.seconds:.2f} s, {rate:.0f}/s", err=True)


def _fail(message: str, progress: ProgressLine | None) -> NoReturn:
    if progress is not None:
        progress.end()
    click.echo(printable(f"Error: {message}"), err=True)
    click.get_current_context().exit(TROUBLE)
