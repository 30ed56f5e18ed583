"""Sends single HTTP requests with exactly the headers that a test chooses."""

import contextlib
import json
from collections.abc import Iterator
from typing import Any, Protocol

from tests.http import wire
from tests.http.watching import Stream


class Served(Protocol):
    """Any object with the URL of a server, such as FakeAPI."""

    @property
    def url(self) -> str: ...


def ask(api: Served, path: str, method: str = "GET", body: Any = None, **headers: str) -> wire.Answer:
    """Sends a request on a new connection and returns the response.

    `body`: a JSON value to send; None sends no body. Each keyword argument is a header: `if_none_match` is
    If-None-Match.
    """
    data = b"" if body is None else json.dumps(body).encode()
    named = {"content_type": "application/json", **headers} if data else headers
    lines = [(b"Host", b"localhost"), (b"Connection", b"close"), (b"Content-Length", b"%d" % len(data))]
    lines += [(name.replace("_", "-").encode(), value.encode()) for name, value in named.items()]
    head = wire.head(method.encode(), path.encode(), lines)
    return wire.exchange(api.url, head + data, without_body=method == "HEAD")


@contextlib.contextmanager
def watched(api: Served, path: str, accept: str) -> Iterator[Stream]:
    """Opens a watch of the URL path with this Accept header; yields the stream of its events."""
    with wire.connection(api.url) as sock:
        sock.sendall(
            wire.head(b"GET", path.encode(), [(b"Host", b"localhost"), (b"Accept", accept.encode())])
        )
        yield Stream(sock)
