"""The properties that all requests of one connection share, in every protocol."""

import time
from dataclasses import dataclass
from email.utils import formatdate

from fakeapi.asgi import ASGIApp

Address = tuple[str, int] | None


class Dates:
    """The Date header, formatted once per second."""

    def __init__(self) -> None:
        self._second = 0
        self._headers: list[tuple[bytes, bytes]] = []

    def headers(self) -> list[tuple[bytes, bytes]]:
        second = int(time.time())
        if second != self._second:
            self._second = second
            self._headers = [(b"date", formatdate(second, usegmt=True).encode("ascii"))]
        return self._headers


@dataclass(frozen=True, slots=True)
class Streams:
    """The application that answers the requests of one connection, and the addresses of both ends."""

    app: ASGIApp
    dates: Dates
    secure: bool
    client: Address
    server: Address
