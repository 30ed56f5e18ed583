"""The command `fakeapi faults`: the faults of a running server."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fakeapi.cli.control_options import control_client
from fakeapi.machinery.printable import printable_line

if TYPE_CHECKING:
    from fakeapi.testing.control import ControlClient


@click.group()
def faults() -> None:
    """List, arm and disarm the faults of a running server."""


@faults.command("list")
@control_client
def list_faults(client: "ControlClient") -> None:
    """List the faults that are armed, and how often each has acted."""
    _print(client.get("/faults"))


@faults.command(context_settings={"ignore_unknown_options": True})
@control_client
@click.option(
    "--file",
    "-f",
    "file",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Arm the rules of this YAML file.",
)
@click.argument("kind", required=False)
@click.argument("arguments", nargs=-1, metavar="[TARGET] [NAME=VALUE]...")
def arm(client: "ControlClient", *, file: Path | None, kind: str | None, arguments: tuple[str, ...]) -> None:
    """Arm a ready-made fault, such as `conflict resourceclaims/status times=2`, or the rules of a file."""
    if (file is None) == (kind is None):
        raise click.UsageError("Name a ready-made fault or a --file.")
    from fakeapi.faults.reading import read_rules  # noqa: PLC0415 - for --help's sake
    from fakeapi.faults.ready import READY, ready_rule  # noqa: PLC0415 - the same
    from fakeapi.faults.rules import RuleError  # noqa: PLC0415 - the same

    if kind is not None and kind not in READY:
        raise click.ClickException(f"no ready-made fault {kind!r}; there are {', '.join(READY)}")
    try:
        rules = [ready_rule(kind, _members(arguments))] if kind is not None else read_rules(file)
    except RuleError as error:
        raise click.ClickException(printable_line(error)) from error
    import msgspec  # noqa: PLC0415 - for --help's sake

    _print(client.post("/faults", msgspec.to_builtins(rules)))


@faults.command()
@control_client
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--all", "every", is_flag=True, help="Disarm all.")
def disarm(client: "ControlClient", *, names: tuple[str, ...], every: bool) -> None:
    """Disarm faults by name."""
    if bool(names) == every:
        raise click.UsageError("Name the faults, or say --all.")
    if every:
        client.delete("/faults")
    for name in names:
        client.delete(f"/faults/{name}")


def _members(arguments: tuple[str, ...]) -> dict[str, Any]:
    """The target and the keywords that arguments say; values are JSON, or text."""
    import json  # noqa: PLC0415 - for --help's sake

    words = [each for each in arguments if "=" not in each]
    members: dict[str, Any] = {"target": " ".join(words)}
    for each in arguments:
        name, equals, value = each.partition("=")
        if equals:
            try:
                members[name] = json.loads(value)
            except (ValueError, RecursionError):
                members[name] = value
    return members


def _print(answer: Any) -> None:
    for each in answer["faults"]:
        rule = each["rule"]
        shown = [each["name"], _told(rule["action"]), _told(rule["match"]), _told(rule["when"])]
        counts = f"matched {each['matched']}, fired {each['fired']}"
        click.echo("  ".join(printable_line(text) for text in [*filter(None, shown), counts]))


_UNTOLD = {"message": None, "details": True, "first": 1, "every": 1, "probability": 1.0}
"""Members that are left out: always, or with the value that they have unless it is given."""


def _told(members: dict[str, Any]) -> str:
    """Formats the members of a rule as `name=value`; the type stands alone."""
    return " ".join(
        str(value) if name == "type" else f"{name}={value}"
        for name, value in members.items()
        if value and not (name in _UNTOLD and _UNTOLD[name] in (None, value))
    )
