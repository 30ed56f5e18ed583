"""An application that does, path by path, what a server must be able to bear."""

import asyncio
from typing import Any


class Stub:
    """Keeps the runner's promises to an application observable: what was called, what is under way."""

    def __init__(self, *, startup_error: Exception | None = None) -> None:
        self.startup_error = startup_error
        self.calls: list[str] = []
        self.watching = 0
        self.flooded = 0
        self.disconnected = asyncio.Event()
        self._watches: set[asyncio.Event] = set()

    async def startup(self) -> None:
        self.calls.append("startup")
        if self.startup_error is not None:
            raise self.startup_error

    async def shutdown(self) -> None:
        self.calls.append("shutdown")

    async def reset(self) -> None:
        self.calls.append("reset")

    def end_watches(self) -> None:
        self.calls.append("end_watches")
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

    async def do_early(self, scope: Any, receive: Any, send: Any) -> None:
        await _answer(send, b"early", status=415)

    async def do_fail(self, scope: Any, receive: Any, send: Any) -> None:
        raise RuntimeError("as asked")

    async def do_break(self, scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"half", "more_body": True})
        raise RuntimeError("as asked")

    async def do_stuck(self, scope: Any, receive: Any, send: Any) -> None:
        self.calls.append("stuck")
        await asyncio.Event().wait()

    async def do_flood(self, scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        while not self.disconnected.is_set():
            await send({"type": "http.response.body", "body": bytes(65_536), "more_body": True})
            self.flooded += 1

    async def do_watch(self, scope: Any, receive: Any, send: Any) -> None:
        ended = asyncio.Event()
        self._watches.add(ended)
        self.watching += 1
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
