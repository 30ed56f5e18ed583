"""Connections: a pool of blocking HTTP connections to one server. Needs only the standard library."""

import http.client
import os
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

TIMEOUT_SECONDS = 60.0
"""Default timeout, in seconds, of each read and write on the socket.

kube-apiserver ends requests after the same time.
"""


@dataclass(frozen=True, slots=True)
class Answer:
    """A complete HTTP response.

    - `media_type`: the header Content-Type; "" if it is missing.
    - `text`: the body, decoded as UTF-8.
    """

    status: int
    media_type: str
    text: str


class Connections:
    """A pool of blocking HTTP connections to one server.

    Several threads, and forked processes, can use the same pool.
    """

    def __init__(
        self, url: str, *, tls: ssl.SSLContext | None = None, timeout: float = TIMEOUT_SECONDS
    ) -> None:
        """Creates an empty pool; requests open the connections.

        - `url`: the URL of the server; its path is ignored.
        - `tls`: the context that verifies the server's certificate; None for the CA certificates of the
          system.
        - `timeout`: the maximum number of seconds for each read and write on the socket.
        """
        self._base = urlsplit(url)
        self._tls = tls
        self._timeout = timeout
        self._idle: list[http.client.HTTPConnection] = []
        self._process = os.getpid()

    def send(self, method: str, target: str, headers: Mapping[str, str], body: bytes | None = None) -> Answer:
        """Sends a request and returns the complete response.

        - `target`: the path and query.

        Raises OSError if the connection fails, and http.client.HTTPException if the response is not valid
        HTTP. Raises UnicodeDecodeError if the body is not UTF-8.
        """
        if self._process != os.getpid():  # after a fork, the connections belong to the parent
            self._process = os.getpid()
            self.close()
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = self._connection()
        try:
            connection.request(method, target, body, headers)
            response = connection.getresponse()
            text = response.read().decode()
        except BaseException:
            connection.close()
            raise
        self._idle.append(connection)
        return Answer(response.status, response.getheader("Content-Type", ""), text)

    def close(self) -> None:
        """Closes the idle connections; a later request opens a new connection."""
        while self._idle:
            self._idle.pop().close()

    def _connection(self) -> http.client.HTTPConnection:
        host, port = self._base.hostname or "", self._base.port
        if self._base.scheme == "https":
            return http.client.HTTPSConnection(host, port, timeout=self._timeout, context=self._tls)
        return http.client.HTTPConnection(host, port, timeout=self._timeout)
