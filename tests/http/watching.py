"""Reads a watch response from a socket line by line, without a client library."""

import contextlib
import json
import socket
from collections.abc import Iterator
from typing import Any

from tests.http import wire
from tests.http.malformed.case import CLAIMS

Event = tuple[str, dict[str, Any]]


class Stream:
    """The response to a watch. `ended`: whether the server ended the body with its last chunk."""

    def __init__(self, sock: socket.socket) -> None:
        self.socket = sock
        self._reader = sock.makefile("rb")
        self.code, self.headers = wire.read_head(self._reader)
        self._text = b""
        self.ended = False

    def line(self) -> bytes:
        """Reads the next line of the response.

        Returns b"" at the end of the response, and also if the connection broke.
        """
        while b"\n" not in self._text:
            size = self._reader.readline()
            if not size:
                return b""
            chunk = self._reader.read(int(size, 16))
            self._reader.readline()
            if not chunk:
                self.ended = True
                return b""
            self._text += chunk
        line, _, self._text = self._text.partition(b"\n")
        return line

    def next(self) -> Event:
        event = json.loads(self.line())
        return event["type"], event["object"]

    def take(self, count: int) -> list[Event]:
        return [self.next() for _ in range(count)]

    def rest(self) -> list[Event]:
        """Reads and returns all events until the end of the response."""
        events = []
        while line := self.line():
            event = json.loads(line)
            events.append((event["type"], event["object"]))
        return events


@contextlib.contextmanager
def watch(url: str, query: str = "", *, path: str = CLAIMS) -> Iterator[Stream]:
    """Opens a watch and reads its response headers; yields the stream of events.

    The stream contains the events of all later writes.
    """
    target = f"{path}?watch=1&{query}" if "/watch/" not in path else f"{path}?{query}"
    with wire.connection(url) as sock:
        sock.sendall(wire.head(b"GET", target.encode(), [(b"Host", b"localhost")]))
        stream = Stream(sock)
        with contextlib.closing(stream._reader):
            yield stream


def told(events: list[Event]) -> list[tuple[str, str]]:
    """Returns (type, object name) of each event."""
    return [(kind, obj["metadata"].get("name", "")) for kind, obj in events]
