"""Formats exchanges as readable text."""

import json
from collections.abc import Iterable, Iterator

from fakeapi.machinery.printable import printable
from fakeapi.traces.model import Exchange


def one_line(exchange: Exchange) -> str:
    """Formats an exchange in one line: offset, id, client, request, status, and how a watch ended."""
    response = exchange.response
    status = str(response.status) if response else "-"
    text = f"{exchange.offset:10.3f}  #{exchange.id:<5} {exchange.actor}  {exchange.request.method} "
    text += f"{exchange.request.target}  {status}"
    if exchange.events is not None:
        text += f"  {len(exchange.events)} events, {exchange.ended}"
    return printable(text)


def in_full(exchange: Exchange) -> str:
    """Formats an exchange with its headers and bodies; indents JSON."""
    request, response = exchange.request, exchange.response
    lines = [one_line(exchange).strip(), ""]
    lines += [
        f"> {request.method} {request.target}",
        *(f"> {name}: {value}" for name, value in request.headers),
    ]
    lines += _body(request.body)
    if response is not None:
        lines += ["", f"< {response.status}", *(f"< {name}: {value}" for name, value in response.headers)]
        lines += _body(response.body)
    for event in exchange.events or ():
        lines += ["", f"  at {event.offset:.3f}", *_body(event.line)]
    lines += [f"missing: {each}" for each in exchange.missing]
    lines += [f"inferred: {each}" for each in exchange.inferred]
    return "\n".join(map(printable, lines))


def _body(data: bytes) -> list[str]:
    if not data:
        return []
    try:
        text = json.dumps(json.loads(data), indent=2, ensure_ascii=False)
        return text.encode("utf-8", "backslashreplace").decode().splitlines()
    except (ValueError, RecursionError):
        text = data.decode("utf-8", "backslashreplace")
        return text.splitlines() if text.isprintable() or "\n" in text else [f"({len(data)} bytes)"]


def matching(exchanges: Iterable[Exchange], *, actor: str = "", grep: str = "") -> Iterator[Exchange]:
    """Yields the exchanges with `actor` in the client's name and `grep` in "METHOD target"."""
    for exchange in exchanges:
        line = f"{exchange.request.method} {exchange.request.target}"
        if actor in exchange.actor and grep in line:
            yield exchange
