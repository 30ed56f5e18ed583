"""HTTP connections to one server, on the standard library alone."""

import http.client
import os
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

TIMEOUT_SECONDS = 60.0
"""For each step of a request; kube-apiserver gives up after as long."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole response, its body decoded."""

    status: int
    media_type: str
    text: str


class Connections:
    """Connections that are kept for the next request; safe to use from several threads, and after a fork."""

    def __init__(
        self, url: str, *, tls: ssl.SSLContext | None = None, timeout: float = TIMEOUT_SECONDS
    ) -> None:
        """`tls` says whom to trust."""
        self._base = urlsplit(url)
        self._tls = tls
        self._timeout = timeout
        self._idle: list[http.client.HTTPConnection] = []
        self._process = os.getpid()

    def send(self, method: str, target: str, headers: Mapping[str, str], body: bytes | None = None) -> Answer:
        """Raises OSError and http.client.HTTPException where no whole answer comes."""
        if self._process != os.getpid():  # after a fork, these connections are the parent's
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
        """Closes what is kept; a later request connects again."""
        while self._idle:
            self._idle.pop().close()

    def _connection(self) -> http.client.HTTPConnection:
        host, port = self._base.hostname or "", self._base.port
        if self._base.scheme == "https":
            return http.client.HTTPSConnection(host, port, timeout=self._timeout, context=self._tls)
        return http.client.HTTPConnection(host, port, timeout=self._timeout)
