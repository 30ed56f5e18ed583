"""Connections: a pool of blocking HTTP connections to one server. Needs only the standard library."""

import http.client
import os
import socket
import ssl
from collections.abc import Mapping
from urllib.parse import urlsplit

import msgspec

TIMEOUT_SECONDS = 60.0
"""Default timeout, in seconds, of each read and write on the socket.

kube-apiserver ends ordinary requests after the same time.
"""


Headers = Mapping[str, str | tuple[str, ...]]
"""The headers of a request. A tuple stands for several headers of the same name."""

_WITH_BODY = ("POST", "PUT", "PATCH")
"""The methods whose requests have the header Content-Length even without a body."""


class Answer(msgspec.Struct, frozen=True):
    """A complete HTTP response.

    - `media_type`: the header Content-Type; "" if it is missing.
    - `text`: the body, decoded as UTF-8.
    - `warnings`: the values of the headers Warning.
    """

    status: int
    media_type: str
    text: str
    warnings: tuple[str, ...] = ()


class Stream:
    """A response that is read line by line, such as the response of a watch."""

    def __init__(
        self, connection: http.client.HTTPConnection, sock: socket.socket, response: http.client.HTTPResponse
    ) -> None:
        self._connection = connection
        self._socket = sock
        self._response = response

    @property
    def status(self) -> int:
        """The HTTP status of the response."""
        return self._response.status

    def line(self, seconds: float) -> bytes:
        """Returns the next line; b"" at the end of the response.

        Raises TimeoutError if no byte arrives for `seconds`; the stream is then unusable. Raises OSError and
        http.client.HTTPException if the connection breaks off.
        """
        self._socket.settimeout(max(seconds, 0.001))
        return self._response.readline()

    def rest(self, seconds: float) -> str:
        """Returns the rest of the response as text.

        Raises TimeoutError if no byte arrives for `seconds`.
        """
        self._socket.settimeout(max(seconds, 0.001))
        return self._response.read().decode("utf-8", "replace")

    def close(self) -> None:
        """Closes the connection. A second call does nothing."""
        self._response.close()
        self._connection.close()


def _send(
    connection: http.client.HTTPConnection, method: str, target: str, headers: Headers, body: bytes | None
) -> None:
    connection.putrequest(method, target)
    for name, value in headers.items():
        for single in value if isinstance(value, tuple) else (value,):
            connection.putheader(name, single)
    if body is not None or method in _WITH_BODY:
        connection.putheader("Content-Length", str(len(body or b"")))
    connection.endheaders(body)


class Connections:
    """A pool of blocking HTTP connections to one server, for several threads and forked processes."""

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

    def send(self, method: str, target: str, headers: Headers, body: bytes | None = None) -> Answer:
        """Sends a request and returns the complete response.

        - `target`: the path and query.
        - `headers`: a header with a tuple of values is sent once for each value.

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
            _send(connection, method, target, headers, body)
            response = connection.getresponse()
            text = response.read().decode()
        except BaseException:
            connection.close()
            raise
        self._idle.append(connection)
        warnings = tuple(response.headers.get_all("Warning") or ())
        return Answer(response.status, response.getheader("Content-Type", ""), text, warnings)

    def open_stream(self, target: str, headers: Headers) -> Stream:
        """Sends a GET request on a new connection; returns the response as a stream of lines.

        Raises OSError if the connection fails, and http.client.HTTPException if the response is not valid
        HTTP.
        """
        connection = self._connection()
        try:
            connection.connect()
            sock = connection.sock
            _send(connection, "GET", target, headers, None)
            return Stream(connection, sock, connection.getresponse())
        except BaseException:
            connection.close()
            raise

    def close(self) -> None:
        """Closes the idle connections. A later request opens a new connection."""
        while self._idle:
            self._idle.pop().close()

    def _connection(self) -> http.client.HTTPConnection:
        host, port = self._base.hostname or "", self._base.port
        if self._base.scheme == "https":
            return http.client.HTTPSConnection(host, port, timeout=self._timeout, context=self._tls)
        return http.client.HTTPConnection(host, port, timeout=self._timeout)
