"""InProcessClient: a client of an API server that is an ASGI application in the same event loop."""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import unquote, urlencode

from fakeapi.asgi import WRITE_NOW, ASGIApp, DropConnection, Message, Scope
from fakeapi.clients.errors import StatusError
from fakeapi.clients.lines import LineSplitter, LineTooLong
from fakeapi.clients.verbs import JSON, Verbs
from fakeapi.machinery import codec
from fakeapi.machinery.json_types import Object

log = logging.getLogger("fakeapi.clients")

PROTOBUF = "application/vnd.kubernetes.protobuf"
LINE_BYTES_MAX = 16 * 1024 * 1024
"""Maximum size of a watch event in bytes; a larger event ends the watch."""


class InProcessClient(Verbs):
    """A client that calls an ASGI application directly, without a network connection.

    - `agent`: the User-Agent of the requests.
    - `token`: the bearer token; None for no token.
    - `host`: the header Host.
    - `on_warning`: called with each Warning header of a response with JSON; None ignores these headers.

    The caller may change the returned JSON objects. Every method raises StatusError for an error response.
    The code of the error is 0 if the response was incomplete or a watch event was too long.
    """

    def __init__(
        self,
        app: ASGIApp,
        agent: str,
        *,
        token: str | None = None,
        host: str = "localhost",
        on_warning: Callable[[str], None] | None = None,
    ) -> None:
        self._app = app
        self._on_warning = on_warning
        self._headers = [
            (b"host", host.encode()),
            (b"user-agent", agent.encode()),
        ]
        if token is not None:
            self._headers.append((b"authorization", b"Bearer " + token.encode()))

    async def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, str] | None = None,
        content_type: str = JSON,
    ) -> Object:
        content = None if body is None else codec.encode(body)
        response = _Response()
        await self._send(method, path, query, response, content=content, content_type=content_type)
        if self._on_warning is not None:
            for warning in response.warnings:
                self._on_warning(warning)
        return response.decoded()

    async def read_protobuf(self, path: str) -> bytes:
        """Reads an object in protobuf; returns the body of the response.

        The body is Kubernetes' magic number and a message of the type `runtime.Unknown`.
        """
        response = _Response()
        await self._send("GET", path, None, response, accept=PROTOBUF)
        return response.content()

    async def write_protobuf(self, path: str, body: bytes) -> Object:
        """Replaces an object (PUT) by an object in protobuf; returns the stored object.

        `body`: Kubernetes' magic number and a message of the type `runtime.Unknown`.
        """
        response = _Response()
        await self._send("PUT", path, None, response, content=body, content_type=PROTOBUF)
        return response.decoded()

    async def watch(self, path: str, query: Mapping[str, str], on_event: Callable[[Object], None]) -> None:
        """Watches a collection; returns when the server ends the watch.

        Raises StatusError if the server refuses the watch, or if the application drops the connection.

        - `query`: the query parameters without `watch`.
        - `on_event`: called with each event when it arrives.
        """
        response = _WatchResponse(on_event)
        extensions = {WRITE_NOW: response.write_now}
        await self._send("GET", path, {**query, "watch": "true"}, response, extensions=extensions)
        response.decoded()

    async def _send(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None,
        response: "_Response",
        *,
        content: bytes | None = None,
        content_type: str = JSON,
        accept: str = JSON,
        extensions: Mapping[str, object] | None = None,
    ) -> None:
        """Sends a request, and collects its response in `response`.

        `extensions`: the extensions of ASGI that the client offers to the application.

        If the application drops the connection, the response stays incomplete.
        """
        headers = [*self._headers, (b"accept", accept.encode())]
        if content is not None:
            headers.append((b"content-type", content_type.encode()))
            headers.append((b"content-length", b"%d" % len(content)))
        with contextlib.suppress(DropConnection):
            await self._app(
                _scope(method, path, query, headers, extensions or {}),
                _RequestBody(content or b"").receive,
                response.send,
            )


def _scope(
    method: str,
    path: str,
    query: Mapping[str, str] | None,
    headers: list[tuple[bytes, bytes]],
    extensions: Mapping[str, object],
) -> Scope:
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": urlencode(query or {}).encode(),
        "root_path": "",
        "headers": headers,
        "client": None,
        "server": None,
        "extensions": extensions,
    }


class _RequestBody:
    """The body of an ASGI request. `receive` returns the body first, and then waits for ever.

    The application therefore regards the client as connected.
    """

    def __init__(self, body: bytes) -> None:
        self._body: bytes | None = body

    async def receive(self) -> Message:
        if self._body is not None:
            body, self._body = self._body, None
            return {"type": "http.request", "body": body, "more_body": False}
        await asyncio.get_running_loop().create_future()
        return {"type": "http.disconnect"}


class _Response:
    """The response to a request. `send` collects the ASGI messages of the application."""

    def __init__(self) -> None:
        self.code = 0
        self.warnings: list[str] = []
        self._parts: list[bytes] = []
        self._is_whole = False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.code = message["status"]
            headers = message.get("headers", ())
            self.warnings = [
                value.decode("utf-8", "replace") for name, value in headers if name == b"warning"
            ]
        elif message["type"] == "http.response.body":
            self.take(message.get("body", b""))
            self._is_whole = not message.get("more_body", False)

    def take(self, part: bytes) -> None:
        """Adds a part of the body to this response."""
        self._parts.append(part)

    def content(self) -> bytes:
        """Returns the body of a successful response.

        Raises StatusError for an error response. An incomplete response also raises StatusError, with code 0;
        the server may or may not have written the object.
        """
        if not self._is_whole:
            raise StatusError.without_response(
                "ConnectionLost", "the connection was lost before the response was complete"
            )
        content = b"".join(self._parts)
        if self.code >= 300:
            raise StatusError(self.code, _decoded(content))
        return content

    def decoded(self) -> Object:
        """Returns the JSON object in a successful response; {} if the body is not a JSON object.

        Raises StatusError for an error response or an incomplete response.
        """
        return _decoded(self.content())


class _WatchResponse(_Response):
    """The response to a watch, with one JSON value per line.

    `take` calls `on_event` with each value.
    """

    def __init__(self, on_event: Callable[[Object], None]) -> None:
        super().__init__()
        self._on_event = on_event
        self._lines = LineSplitter(LINE_BYTES_MAX)

    def write_now(self, part: bytes) -> bool:
        """Implements WRITE_NOW: calls `on_event` with the events in `part`, at the commit of their objects.

        Returns False if `part` is too long. The events then arrive in the stream and end the watch. Logs
        exceptions, because an exception of `on_event` must not end the commit.
        """
        if len(part) > LINE_BYTES_MAX:
            return False
        try:
            self.take(part)
        except Exception:
            log.exception("a watcher failed to handle an event")
        return True

    def take(self, part: bytes) -> None:
        if self.code != 200:
            super().take(part)
            return
        try:
            for line in self._lines.feed(part):
                if line:
                    self._on_event(codec.decode(line))
        except LineTooLong as error:
            raise StatusError.without_response("TooLong", f"watch: {error}") from error


def _decoded(body: bytes) -> Object:
    try:
        value = codec.decode(body) if body else {}
    except codec.JsonError:
        value = {}
    return value if isinstance(value, dict) else {}
