"""Streams and Dates: the data of a connection that all its requests share."""

import time
from email.utils import formatdate

import msgspec

from fakeapi.asgi import ASGIApp

Address = tuple[str, int] | None


class Dates:
    """Provides the Date header of responses. Formats the date at most once per second."""

    def __init__(self) -> None:
        self._second = 0
        self._headers: list[tuple[bytes, bytes]] = []

    def headers(self) -> list[tuple[bytes, bytes]]:
        second = int(time.time())
        if second != self._second:
            self._second = second
            self._headers = [(b"date", formatdate(second, usegmt=True).encode("ascii"))]
        return self._headers


class Streams(msgspec.Struct, frozen=True):
    """The data of a connection that all its requests share.

    - `app`: the ASGI application that handles the requests.
    - `dates`: provides the Date header.
    - `secure`: whether the connection uses TLS.
    - `client` and `server`: host and port of both ends; None if unknown.
    """

    app: ASGIApp
    dates: Dates
    secure: bool
    client: Address
    server: Address
