"""What the requests of one connection have in common, whichever protocol they come by."""

import time
from dataclasses import dataclass
from email.utils import formatdate

from fakeapi.asgi import ASGIApp

Address = tuple[str, int] | None


class Dates:
    """The Date header, made once a second."""

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
    """The application that answers the requests of one connection, and what it is told of both ends."""

    app: ASGIApp
    dates: Dates
    secure: bool
    client: Address
    server: Address
