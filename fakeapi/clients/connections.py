"""HTTP connections to one server. The module needs only the standard library."""

import http.client
import os
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

TIMEOUT_SECONDS = 60.0
"""Timeout of each step of a request; kube-apiserver's own request timeout is also 60 seconds."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A complete response with its decoded body."""

    status: int
    media_type: str
    text: str


class Connections:
    """A pool of connections to one server; safe to use from several threads, and after a fork."""

    def __init__(
        self, url: str, *, tls: ssl.SSLContext | None = None, timeout: float = TIMEOUT_SECONDS
    ) -> None:
        """`tls` is the context that verifies the server's certificate."""
        self._base = urlsplit(url)
        self._tls = tls
        self._timeout = timeout
        self._idle: list[http.client.HTTPConnection] = []
        self._process = os.getpid()

    def send(self, method: str, target: str, headers: Mapping[str, str], body: bytes | None = None) -> Answer:
        """Sends a request and reads the whole response. Raises OSError and http.client.HTTPException."""
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
        """Closes the idle connections; a later request connects again."""
        while self._idle:
            self._idle.pop().close()

    def _connection(self) -> http.client.HTTPConnection:
        host, port = self._base.hostname or "", self._base.port
        if self._base.scheme == "https":
            return http.client.HTTPSConnection(host, port, timeout=self._timeout, context=self._tls)
        return http.client.HTTPConnection(host, port, timeout=self._timeout)
