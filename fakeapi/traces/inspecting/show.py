"""Formats exchanges as text for people."""

import json
from collections.abc import Iterable, Iterator

from fakeapi.machinery.printable import printable
from fakeapi.traces.model import Exchange


def one_line(exchange: Exchange) -> str:
    """Returns a line with offset, id, client, request and status of an exchange.

    For a watch, the line also has the number of events and the reason why the watch ended.
    """
    response = exchange.response
    status = str(response.status) if response else "-"
    text = f"{exchange.offset:10.3f}  #{exchange.id:<5} {exchange.actor}  {exchange.request.method} "
    text += f"{exchange.request.target}  {status}"
    if exchange.events is not None:
        text += f"  {len(exchange.events)} events, {exchange.ended}"
    return printable(text)


def in_full(exchange: Exchange) -> str:
    """Returns an exchange as text with its headers and bodies, and with indented JSON."""
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
    lines += [f"missing: {missing}" for missing in exchange.missing]
    lines += [f"inferred: {inference}" for inference in exchange.inferred]
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
    """Yields the exchanges whose client name contains `actor`, and whose "METHOD target" contains `grep`."""
    for exchange in exchanges:
        line = f"{exchange.request.method} {exchange.request.target}"
        if actor in exchange.actor and grep in line:
            yield exchange
