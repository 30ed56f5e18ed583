"""ControlClient: a blocking client for the control API of a fakeapi server.

The module needs only the standard library.
"""

import http.client
import json
import ssl
from collections.abc import Iterator, Mapping
from typing import Any, Self
from urllib.parse import urlencode

from fakeapi.clients.connections import Answer, Connections, Stream
from fakeapi.clients.errors import untrusted_text
from fakeapi.clients.target import Target
from fakeapi.machinery.base_error import FakeAPIError

CONTROL = "/_fakeapi"
"""The path of the control API."""

SILENCE_SECONDS = 60.0
"""Seconds without data after which an event stream raises ControlError. The server sends data every 15 s."""


class ControlError(FakeAPIError):
    """Raised if the server refuses a request, does not respond, or has no control API.

    The message is one line. `code`: the HTTP status of the response; 0 without a response.
    """

    def __init__(self, message: str, code: int = 0) -> None:
        super().__init__(message)
        self.code = code


class ControlClient:
    """A client for the control API of one server.

    Methods that send a request raise ControlError if the request fails.
    """

    def __init__(self, url: str, *, token: str | None = None, tls: ssl.SSLContext | None = None) -> None:
        """Creates a client, without connecting to the server.

        - `url`: the URL of the server, without /_fakeapi.
        - `token`: the bearer token; None for no token.
        - `tls`: the context that verifies the server's certificate; None for the CA certificates of the
          system.
        """
        self._url = url.rstrip("/")
        self._connections = Connections(self._url, tls=tls)
        self._headers = {"Accept": "application/json", "User-Agent": "fakeapi-control"}
        if token is not None:
            self._headers["Authorization"] = f"Bearer {token}"

    @classmethod
    def of_target(cls, target: Target) -> Self:
        """Returns a client for a Target. Raises TargetError if the credential cannot be read.

        The client uses a bearer token, and ignores other credentials.
        """
        authorization = target.authorization() or ""
        token = authorization.removeprefix("Bearer ") if authorization.startswith("Bearer ") else None
        return cls(target.url, token=token, tls=target.tls)

    def get(self, path: str, **query: Any) -> Any:
        """Sends a GET request; returns the decoded JSON of the response.

        `query`: the query parameters. Omits parameters with the value None.
        """
        return self.request("GET", path, query=query)

    def post(self, path: str, body: Any = None, **query: Any) -> Any:
        """Sends a POST request; returns the decoded JSON of the response.

        `body`: sends bytes unchanged, and any other value as JSON. None sends no body.
        """
        return self.request("POST", path, body, query=query)

    def put(self, path: str, body: Any = None, **query: Any) -> Any:
        """Sends a PUT request; returns the decoded JSON of the response.

        `body`: sends bytes unchanged, and any other value as JSON. None sends no body.
        """
        return self.request("PUT", path, body, query=query)

    def delete(self, path: str, **query: Any) -> Any:
        """Sends a DELETE request; returns the decoded JSON of the response.

        `query`: the query parameters. Omits parameters with the value None.
        """
        return self.request("DELETE", path, query=query)

    def request(
        self, method: str, path: str, body: Any = None, *, query: Mapping[str, Any] | None = None
    ) -> Any:
        """Sends a request; returns the decoded JSON of the response.

        Returns text if the response is not JSON, and None if it has no body. Raises ControlError if the
        server refuses the request or does not respond.

        - `path`: the path below /_fakeapi, such as "/clock".
        - `body`: bytes are sent unchanged, any other value as JSON. None sends no body.
        - `query`: the query parameters; a parameter with the value None is omitted.
        """
        content = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        headers = self._headers if content is None else {**self._headers, "Content-Type": "application/json"}
        try:
            answer = self._connections.send(method, _target(path, query), headers, content)
        except (OSError, http.client.HTTPException, UnicodeDecodeError) as error:
            raise ControlError(self._failure(error)) from error
        if answer.status >= 400:
            raise self._refusal(answer)
        if not answer.text or not answer.media_type.startswith("application/json"):
            return answer.text or None
        try:
            return json.loads(answer.text)
        except ValueError as error:
            raise ControlError(f"{self._url} answers with malformed JSON: {error}") from error

    def events(self, path: str = "/events", *, query: Mapping[str, Any] | None = None) -> "EventStream":
        """Opens a stream of server-sent events. Raises ControlError if the server opens no stream.

        The stream starts before this call returns. Instead of events that the server drops, the stream
        contains an event with their number.
        """
        stream: Stream | None = None
        try:
            stream = self._connections.open_stream(_target(path, query), self._headers)
            if stream.status < 400:
                stream.line(SILENCE_SECONDS)  # the first line comes after the server has subscribed
                return EventStream(stream)
            text = stream.rest(SILENCE_SECONDS)
        except (OSError, http.client.HTTPException) as error:
            if stream is not None:
                stream.close()
            raise ControlError(self._failure(error)) from error
        stream.close()
        raise self._refusal(Answer(stream.status, "", text))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the idle connections."""
        self._connections.close()

    def _failure(self, error: Exception) -> str:
        """Returns the message for a request without a response."""
        if isinstance(error, ssl.SSLCertVerificationError):
            return untrusted_text(self._url, error)
        return f"{self._url} does not answer: {error}"

    def _refusal(self, answer: Answer) -> ControlError:
        try:
            message = json.loads(answer.text)["message"]
        except (ValueError, TypeError, KeyError):
            message = f"{self._url} has no control API there: {answer.status}"
        return ControlError(str(message), answer.status)


class EventStream:
    """A stream of server-sent events. Iteration yields the decoded JSON of each event.

    The iteration ends when the server ends the stream.
    """

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        """Waits for the next event and returns its decoded JSON.

        Raises ControlError if the connection fails, or if the server sends nothing for SILENCE_SECONDS.
        """
        try:
            while line := self._stream.line(SILENCE_SECONDS):
                if line.startswith(b"data:"):
                    return json.loads(line[5:])
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise ControlError(f"the stream of events broke off: {error}") from error
        raise StopIteration

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection. A second call does nothing."""
        self._stream.close()


def page_of(target: Target) -> str:
    """Returns the URL of a server's live page; "" if the server does not respond or has no control API.

    Raises TargetError if the credential cannot be read.
    """
    with ControlClient.of_target(target) as client:
        try:
            state = client.get("/state")
        except ControlError:
            return ""
    return f"{target.url}/_fakeapi/ui/" if isinstance(state, dict) and "resourceVersion" in state else ""


def _target(path: str, query: Mapping[str, Any] | None) -> str:
    parameters = {name: value for name, value in (query or {}).items() if value is not None}
    return f"{CONTROL}{path}?{urlencode(parameters)}" if parameters else f"{CONTROL}{path}"
