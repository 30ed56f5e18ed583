"""The commands that make and look at traces: `fakeapi record` and `fakeapi trace …`.

Exit status: 0 when done, 1 for a trace or a machine that is not as it should be, 2 for senseless options.
"""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fakeapi.machinery.patch.media_types import SHORT_NAMES
from fakeapi.traces import fieldpaths
from fakeapi.traces.formats.open import open_trace
from fakeapi.traces.inspecting.conversion import (
    PROBLEMS_MAX,
    check_target,
    convert,
    in_full,
    matching,
    one_line,
    statistics,
    validate,
)
from fakeapi.traces.model import TraceError
from fakeapi.traces.recording.redaction import Redactor

if TYPE_CHECKING:
    from fakeapi.traces.client.upstream import Upstream
    from fakeapi.traces.recording.recording import Recording

FILE = click.Path(dir_okay=False, path_type=Path)
LISTED = 12
"""Entries of a table that are printed, where --all is not asked for."""


def _paths(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> tuple[fieldpaths.FieldPath, ...]:
    try:
        return tuple(map(fieldpaths.parse, values))
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


def redaction_options(command: Any) -> Any:
    """--redact and --keep-credentials, for `redactor`."""
    command = click.option(
        "--redact",
        "redact",
        callback=_paths,
        multiple=True,
        metavar="FIELD",
        help="Take this field out of every object: spec.controller, metadata.labels[a.b/c]. May be repeated.",
    )(command)
    return click.option(
        "--keep-credentials",
        is_flag=True,
        help="Leave tokens, passwords, keys and the data of Secrets in.",
    )(command)


def redactor(*, redact: tuple[fieldpaths.FieldPath, ...], keep_credentials: bool) -> Redactor:
    return Redactor(credentials=not keep_credentials, paths=redact)


@contextmanager
def reported() -> Iterator[None]:
    """What is wrong with a trace, as one line and exit status 1."""
    try:
        yield
    except TraceError as error:
        raise click.ClickException(str(error)) from error


@click.command(context_settings={"auto_envvar_prefix": "FAKEAPI_RECORD", "show_default": True})
@click.argument("trace", type=FILE)
@click.option("--upstream", metavar="URL", help="The server to forward to.")
@click.option(
    "--kubeconfig",
    metavar="FILE",
    type=FILE,
    envvar="KUBECONFIG",
    show_envvar=True,
    help="Forward to its cluster, with its credentials.",
)
@click.option("--context", metavar="NAME", help="Of the kubeconfig.  [default: its current one]")
@click.option("--ca-file", metavar="FILE", type=FILE, help="Certificates that --upstream is verified with.")
@click.option("--insecure-skip-tls-verify", is_flag=True, help="Do not verify --upstream.")
@click.option("--host", default="127.0.0.1", help="Address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Port to listen on; 0 takes a free one."
)
@click.option("--tls", is_flag=True, help="Serve HTTPS, with a CA of its own.")
@click.option("--token", metavar="TOKEN", help="Bearer token that clients must send.")
@click.option(
    "--allow-anonymous", is_flag=True, help="Listen on other addresses than loopback without a token."
)
@click.option(
    "--client-kubeconfig",
    metavar="FILE",
    type=FILE,
    help="Write a kubeconfig for clients of the proxy there, and leave it.  [default: a temporary file]",
)
@click.option(
    "--ready-file", metavar="FILE", type=FILE, help="Write url, kubeconfig and pid there as JSON once ready."
)
@redaction_options
def record(
    *,
    trace: Path,
    upstream: str | None,
    kubeconfig: Path | None,
    context: str | None,
    ca_file: Path | None,
    insecure_skip_tls_verify: bool,
    redact: tuple[fieldpaths.FieldPath, ...],
    keep_credentials: bool,
    **serving: Any,
) -> None:
    """Record what clients and a cluster say, as a proxy between them, into TRACE until SIGINT or SIGTERM.

    TRACE ends in .jsonl, .jsonl.gz or .jsonl.zst, and appears when recording ends. Needs the extra `record`.
    """
    try:
        from fakeapi.traces.recording import proxying  # noqa: PLC0415 - an extra, for this command
    except ImportError as error:
        raise click.ClickException(
            "recording a cluster needs the extra `record`: pip install 'fakeapi-k8s[record]'"
        ) from error
    from fakeapi.traces.client.upstream import UpstreamError, of_kubeconfig, of_url  # noqa: PLC0415 - the same

    # --upstream wins over a KUBECONFIG of the environment, not over one that was asked for.
    source = click.get_current_context().get_parameter_source("kubeconfig")
    if upstream and kubeconfig and source is not None and source.name == "COMMANDLINE":
        raise click.UsageError("Name --upstream or --kubeconfig, not both.")
    if not upstream and not kubeconfig:
        raise click.UsageError("Name the cluster: --upstream URL or --kubeconfig FILE.")
    proxying.check_address(serving)
    try:
        target: Upstream
        if upstream:
            target = of_url(upstream, ca_file=ca_file, insecure=insecure_skip_tls_verify)
        else:
            assert kubeconfig is not None, "checked above"
            target = of_kubeconfig(kubeconfig, context)
    except UpstreamError as error:
        raise click.ClickException(str(error)) from error
    with reported():
        check_target(trace)
        chosen = redactor(redact=redact, keep_credentials=keep_credentials)
        recording = proxying.run(target, trace, redactor=chosen, **serving)
        _tell(recording)


def _tell(recording: "Recording") -> None:
    click.echo(f"Wrote {len(recording)} exchanges to {recording.path}")


@click.group()
def trace() -> None:
    """Convert, show and check recorded traces: fakeapi's own, Kubernetes audit logs, HAR."""


_PATCH_TYPE = click.option(
    "--patch-type",
    type=click.Choice(["strategic", "merge"]),
    default="strategic",
    show_default=True,
    help="Of patches in an audit log about which nothing tells.",
)


@trace.command("convert")
@click.argument("source", type=FILE)
@click.argument("target", type=FILE)
@click.option(
    "--release", metavar="RELEASE", default="", help="Kubernetes release that answered, such as 1.31."
)
@_PATCH_TYPE
@redaction_options
def convert_command(
    *,
    source: Path,
    target: Path,
    release: str,
    patch_type: str,
    redact: tuple[fieldpaths.FieldPath, ...],
    keep_credentials: bool,
) -> None:
    """Write SOURCE as TARGET: HAR where it ends in .har, else fakeapi's own format.

    .gz and .zst at the end compress it. A trace that is out of order is sorted.
    """
    with reported():
        check_target(target)
        chosen = redactor(redact=redact, keep_credentials=keep_credentials)
        with open_trace(source, patch_type=SHORT_NAMES[patch_type], ordered=False) as reader:
            if sys.stderr.isatty():
                count = convert(reader, target, redactor=chosen, release=release, progress=_progress)
                click.echo(err=True)
            else:
                count = convert(reader, target, redactor=chosen, release=release)
            note = reader.header.note
    click.echo(f"Wrote {count} exchanges to {target}" + (f" ({note})" if note else ""))


def _progress(count: int) -> None:
    if count % 1000 == 0:
        click.echo(f"\r{count} exchanges", nl=False, err=True)


@trace.command("show")
@click.argument("source", type=FILE)
@click.option("--id", "identity", type=int, help="Show this exchange in full.")
@click.option("--actor", default="", metavar="TEXT", help="Only requests of actors with this in their name.")
@click.option("--grep", default="", metavar="TEXT", help="Only requests with this in method and target.")
@click.option("--full", is_flag=True, help="Show headers and bodies.")
@_PATCH_TYPE
def show(*, source: Path, identity: int | None, actor: str, grep: str, full: bool, patch_type: str) -> None:
    """List the exchanges of a trace, or show them in full."""
    found = False
    with reported(), open_trace(source, patch_type=SHORT_NAMES[patch_type]) as reader:
        for exchange in matching(reader, actor=actor, grep=grep):
            if identity is None or exchange.id == identity:
                found = True
                click.echo(in_full(exchange) + "\n" if full or identity is not None else one_line(exchange))
    if identity is not None and not found:
        raise click.ClickException(f"{source}: there is no exchange {identity}")


@trace.command("validate")
@click.argument("source", type=FILE)
def validate_command(*, source: Path) -> None:
    """Check every line of a trace; tells line and field of what is wrong, and exits 1."""
    count = 0
    for problem in validate(source):
        count += 1
        if count <= PROBLEMS_MAX:
            click.echo(str(problem), err=True)
    if count > PROBLEMS_MAX:
        click.echo(f"… and {count - PROBLEMS_MAX} more", err=True)
    if count:
        sys.exit(1)
    click.echo(f"{source} is a valid trace")


@trace.command("stats")
@click.argument("source", type=FILE)
@click.option("--json", "as_json", is_flag=True, help="For machines.")
@click.option("--all", "everything", is_flag=True, help="Print the tables in full.")
@_PATCH_TYPE
def stats(*, source: Path, as_json: bool, everything: bool, patch_type: str) -> None:
    """Tell what a trace consists of, and what its source could not tell."""
    with reported(), open_trace(source, patch_type=SHORT_NAMES[patch_type]) as reader:
        facts = statistics(reader).as_json()
    if as_json:
        click.echo(json.dumps(facts))
        return
    for name, value in facts.items():
        if not isinstance(value, dict):
            shown = ", ".join(value) if isinstance(value, list) else value
            if isinstance(shown, float):
                shown = f"{shown:.3f}"
            if shown != "":
                click.echo(f"{name:10} {shown}")
    for name, value in facts.items():
        if isinstance(value, dict) and value:
            click.echo(f"\n{name}")
            rows = list(value.items())
            for key, count in rows if everything else rows[:LISTED]:
                click.echo(f"{count:8}  {key}")
            if len(rows) > LISTED and not everything:
                click.echo(f"          … and {len(rows) - LISTED} more")


@trace.command("schema")
def schema() -> None:
    """Print the JSON Schema of a line of fakeapi's own format."""
    click.echo(files("fakeapi.traces.formats").joinpath("schema.json").read_text(encoding="utf-8"), nl=False)
