"""A stub ASGI application for tests of the HTTP server. Each path has one behaviour."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

from fakeapi.asgi import GONE, ROOM, ClientGone, ClientStalled, NoRoom

PATIENCE_SECONDS = 30.0
"""Maximum seconds to wait for another thread before the test fails."""


class Stub:
    """An ASGI application that records its requests and the server's calls.

    For the path `/NAME` it calls the method `do_NAME`.
    """

    def __init__(self, *, startup_error: Exception | None = None) -> None:
        self.startup_error = startup_error
        self.calls: list[str] = []
        self.watching = 0
        self.flooded = 0
        self.made = 0
        self.received: list[dict[str, Any]] = []
        self.disconnected = asyncio.Event()
        self._watches: set[asyncio.Event] = set()
        self._changed = threading.Condition()

    def wait_for(self, condition: Callable[[], bool]) -> None:
        """Blocks the test's thread until `condition()` is true.

        Raises AssertionError after PATIENCE_SECONDS.
        """
        with self._changed:
            assert self._changed.wait_for(condition, PATIENCE_SECONDS), "waited in vain"

    async def let_go(self) -> None:
        """Lets waiting requests continue, as if their clients had disconnected."""
        self.disconnected.set()

    def _note(self, call: str = "") -> None:
        with self._changed:
            if call:
                self.calls.append(call)
            self._changed.notify_all()

    async def startup(self) -> None:
        self._note("startup")
        if self.startup_error is not None:
            raise self.startup_error

    async def shutdown(self) -> None:
        self._note("shutdown")

    async def reset(self) -> None:
        self._note("reset")

    def end_watches(self) -> None:
        self._note("end_watches")
        for ended in self._watches:
            ended.set()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        action = scope["path"].strip("/").split("/")[0]
        await getattr(self, f"do_{action}")(scope, receive, send)

    async def do_constant(self, scope: Any, receive: Any, send: Any) -> None:
        await _read(receive)
        await _answer(send, b"constant " + scope["http_version"].encode())

    async def do_echo(self, scope: Any, receive: Any, send: Any) -> None:
        await _answer(send, b"%d" % len(await _read(receive)))

    async def do_scope(self, scope: Any, receive: Any, send: Any) -> None:
        """Responds with the method, path, query and headers of the request as the body."""
        await _read(receive)
        headers = b" ".join(b"%b=%b" % header for header in scope["headers"])
        words = [scope["method"].encode(), scope["raw_path"], scope["query_string"], headers]
        await _answer(send, b"|".join(words))

    async def do_early(self, scope: Any, receive: Any, send: Any) -> None:
        await _answer(send, b"early", status=415)

    async def do_unread(self, scope: Any, receive: Any, send: Any) -> None:
        """Responds when the test calls `let_go`, without reading the request's body."""
        self._note("unread")
        await self.disconnected.wait()
        await _answer(send, b"unread")

    async def do_fail(self, scope: Any, receive: Any, send: Any) -> None:
        raise RuntimeError("as asked")

    async def do_break(self, scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"half", "more_body": True})
        raise RuntimeError("as asked")

    async def do_stuck(self, scope: Any, receive: Any, send: Any) -> None:
        self._note("stuck")
        await asyncio.Event().wait()

    async def do_flood(self, scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        self._note("flooding")
        while not self.disconnected.is_set():
            try:
                await send({"type": "http.response.body", "body": bytes(65_536), "more_body": True})
            except ClientGone:
                self._note("stopped")
                raise
            self.flooded += 1
            self._note()

    async def do_whole(self, scope: Any, receive: Any, send: Any) -> None:
        """Responds with a body of N bytes; N is the last part of the path."""
        self._note("whole")
        await _answer(send, bytes(int(scope["path"].rpartition("/")[2])))

    async def do_long(self, scope: Any, receive: Any, send: Any) -> None:
        """Waits until the limit of unread response bytes allows N more bytes; then responds with N bytes.

        N is the last part of the path. Responds with 429 if the limit does not allow N bytes in time.
        """
        size = int(scope["path"].rpartition("/")[2])
        self._note("asked for room")
        try:
            async with scope["extensions"][ROOM](size):
                self.made += 1
                self._note()
        except NoRoom:
            await _answer(send, b"no room", status=429)
        else:
            await _answer(send, bytes(size))

    async def do_gone(self, scope: Any, receive: Any, send: Any) -> None:
        """Waits until the server reports that the client has disconnected."""
        self._note("waiting")
        await scope["extensions"][GONE]()
        assert scope["extensions"][GONE]().done()
        self._note("gone")

    async def do_stalled(self, scope: Any, receive: Any, send: Any) -> None:
        """Sends a long response. Raises ClientStalled if the client does not read it in time."""
        try:
            async with asyncio.timeout(0.05):
                await self.do_flood(scope, receive, send)
        except TimeoutError:
            raise ClientStalled from None

    async def do_watch(self, scope: Any, receive: Any, send: Any) -> None:
        ended = asyncio.Event()
        self._watches.add(ended)
        self.watching += 1
        self._note()
        leaving = asyncio.ensure_future(_disconnect(receive))
        ending = asyncio.ensure_future(ended.wait())
        try:
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b"event\n", "more_body": True})
            await asyncio.wait({leaving, ending}, return_when=asyncio.FIRST_COMPLETED)
            if leaving.done():
                self.disconnected.set()
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            leaving.cancel()
            ending.cancel()
            self._watches.discard(ended)
            self.watching -= 1
            self._note()

    async def do_socket(self, scope: Any, receive: Any, send: Any) -> None:
        """Serves a WebSocket. Answers a text with its length, and bytes with the same bytes reversed.

        After the text `close`, the application closes the connection.
        """
        assert (await receive())["type"] == "websocket.connect"
        offered = scope["subprotocols"]
        await send({"type": "websocket.accept", "subprotocol": offered[0] if offered else None})
        while (message := await receive())["type"] == "websocket.receive":
            self.received.append(dict(message))
            if message["text"] == "close":
                await send({"type": "websocket.close", "code": 4001, "reason": "as asked"})
            elif message["text"] is not None:
                await send({"type": "websocket.send", "text": str(len(message["text"]))})
            else:
                await send({"type": "websocket.send", "bytes": message["bytes"][::-1]})
        self.received.append(dict(message))
        self._note("left")

    async def do_unavailable(self, scope: Any, receive: Any, send: Any) -> None:
        """Refuses a WebSocket with an HTTP response 503."""
        await receive()
        headers = [(b"content-length", b"5")]
        await send({"type": "websocket.http.response.start", "status": 503, "headers": headers})
        await send({"type": "websocket.http.response.body", "body": b"later"})


async def _read(receive: Any) -> bytes:
    body = b""
    while (event := await receive())["type"] == "http.request":
        body += event["body"]
        if not event["more_body"]:
            break
    return body


async def _disconnect(receive: Any) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _answer(send: Any, body: bytes, status: int = 200) -> None:
    headers = [(b"content-type", b"text/plain"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
