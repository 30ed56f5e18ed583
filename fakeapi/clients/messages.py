"""HTTP responses as the clients return them, and their headers."""

from collections.abc import Iterable
from dataclasses import dataclass

Headers = tuple[tuple[str, str], ...]
"""Pairs of (name in lower case, value) in the order of the message; a name may repeat."""


@dataclass(frozen=True, slots=True)
class Response:
    """A whole response. Names of headers are in lower case. The body of a watch is empty."""

    status: int
    headers: Headers = ()
    body: bytes = b""


def first_header(headers: Iterable[tuple[str, str]], name: str) -> str:
    """Returns the value of the first header named `name`, or ""; all names are in lower case."""
    return next((value for key, value in headers if key == name), "")
