"""The commands `fakeapi trace …`: inspect and convert traces.

Exit status: 0 on success, 1 for a trace that cannot be read or written, 2 for invalid options.
"""

import json
import sys
from importlib.resources import files
from pathlib import Path

import click

from fakeapi.cli.file_type import FILE
from fakeapi.cli.progress import Activity, Waiting
from fakeapi.cli.trace_options import redaction_options, redactor, reported
from fakeapi.machinery.patch.media_types import SHORT_NAMES
from fakeapi.machinery.printable import counted, printable
from fakeapi.traces import fieldpaths
from fakeapi.traces.formats.open import open_trace
from fakeapi.traces.inspecting.convert import check_target, convert
from fakeapi.traces.inspecting.show import in_full, matching, one_line
from fakeapi.traces.inspecting.statistics import statistics
from fakeapi.traces.inspecting.validate import PROBLEMS_MAX, validate

LISTED = 12
"""Maximum number of rows in each table of `fakeapi trace stats`. The option --all removes the limit."""


@click.group()
def trace() -> None:
    """Inspect and convert traces: fakeapi's own format, Kubernetes audit logs, HAR."""


_PATCH_TYPE = click.option(
    "--patch-type",
    type=click.Choice(["strategic", "merge"]),
    default="strategic",
    show_default=True,
    help="Assume this type for patches in an audit log that do not show theirs.",
)


@trace.command("convert")
@click.argument("source", type=FILE)
@click.argument("target", type=FILE)
@click.option(
    "--release",
    metavar="RELEASE",
    default="",
    help="Note this Kubernetes release in the trace, such as 1.31.",
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
    """Convert the trace SOURCE to the file TARGET.

    TARGET is HAR if it ends in .har, otherwise fakeapi's own format; .gz and .zst compress it. Exchanges are
    sorted by time.
    """
    with reported():
        check_target(target)
        chosen = redactor(redact=redact, keep_credentials=keep_credentials)
        with open_trace(source, patch_type=SHORT_NAMES[patch_type], ordered=False) as reader:
            with Activity("converting", "exchanges") as activity:
                count = convert(reader, target, redactor=chosen, release=release, progress=activity)
            note = reader.header.note
    click.echo(f"Wrote {counted(count, 'exchange')} to {target}" + (f" ({printable(note)})" if note else ""))


@trace.command("show")
@click.argument("source", type=FILE)
@click.option("--id", "identity", type=int, help="Show the exchange with this id in full.")
@click.option(
    "--actor", default="", metavar="TEXT", help="Show only requests of clients whose name contains this."
)
@click.option(
    "--grep", default="", metavar="TEXT", help="Show only requests whose method and path contain this."
)
@click.option("--full", is_flag=True, help="Show headers and bodies.")
@_PATCH_TYPE
def show(*, source: Path, identity: int | None, actor: str, grep: str, full: bool, patch_type: str) -> None:
    """List the exchanges of a trace, or show them in full."""
    is_found = False
    patches = SHORT_NAMES[patch_type]
    with (
        reported(),
        Waiting("searching the trace") as waiting,
        open_trace(source, patch_type=patches) as reader,
    ):
        for exchange in matching(reader, actor=actor, grep=grep):
            if identity is None or exchange.id == identity:
                is_found = True
                waiting.end()
                click.echo(in_full(exchange) + "\n" if full or identity is not None else one_line(exchange))
    if identity is not None and not is_found:
        raise click.ClickException(f"{source}: exchange {identity} not found")


@trace.command("validate")
@click.argument("source", type=FILE)
def validate_command(*, source: Path) -> None:
    """Check every line of a trace; print the line and field of each problem, and exit 1 if there are any."""
    count = 0
    problems = []
    with Waiting("checking the trace"):
        for problem in validate(source):
            count += 1
            if count <= PROBLEMS_MAX:
                problems.append(str(problem))
    for text in problems:
        click.echo(text, err=True)
    if count > PROBLEMS_MAX:
        click.echo(f"… and {count - PROBLEMS_MAX} more", err=True)
    if count:
        sys.exit(1)
    click.echo(f"{source} is a valid trace")


@trace.command("stats")
@click.argument("source", type=FILE)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--all", "everything", is_flag=True, help="Print all rows of the tables.")
@_PATCH_TYPE
def stats(*, source: Path, as_json: bool, everything: bool, patch_type: str) -> None:
    """Print the numbers of requests, clients, resources and missing parts in a trace."""
    patches = SHORT_NAMES[patch_type]
    with reported(), Waiting("counting"), open_trace(source, patch_type=patches) as reader:
        facts = statistics(reader).as_json()
    if as_json:
        click.echo(json.dumps(facts))
        return
    for name, value in facts.items():
        if not isinstance(value, dict):
            text = ", ".join(value) if isinstance(value, list) else value
            if isinstance(text, float):
                text = f"{text:.3f}"
            if text != "":
                click.echo(printable(f"{name:10} {text}"))
    for name, value in facts.items():
        if isinstance(value, dict) and value:
            click.echo(f"\n{name}")
            rows = list(value.items())
            for key, count in rows if everything else rows[:LISTED]:
                click.echo(printable(f"{count:8}  {key}"))
            if len(rows) > LISTED and not everything:
                click.echo(f"          … and {len(rows) - LISTED} more")


@trace.command("schema")
def schema() -> None:
    """Print the JSON Schema for one line of fakeapi's own format."""
    click.echo(files("fakeapi.traces.formats").joinpath("schema.json").read_text(encoding="utf-8"), nl=False)
