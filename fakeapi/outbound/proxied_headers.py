"""The headers that a proxy passes on (RFC 9110, 7.6.1)."""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet

Headers = list[tuple[bytes, bytes]]


def proxied(headers: Iterable[tuple[bytes, bytes]], dropped: AbstractSet[bytes]) -> Headers:
    """Returns headers without the names in `dropped`, and without the names in their header Connection.

    All names must be in lower case.
    """
    headers = list(headers)
    values = (value for name, value in headers if name == b"connection")
    named = {name.strip().lower() for value in values for name in value.split(b",")}
    return [(name, value) for name, value in headers if name not in dropped and name not in named]
