"""Exchange: converts one HTTP/1.1 request to ASGI events, and ASGI events to the response.

Replaces hypercorn's HTTPStream, whose events took most of the time of a small GET request. HTTP/2 and
WebSockets use hypercorn's streams.
"""

from enum import Enum, auto
from typing import Protocol
from urllib.parse import unquote

from fakeapi.asgi import WRITE_NOW, Message, Send
from fakeapi.serving.request_head import Headers, RequestHead
from fakeapi.serving.streams import Streams
from fakeapi.serving.tasks import ConnectionTasks

_BODILESS = frozenset((204, 304))


class Answering(Protocol):
    """The methods of a connection that an Exchange calls to send the response.

    The methods raise ValueError for a response that violates HTTP.
    """

    async def answer_head(self, status: int, headers: Headers) -> None: ...

    async def answer_body(self, data: bytes, *, is_last: bool) -> None: ...

    def write_now(self, data: bytes) -> bool:
        """Writes a part of the body without waiting.

        Returns False and writes nothing if the connection cannot take the bytes at once.
        """
        ...

    async def answered(self) -> None:
        """Ends the request.

        The exchange calls this method after the application has sent its complete response.
        """
        ...


class _State(Enum):
    REQUEST = auto()
    RESPONSE = auto()
    CLOSED = auto()


class UnexpectedMessageError(Exception):
    """Raised if the application sends an event that ASGI does not allow at this point of the response."""


class Exchange:
    """A running HTTP/1.1 request, between the connection and the ASGI application."""

    def __init__(self, connection: Answering) -> None:
        self._connection = connection
        self._state = _State.REQUEST
        self._is_closed = False
        self._has_no_body = False
        self._put: Send | None = None

    async def start(self, streams: Streams, tasks: ConnectionTasks, head: RequestHead, version: str) -> None:
        """Starts the application with this request. The request's method and target must be ASCII."""
        path, _, query = head.target.partition(b"?")
        method = head.method.decode("ascii")
        self._has_no_body = method == "HEAD"
        scope = {
            "type": "http",
            "http_version": version,
            "asgi": {"spec_version": "2.1", "version": "3.0"},
            "method": method,
            "scheme": "https" if streams.secure else "http",
            "path": unquote(path.decode("ascii")),
            "raw_path": path,
            "query_string": query,
            "root_path": "",
            "headers": head.headers,
            "client": streams.client,
            "server": streams.server,
            "state": {},
            "extensions": {WRITE_NOW: self.write_now},
        }
        self._put = await tasks.spawn_app(streams.app, None, scope, self._send)

    def write_now(self, data: bytes) -> bool:
        """Implements WRITE_NOW, an extension in the ASGI scope: writes a part of the body without waiting.

        Returns False, without writing, if the response has not started, has ended or has no body, or if the
        client does not read.
        """
        if self._state is not _State.RESPONSE or self._is_closed or self._has_no_body:
            return False
        return self._connection.write_now(data)

    async def take_body(self, data: bytes) -> None:
        if self._put is not None and not self._is_closed:
            await self._put({"type": "http.request", "body": data, "more_body": True})

    async def end_body(self) -> None:
        if self._put is not None and not self._is_closed:
            await self._put({"type": "http.request", "body": b"", "more_body": False})

    async def close(self) -> None:
        """Ends the exchange and sends the event `http.disconnect` to the application."""
        if not self._is_closed:
            self._is_closed = True
            if self._put is not None:
                await self._put({"type": "http.disconnect"})

    async def _send(self, message: Message | None) -> None:
        """Handles an event of the application; None means that the application has ended.

        Raises UnexpectedMessageError for an event that ASGI does not allow now, and ValueError for an invalid
        response.
        """
        if message is None:
            await self._end()
        elif message["type"] == "http.response.start" and self._state is _State.REQUEST:
            headers = _checked(message.get("headers", []))
            status = int(message["status"])
            self._has_no_body = self._has_no_body or status < 200 or status in _BODILESS
            await self._connection.answer_head(status, headers)
            self._state = _State.RESPONSE
        elif message["type"] == "http.response.body" and self._state is _State.RESPONSE:
            data = b"" if self._has_no_body else bytes(message.get("body", b""))
            is_last = not message.get("more_body", False)
            if data or is_last:
                await self._connection.answer_body(data, is_last=is_last)
            if is_last:
                self._state = _State.CLOSED
                await self._connection.answered()
        else:
            raise UnexpectedMessageError(f"{message['type']} in the state {self._state.name}")

    async def _end(self) -> None:
        """Ends the exchange after the application has ended.

        Sends 500 if the application has not started a response.
        """
        if self._is_closed:
            return
        if self._state is _State.REQUEST:
            self._state = _State.CLOSED
            headers = [(b"content-length", b"0"), (b"connection", b"close")]
            await self._connection.answer_head(500, headers)
            await self._connection.answer_body(b"", is_last=True)
        await self._connection.answered()


def _checked(headers: Headers) -> Headers:
    checked = []
    for name, value in headers:
        if name.startswith(b":"):
            raise ValueError("Pseudo headers are not valid")
        checked.append((name.strip(), value.strip()))
    return checked
