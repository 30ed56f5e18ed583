"""Response: an HTTP response with its headers and body."""

from collections.abc import Iterable
from dataclasses import dataclass

Headers = tuple[tuple[str, str], ...]
"""The headers of an HTTP message in order, as (name, value). A name can occur several times."""


@dataclass(frozen=True, slots=True)
class Response:
    """A complete HTTP response. The names of its headers are in lower case.

    The response to a recorded watch has no body, because `Exchange.events` contains the events.
    """

    status: int
    headers: Headers = ()
    body: bytes = b""


def first_header(headers: Iterable[tuple[str, str]], name: str) -> str:
    """Returns the value of the first header with this name; "" without such a header.

    `name` and the names in `headers` must be in lower case.
    """
    return next((value for key, value in headers if key == name), "")
