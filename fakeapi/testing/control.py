"""ControlClient: a client of a server's control API, on the standard library alone."""

import http.client
import json
import ssl
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlencode, urlsplit

from fakeapi.testing.connection import Answer, Connections
from fakeapi.traces.client.kubeconfig import target_of_kubeconfig
from fakeapi.traces.client.target import Target, target_of_url

CONTROL = "/_fakeapi"

SILENCE_SECONDS = 60.0
"""Without a byte, after which a stream of events is given up; the server sends one every 15 seconds."""


class ControlError(Exception):
    """The server refused, or is none that has a control API; one line for the user.

    `code` is the HTTP status, 0 where no answer came.
    """

    def __init__(self, message: str, code: int = 0) -> None:
        super().__init__(message)
        self.code = code


class ControlClient:
    """Asks the control API of one server. Every method raises ControlError."""

    def __init__(self, url: str, *, token: str | None = None, tls: ssl.SSLContext | None = None) -> None:
        """`url` is the server's, without /_fakeapi; `tls` says whom to trust."""
        self._url = url.rstrip("/")
        self._tls = tls
        self._connections = Connections(self._url, tls=tls)
        self._headers = {"Accept": "application/json", "User-Agent": "fakeapi-control"}
        if token is not None:
            self._headers["Authorization"] = f"Bearer {token}"

    @classmethod
    def of_url(cls, url: str, *, token: str | None = None, ca_file: Path | None = None) -> Self:
        """Raises TargetError."""
        return cls.of_target(target_of_url(url, token=token, ca_file=ca_file))

    @classmethod
    def of_kubeconfig(cls, path: Path, context: str | None = None) -> Self:
        """The cluster of the current context, or of the named one. Raises TargetError."""
        return cls.of_target(target_of_kubeconfig(path, context))

    @classmethod
    def of_target(cls, target: Target) -> Self:
        authorization = target.authorization() or ""
        token = authorization.removeprefix("Bearer ") if authorization.startswith("Bearer ") else None
        return cls(target.url, token=token, tls=target.tls)

    def get(self, path: str, **query: Any) -> Any:
        return self.request("GET", path, query=query)

    def post(self, path: str, body: Any = None, **query: Any) -> Any:
        return self.request("POST", path, body, query=query)

    def put(self, path: str, body: Any = None, **query: Any) -> Any:
        return self.request("PUT", path, body, query=query)

    def delete(self, path: str, **query: Any) -> Any:
        return self.request("DELETE", path, query=query)

    def request(
        self, method: str, path: str, body: Any = None, *, query: Mapping[str, Any] | None = None
    ) -> Any:
        """The decoded answer to a request below /_fakeapi; None where it has no body.

        `body` is sent as it is when it is bytes, and as JSON otherwise; None in `query` is left out.
        """
        content = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        headers = self._headers if content is None else {**self._headers, "Content-Type": "application/json"}
        try:
            answer = self._connections.send(method, _target(path, query), headers, content)
        except (OSError, http.client.HTTPException) as error:
            raise ControlError(f"{self._url} does not answer: {error}") from error
        if answer.status >= 400:
            raise self._refusal(answer)
        if not answer.text:
            return None
        return json.loads(answer.text) if answer.media_type.startswith("application/json") else answer.text

    def events(self, path: str = "/events", *, query: Mapping[str, Any] | None = None) -> "EventStream":
        """Server-sent events; all that happen after this returns are in them."""
        base = urlsplit(self._url)
        make: Any = http.client.HTTPConnection
        more: dict[str, Any] = {}
        if base.scheme == "https":
            make, more = http.client.HTTPSConnection, {"context": self._tls}
        connection = make(base.hostname or "", base.port, timeout=SILENCE_SECONDS, **more)
        try:
            connection.request("GET", _target(path, query), headers=self._headers)
            response = connection.getresponse()
            # The server greets once it follows what happens.
            text = response.read() if response.status >= 400 else response.readline()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise ControlError(f"{self._url} does not answer: {error}") from error
        if response.status >= 400:
            connection.close()
            raise self._refusal(
                Answer(response.status, response.getheader("Content-Type", ""), text.decode())
            )
        return EventStream(connection, response)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections that are kept for the next request."""
        self._connections.close()

    def _refusal(self, answer: Answer) -> ControlError:
        try:
            message = json.loads(answer.text)["message"]
        except (ValueError, TypeError, KeyError):
            message = f"{self._url} has no control API there: {answer.status}"
        return ControlError(str(message), answer.status)


class EventStream:
    """The data of server-sent events, decoded, until the server ends them or nothing comes for long."""

    def __init__(self, connection: http.client.HTTPConnection, response: http.client.HTTPResponse) -> None:
        self._connection = connection
        self._response = response

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        """Raises ControlError for a stream that breaks off."""
        try:
            while line := self._response.readline():
                if line.startswith(b"data:"):
                    return json.loads(line[5:])
        except (OSError, http.client.HTTPException) as error:
            raise ControlError(f"the stream of events broke off: {error}") from error
        raise StopIteration

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection; again is no error."""
        self._response.close()
        self._connection.close()


def page_of(target: Target) -> str:
    """The address of a server's live page; "" for a server that has none."""
    with ControlClient.of_target(target) as client:
        try:
            state = client.get("/state")
        except ControlError:
            return ""
    return f"{target.url}/_fakeapi/ui/" if isinstance(state, dict) and "resourceVersion" in state else ""


def _target(path: str, query: Mapping[str, Any] | None) -> str:
    given = {name: value for name, value in (query or {}).items() if value is not None}
    return f"{CONTROL}{path}?{urlencode(given)}" if given else f"{CONTROL}{path}"
