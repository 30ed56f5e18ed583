"""HTTP responses as the clients return them, and their headers."""

from collections.abc import Iterable
from dataclasses import dataclass

Headers = tuple[tuple[str, str], ...]
"""The HTTP headers of a message in order: pairs of a name in lower case and a value. Names can repeat."""


@dataclass(frozen=True, slots=True)
class Response:
    """A complete HTTP response. The body of a recorded watch is empty; `Exchange.events` has its events."""

    status: int
    headers: Headers = ()
    body: bytes = b""


def first_header(headers: Iterable[tuple[str, str]], name: str) -> str:
    """Returns the value of the first header with this name; "" without one. Names must be in lower case."""
    return next((value for key, value in headers if key == name), "")
