"""The command `fakeapi faults`: lists, arms and disarms the faults of a running server."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fakeapi.cli.control_options import control_client
from fakeapi.cli.file_type import FILE
from fakeapi.machinery.printable import printable_line
from fakeapi.machinery.suggestions import did_you_mean

if TYPE_CHECKING:
    from fakeapi.clients.control import ControlClient


@click.group()
def faults() -> None:
    """List, arm and disarm the faults of a running server."""


@faults.command("list")
@control_client
def list_faults(client: "ControlClient") -> None:
    """List the armed faults, with the numbers of matched and affected requests."""
    armed = client.get("/faults")
    if not armed["faults"]:
        click.echo("No fault is armed.")
    _print(armed)


@faults.command(context_settings={"ignore_unknown_options": True})
@control_client
@click.option(
    "--file",
    "-f",
    "file",
    metavar="FILE",
    type=FILE,
    help="Arm the rules of this YAML file.",
)
@click.argument("kind", required=False)
@click.argument("arguments", nargs=-1, metavar="[TARGET] [NAME=VALUE]...")
def arm(client: "ControlClient", *, file: Path | None, kind: str | None, arguments: tuple[str, ...]) -> None:
    """Arm a ready-made fault, or the rules of a file.

    Example: fakeapi faults arm conflict resourceclaims/status times=2
    """
    if (file is None) == (kind is None):
        raise click.UsageError("Name a ready-made fault or a --file.")
    from fakeapi.faults.reading import read_rules  # noqa: PLC0415 - keeps --help fast
    from fakeapi.faults.ready import READY, ready_rule  # noqa: PLC0415 - keeps --help fast
    from fakeapi.faults.rules import RuleError  # noqa: PLC0415 - keeps --help fast

    if kind is not None and kind not in READY:
        hint = did_you_mean(kind, READY) or f"; there are {', '.join(READY)}"
        raise click.ClickException(f"no ready-made fault {kind!r}{hint}")
    try:
        rules = [ready_rule(kind, _members(arguments))] if kind is not None else read_rules(file or ())
    except RuleError as error:
        raise click.ClickException(printable_line(error)) from error
    import msgspec  # noqa: PLC0415 - keeps --help fast

    _print(client.post("/faults", msgspec.to_builtins(rules)))


@faults.command()
@control_client
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--all", "every", is_flag=True, help="Disarm all.")
def disarm(client: "ControlClient", *, names: tuple[str, ...], every: bool) -> None:
    """Disarm faults by name."""
    if bool(names) == every:
        raise click.UsageError("Name the faults, or set --all.")
    if every:
        client.delete("/faults")
    for name in names:
        client.delete(f"/faults/{name}")


def _members(arguments: tuple[str, ...]) -> dict[str, Any]:
    """Parses the arguments of a ready-made fault: its target, and NAME=VALUE pairs.

    Arguments without "=" form the target, joined by spaces. A VALUE that is not valid JSON is a string.
    """
    import json  # noqa: PLC0415 - keeps --help fast

    words = [argument for argument in arguments if "=" not in argument]
    members: dict[str, Any] = {"target": " ".join(words)}
    for argument in arguments:
        name, equals, value = argument.partition("=")
        if equals:
            try:
                members[name] = json.loads(value)
            except (ValueError, RecursionError):
                members[name] = value
    return members


def _print(answer: Any) -> None:
    for fault in answer["faults"]:
        rule = fault["rule"]
        columns = [
            fault["name"],
            _described(_armed_action(rule, fault["name"])),
            _described(rule["match"]),
            _described(_armed_times(rule["when"])),
        ]
        counts = f"matched {fault['matched']}, fired {fault['fired']}"
        click.echo("  ".join(printable_line(text) for text in [*filter(None, columns), counts]))


_OMITTED = {"message": None, "details": True, "first": 1, "every": 1, "probability": 1.0}
"""Fields of a fault rule, with their default values. `_described` omits a field with its default value.

None means that `_described` omits the field with any value.
"""


def _armed_action(rule: dict[str, Any], called: str) -> dict[str, Any]:
    """Returns the action of a rule as the user armed it: with the name of a ready-made fault as its type.

    Omits fields that the ready-made fault sets itself, such as the code 429 of `throttle`.

    `called`: the name of the fault. If the name is the type, omits the type.
    """
    action, ready = rule["action"], rule.get("ready", "")
    if not ready:
        return dict(action)
    import msgspec  # noqa: PLC0415 - keeps --help fast

    from fakeapi.faults.ready import READY  # noqa: PLC0415 - keeps --help fast

    try:
        own = msgspec.to_builtins(READY[ready][0]()) if ready in READY else {}
    except TypeError:  # the fault has a required argument, such as the seconds of `wait`
        own = {}
    chosen = {name: value for name, value in action.items() if name == "type" or own.get(name) != value}
    return {**chosen, "type": "" if ready == called else ready}


def _armed_times(when: dict[str, Any]) -> dict[str, Any]:
    """Returns the fields of When with `times`, the number of requests that the fault fires for."""
    last = when.get("last", 0)
    if not last:
        return when
    rest = {name: value for name, value in when.items() if name != "last"}
    times = (last - when.get("first", 1)) // when.get("every", 1) + 1
    return {"times": times, **rest}


def _described(members: dict[str, Any]) -> str:
    """Formats the members of a fault rule's `action`, `match` or `when` as one line of text.

    The line contains the type and `name=value` pairs, without empty and default values.
    """
    return " ".join(
        str(value) if name == "type" else f"{_argument(name)}={value}"
        for name, value in members.items()
        if value and not (name in _OMITTED and _OMITTED[name] in (None, value))
    )


def _argument(name: str) -> str:
    """Returns the argument for a field in JSON, such as "retry_after" for "retryAfter"."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
