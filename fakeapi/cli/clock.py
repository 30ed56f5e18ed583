"""The command `fakeapi clock`: reads and moves the clock of a running server."""

from typing import Any

import click

from fakeapi.cli.control_options import control_client


@click.group()
def clock() -> None:
    """Freeze, resume and move the clock of a running server."""


def _print_time(state: dict[str, Any]) -> None:
    mode = "frozen" if state["frozen"] else "running, adjusted" if state["adjusted"] else "running"
    click.echo(f"{state['now']} ({mode})")


@clock.command()
@control_client
def show(*, client: Any) -> None:
    """Print the server's time."""
    _print_time(client.get("/clock"))


@clock.command()
@click.argument("time", default="")
@control_client
def freeze(*, client: Any, time: str) -> None:
    """Freeze the clock now, or move it forward to TIME (2026-01-31T12:00:00Z) and freeze it there."""
    _print_time(client.post("/clock/freeze", {"at": time}))


@clock.command()
@control_client
def resume(*, client: Any) -> None:
    """Let a frozen clock run again, from its frozen time."""
    _print_time(client.post("/clock/resume"))


@clock.command()
@click.argument("seconds", type=float)
@control_client
def advance(*, client: Any, seconds: float) -> None:
    """Move the clock forward by SECONDS. All timers that are due by then expire at once."""
    _print_time(client.post("/clock/advance", {"seconds": seconds}))


@clock.command()
@click.argument("time")
@control_client
def jump(*, client: Any, time: str) -> None:
    """Move the clock forward to TIME, such as 2026-01-31T12:00:00Z."""
    _print_time(client.post("/clock/jump", {"to": time}))
