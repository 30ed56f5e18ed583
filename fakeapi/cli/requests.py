"""The command `fakeapi requests`: prints the requests of a running server."""

import contextlib
from typing import TYPE_CHECKING, Any

import click

from fakeapi.cli.control_options import control_client
from fakeapi.cli.numbers import WholeNumber
from fakeapi.machinery.printable import LINE_MAX, printable

if TYPE_CHECKING:
    from fakeapi.clients.control import ControlClient


@click.command()
@click.argument("pattern", nargs=-1, metavar="[PATTERN]")
@control_client
@click.option("--follow", "-f", is_flag=True, help="Print new requests until interrupted.")
@click.option(
    "--last",
    type=WholeNumber(0),
    default=20,
    show_default=True,
    help="Print this many of the last requests.",
)
@click.option(
    "--verb",
    default="",
    metavar="VERB,…",
    help="Only these verbs. `read` stands for get, list and watch, `write` for all other verbs.",
)
@click.option(
    "--resource", default="", metavar="RESOURCE[/SUBRESOURCE]", help="Only requests for this resource."
)
@click.option("--namespace", "-n", default="", metavar="PATTERN", help="Only requests in this namespace.")
@click.option("--name", default="", metavar="PATTERN", help="Only requests for an object with this name.")
@click.option("--user", default="", metavar="PATTERN", help="Only requests of this user.")
@click.option("--agent", default="", metavar="PATTERN", help="Only requests of clients with this User-Agent.")
@click.option(
    "--code", type=int, default=0, metavar="CODE", help="Only requests whose response has this status code."
)
@click.option(
    "--since",
    metavar="TIME",
    help="Only requests from this time on: a duration before now such as `10m`, a time of the day in UTC "
    "such as `12:30:05`, or a time in RFC 3339.",
)
@click.option(
    "--until", metavar="TIME", help="Only requests up to this time, which is written like `--since`."
)
@click.option(
    "--number", type=WholeNumber(1), help="Print the request with this number, with its bodies, as JSON."
)
def requests(
    client: "ControlClient",
    pattern: tuple[str, ...],
    *,
    follow: bool,
    last: int,
    code: int,
    since: str | None,
    until: str | None,
    number: int | None,
    **members: Any,
) -> None:
    """Print the requests of a server, oldest first.

    PATTERN selects requests: `VERB [RESOURCE[/SUBRESOURCE] [[NAMESPACE/]NAME]]`, as in a test. For example:
    update resourceclaims/status default/gpu. Options override its parts.
    """
    if number is not None:
        import json  # noqa: PLC0415 - loaded only when used

        click.echo(json.dumps(client.get(f"/requests/{number}"), indent=2, ensure_ascii=False))
        return
    chosen = _members_of(" ".join(pattern), {name: value for name, value in members.items() if value})
    printed = client.get("/requests", last=last, code=code or None, since=since, until=until, **chosen)
    for entry in printed["requests"]:
        click.echo(_line(entry["text"]))
    if follow:
        with contextlib.suppress(KeyboardInterrupt), client.events(query=chosen) as events:
            for event in events:
                if event["type"] == "lost":
                    click.echo(f"({event['count']} requests are not shown: they arrived too fast)", err=True)
                elif not code or event["request"]["code"] == code:
                    click.echo(_line(event["request"]["text"]))


def _members_of(text: str, members: dict[str, str]) -> dict[str, str]:
    """Returns the fields of a pattern as query parameters. Raises UsageError for an invalid pattern.

    - `text`: the pattern as text; "" for all requests.
    - `members`: fields that override those in the text.
    """
    from fakeapi.journal.pattern import PatternError, RequestPattern  # noqa: PLC0415 - loaded only when used

    try:
        pattern = RequestPattern.of(text, members)
    except PatternError as error:
        raise click.UsageError(str(error)) from error
    names = ("verb", "namespace", "name", "user", "agent")
    query = {name: getattr(pattern, name) for name in names} | {"resource": pattern.qualified_resource}
    return {name: value for name, value in query.items() if value}


def _line(text: str) -> str:
    """Makes the text of a request printable, and cuts it after LINE_MAX characters."""
    return printable(text[:LINE_MAX])
