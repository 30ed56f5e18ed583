"""The command `fakeapi requests`: prints the requests of a running server."""

import contextlib
from typing import TYPE_CHECKING, Any

import click

from fakeapi.cli.control_options import control_client
from fakeapi.machinery.printable import LINE_MAX, printable

if TYPE_CHECKING:
    from fakeapi.testing.control import ControlClient


@click.command(context_settings={"show_default": True})
@control_client
@click.option("--follow", "-f", is_flag=True, help="Print requests as they come, until interrupted.")
@click.option("--last", type=click.IntRange(0), default=20, help="Print the last so many.")
@click.option("--verb", default="", metavar="VERB,…", help="Only these verbs; read and write stand for many.")
@click.option("--resource", default="", metavar="RESOURCE[/SUBRESOURCE]", help="Only this resource.")
@click.option("--namespace", "-n", default="", metavar="PATTERN", help="Only in this namespace.")
@click.option("--name", default="", metavar="PATTERN", help="Only of this object.")
@click.option("--user", default="", metavar="PATTERN", help="Only of this user.")
@click.option("--agent", default="", metavar="PATTERN", help="Only of clients with this User-Agent.")
@click.option("--code", type=int, default=0, metavar="CODE", help="Only those that were answered this code.")
@click.option("--number", type=click.IntRange(1), help="Print this one, with its bodies, as JSON.")
def requests(
    client: "ControlClient", *, follow: bool, last: int, code: int, number: int | None, **members: Any
) -> None:
    """Print the requests of a server, oldest first."""
    if number is not None:
        import json  # noqa: PLC0415 - loaded only when used

        click.echo(json.dumps(client.get(f"/requests/{number}"), indent=2, ensure_ascii=False))
        return
    chosen = {name: value for name, value in members.items() if value}
    for each in client.get("/requests", last=last, code=code or None, **chosen)["requests"]:
        click.echo(_line(each["text"]))
    if follow:
        with contextlib.suppress(KeyboardInterrupt), client.events(query=chosen) as events:
            for event in events:
                if event["type"] == "lost":
                    click.echo(f"({event['count']} requests are not shown: they came too fast)", err=True)
                elif not code or event["request"]["code"] == code:
                    click.echo(_line(event["request"]["text"]))


def _line(text: str) -> str:
    """The text of a request as one printable line of bounded length, with the spaces between its parts."""
    return printable(text[:LINE_MAX])
