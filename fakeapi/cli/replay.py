"""The command `fakeapi replay`.

Exit status: 0 when every answer was as recorded or differs for a known reason, 1 when one does not, 2 when
nothing can be said: the trace cannot be read, the server does not answer, or the options make no sense.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import click

from fakeapi.cli.keyboard import HELP, keys
from fakeapi.cli.progress import ProgressLine
from fakeapi.machinery.patch.media_types import SHORT_NAMES
from fakeapi.releases import gates
from fakeapi.testing import replaying
from fakeapi.testing.server import FakeAPI, StartError
from fakeapi.traces.client.http import TargetError
from fakeapi.traces.client.upstream import Upstream, UpstreamError, of_kubeconfig, of_url
from fakeapi.traces.formats.native import write_whole
from fakeapi.traces.formats.open import TraceReader, open_trace
from fakeapi.traces.model import TraceError
from fakeapi.traces.replay.pacing import Control
from fakeapi.traces.replay.replay import ORDERS, Options, Progress
from fakeapi.traces.replay.replay import replay as replay_trace
from fakeapi.traces.reporting.junit import junit
from fakeapi.traces.reporting.report import Report
from fakeapi.traces.reporting.timeline import page

FILE = click.Path(dir_okay=False, path_type=Path)
TROUBLE = 2


class _Timing(click.ParamType[float | None]):
    """The pace: "recorded", "none", or a number of times as fast."""

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


@click.command(context_settings={"auto_envvar_prefix": "FAKEAPI_REPLAY", "show_default": True})
@click.argument("trace", type=FILE)
@click.option("--url", metavar="URL", help="The server to ask.  [default: a new one of this process]")
@click.option("--kubeconfig", metavar="FILE", type=FILE, help="Ask its cluster, with its credentials.")
@click.option("--context", metavar="NAME", help="Of the kubeconfig.  [default: its current one]")
@click.option("--token", metavar="TOKEN", help="Bearer token for --url.")
@click.option("--ca-file", metavar="FILE", type=FILE, help="Certificates that --url is verified with.")
@click.option("--insecure-skip-tls-verify", is_flag=True, help="Do not verify --url.")
@click.option("--release", metavar="RELEASE", help="Of the new server.  [default: the trace's own]")
@click.option(
    "--feature-gates", metavar="NAME=BOOL,…", default="", show_default=False, help="Of the new server."
)
@click.option(
    "--order",
    type=click.Choice(ORDERS),
    default="recorded",
    help="One request at a time, each actor in its own order beside the others, or as fast as can be.",
)
@click.option(
    "--timing",
    "speed",
    type=_Timing(),
    default="none",
    metavar="none|recorded|N",
    help="Do not wait, keep the recorded pace, or be N times as fast.",
)
@click.option("--until", type=click.FloatRange(0), metavar="SECONDS", help="Send nothing later than this.")
@click.option("--step", "stepping", is_flag=True, help="Pause before each exchange (keys: space, n, q).")
@click.option("--pause-at", type=click.FloatRange(0), metavar="SECONDS", help="Pause there.")
@click.option("--seed/--no-seed", default=True, help="First make what the trace takes for granted.")
@click.option("--keep-names", is_flag=True, help="Ask for the names that were generated, not for new ones.")
@click.option(
    "--assume-patch",
    type=click.Choice(sorted(SHORT_NAMES)),
    default="strategic",
    help="Type of patches in audit logs about which nothing tells.",
)
@click.option("--strict", is_flag=True, help="What has a reason, or is not served, counts too.")
@click.option(
    "--ignore", multiple=True, metavar="FIELD", help="Do not compare it: metadata.labels[a.b/c]. Repeatable."
)
@click.option("--stop-at-first", is_flag=True, help="End at the first divergence without a reason.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option("--quiet", is_flag=True, help="Print no progress, and no report where all is well.")
@click.option("--junit", "junit_file", metavar="FILE", type=FILE, help="Write the report there as JUnit XML.")
@click.option("--html", "html_file", metavar="FILE", type=FILE, help="Write a page with a time line there.")
def replay(
    *,
    trace: Path,
    assume_patch: str,
    stepping: bool,
    pause_at: float | None,
    as_json: bool,
    quiet: bool,
    junit_file: Path | None,
    html_file: Path | None,
    **options: Any,
) -> None:
    """Send the requests of TRACE again, and say where the answers differ.

    TRACE is in fakeapi's format, a Kubernetes audit log or HAR 1.2. Exit status: 0 without a divergence that
    lacks a reason, 1 with one, 2 where nothing can be said.
    """
    where = {name: options.pop(name) for name in _WHERE}
    control = Control(stepping=stepping, pause_at=pause_at)
    progress = None if quiet else ProgressLine(sys.stderr)
    try:
        chosen = replaying.options(marks=html_file is not None, **options)
        with (
            open_trace(trace, patch_type=SHORT_NAMES[assume_patch]) as reader,
            keys(control) as listening,
        ):
            if listening and stepping:
                click.echo(HELP, err=True)
            report = _replay(reader, chosen, where, control, progress or _nothing)
        if progress is not None:
            progress.end()
        _write(report, junit_file, html_file)
    except (TraceError, TargetError, UpstreamError, StartError) as error:
        _fail(str(error), progress)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    _print(report, as_json=as_json, quiet=quiet)
    click.get_current_context().exit(0 if report.ok else 1)


_WHERE = (
    "url",
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
    control: Control,
    on_progress: Callable[[Progress], None],
) -> Report:
    target = _target(where)
    if target is not None:
        work = replay_trace(reader, target, chosen, control=control, on_progress=on_progress)
        return replaying.run(work)
    release = where["release"] or reader.header.release or None
    with FakeAPI(release=release, feature_gates=gates.parse(where["feature_gates"])) as server:
        return replaying.replay_on(server, reader, chosen, control=control, on_progress=on_progress)


def _target(where: dict[str, Any]) -> Upstream | None:
    if where["url"] and where["kubeconfig"]:
        raise click.UsageError("Name --url or --kubeconfig, not both.")
    if where["kubeconfig"]:
        return of_kubeconfig(where["kubeconfig"], where["context"])
    if where["url"]:
        return of_url(
            where["url"],
            ca_file=where["ca_file"],
            insecure=where["insecure_skip_tls_verify"],
            token=where["token"],
        )
    return None


def _write(report: Report, junit_file: Path | None, html_file: Path | None) -> None:
    """The files appear whole or not at all."""
    try:
        if junit_file is not None:
            write_whole(junit_file, iter([junit(report)]))
        if html_file is not None:
            write_whole(html_file, iter([page(report).encode()]))
    except OSError as error:
        raise TraceError(str(junit_file or html_file), 0, "", error.strerror or str(error)) from error


def _print(report: Report, *, as_json: bool, quiet: bool) -> None:
    if as_json:
        click.echo(json.dumps(report.to_dict(), indent=2, ensure_ascii=False))
    elif not (quiet and report.ok):
        click.echo(str(report))
    if not quiet and report.seconds:
        rate = report.replayed / report.seconds
        click.echo(f"{report.replayed} requests in {report.seconds:.2f} s, {rate:.0f}/s", err=True)


def _fail(message: str, progress: ProgressLine | None) -> NoReturn:
    if progress is not None:
        progress.end()
    click.echo(f"Error: {message}", err=True)
    click.get_current_context().exit(TROUBLE)
