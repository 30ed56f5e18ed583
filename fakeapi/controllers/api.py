"""API: a client of a Kubernetes API server that is an ASGI application in the same event loop."""

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote, urlencode

from fakeapi.asgi import ASGIApp, DropConnection, Message, Scope
from fakeapi.machinery import codec
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.patch.media_types import SHORT_NAMES

JSON = "application/json"
PROTOBUF = "application/vnd.kubernetes.protobuf"
LINE_BYTES_MAX = 16 * 1024 * 1024
"""Maximum size of a watch event in bytes; a larger event ends the watch."""


class Refused(Exception):
    """The server sent an error Status, or its response was lost or too long (code 0)."""

    def __init__(self, code: int, reason: str, message: str, status: Object) -> None:
        super().__init__(f"{code} {reason}: {message}")
        self.code = code
        self.reason = reason
        self.message = message
        self.status = status

    @property
    def is_conflict(self) -> bool:
        """Whether the reason is Conflict: another client changed the object.

        Read the object again and retry.
        """
        return self.reason == "Conflict"

    @property
    def is_missing(self) -> bool:
        return self.code == 404

    @property
    def exists(self) -> bool:
        return self.reason == "AlreadyExists"


class API:
    """Sends requests as one client, with its own User-Agent.

    Methods return decoded JSON, which the caller may change. Every method raises Refused for an error
    response.
    """

    def __init__(
        self, app: ASGIApp, agent: str, *, token: str | None = None, host: str = "localhost"
    ) -> None:
        self._app = app
        self._headers = [
            (b"host", host.encode()),
            (b"user-agent", agent.encode()),
            (b"accept", JSON.encode()),
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
        """Sends a request; returns the decoded body of a successful response."""
        answer = _Answer()
        sent = b"" if body is None else codec.encode(body)
        headers = list(self._headers)
        if body is not None:
            headers.append((b"content-type", content_type.encode()))
            headers.append((b"content-length", b"%d" % len(sent)))
        await self._send(_scope(method, path, query, headers), sent, answer)
        return answer.result()

    async def read_protobuf(self, path: str) -> bytes:
        """Reads an object in protobuf; returns the bytes with the magic number and the Unknown envelope."""
        answer = _Answer()
        headers = [header for header in self._headers if header[0] != b"accept"]
        headers.append((b"accept", PROTOBUF.encode()))
        await self._send(_scope("GET", path, None, headers), b"", answer)
        return answer.content()

    async def write_protobuf(self, path: str, body: bytes) -> Object:
        """Updates an object from protobuf bytes including the envelope; returns the stored object."""
        answer = _Answer()
        headers = [
            *self._headers,
            (b"content-type", PROTOBUF.encode()),
            (b"content-length", b"%d" % len(body)),
        ]
        await self._send(_scope("PUT", path, None, headers), body, answer)
        return answer.result()

    async def get(self, path: str) -> Object:
        return await self.request("GET", path)

    async def create(self, path: str, obj: Object, **query: str) -> Object:
        return await self.request("POST", path, obj, query=query)

    async def update(self, path: str, obj: Object) -> Object:
        return await self.request("PUT", path, obj)

    async def patch(self, path: str, patch: Any, kind: str = "merge", **query: str) -> Object:
        """Patches an object. `kind` is json, merge, strategic or apply."""
        return await self.request("PATCH", path, patch, query=query, content_type=SHORT_NAMES[kind])

    async def delete(
        self, path: str, *, uid: str = "", version: str = "", propagation: str = "", grace: int | None = None
    ) -> Object:
        """Deletes an object. `uid` and `version` become preconditions if they are not empty."""
        conditions = {"uid": uid, "resourceVersion": version}
        preconditions = {name: value for name, value in conditions.items() if value}
        options: Object = {"kind": "DeleteOptions", "apiVersion": "v1"}
        if preconditions:
            options["preconditions"] = preconditions
        if propagation:
            options["propagationPolicy"] = propagation
        if grace is not None:
            options["gracePeriodSeconds"] = grace
        return await self.request("DELETE", path, options)

    async def watch(self, path: str, query: Mapping[str, str], on_event: Callable[[Object], None]) -> None:
        """Calls `on_event` with each event when it arrives; returns when the server ends the watch.

        Raises Refused.
        """
        answer = _Lines(on_event)
        scope = _scope("GET", path, {**query, "watch": "true"}, self._headers)
        await self._send(scope, b"", answer)
        answer.result()

    async def _send(self, scope: Scope, body: bytes, answer: "_Answer") -> None:
        """Sends a request and passes the response to `answer`.

        A dropped connection leaves the response incomplete.
        """
        with contextlib.suppress(DropConnection):
            await self._app(scope, _Sent(body).receive, answer.send)


def _scope(
    method: str, path: str, query: Mapping[str, str] | None, headers: list[tuple[bytes, bytes]]
) -> Scope:
    raw_path = quote(path, safe="/:@!$&'()*+,;=~")
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": raw_path.encode(),
        "query_string": urlencode(query or {}).encode(),
        "root_path": "",
        "headers": headers,
        "client": None,
        "server": None,
        "extensions": {},
    }


class _Sent:
    """The `receive` of one ASGI request: sends the body, then stays connected until the task is cancelled."""

    def __init__(self, body: bytes) -> None:
        self._body: bytes | None = body

    async def receive(self) -> Message:
        if self._body is not None:
            body, self._body = self._body, None
            return {"type": "http.request", "body": body, "more_body": False}
        await asyncio.get_running_loop().create_future()
        return {"type": "http.disconnect"}


class _Answer:
    """Collects the whole response to a request."""

    def __init__(self) -> None:
        self.code = 0
        self._parts: list[bytes] = []
        self._is_whole = False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.code = message["status"]
        elif message["type"] == "http.response.body":
            self.take(message.get("body", b""))
            self._is_whole = not message.get("more_body", False)

    def take(self, part: bytes) -> None:
        self._parts.append(part)

    def content(self) -> bytes:
        """Returns the body of a successful response.

        Raises Refused for an error response, and for an incomplete response. After an incomplete response,
        the caller does not know whether the server wrote the object.
        """
        if not self._is_whole:
            raise Refused(0, "ConnectionLost", "the connection was lost before the answer was whole", {})
        content = b"".join(self._parts)
        if self.code >= 300:
            body = _decoded(content)
            raise Refused(self.code, body.get("reason", ""), body.get("message", ""), body)
        return content

    def result(self) -> Object:
        """Returns the decoded JSON of a successful response. Raises Refused like `content`."""
        return _decoded(self.content())


class _Lines(_Answer):
    """Collects a response with one JSON value per line, and calls `on_event` with each value."""

    def __init__(self, on_event: Callable[[Object], None]) -> None:
        super().__init__()
        self._on_event = on_event
        self._rest = b""

    def take(self, part: bytes) -> None:
        if self.code != 200:
            super().take(part)
            return
        *lines, self._rest = (self._rest + part).split(b"\n")
        for line in lines:
            _check_length(line)
            if line:
                self._on_event(codec.decode(line))
        _check_length(self._rest)


def _check_length(line: bytes) -> None:
    if len(line) > LINE_BYTES_MAX:
        raise Refused(0, "TooLong", f"an event is longer than {LINE_BYTES_MAX} bytes", {})


def _decoded(body: bytes) -> Object:
    try:
        value = codec.decode(body) if body else {}
    except codec.JsonError:
        value = {}
    return value if isinstance(value, dict) else {}
