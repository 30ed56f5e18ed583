"""Responses that do not arrive whole."""

from dataclasses import dataclass

from fakeapi.asgi import DropConnection, Receive, Send
from fakeapi.clock.clocks import Clock
from fakeapi.http.faulting.pause import NEVER, pause_for_client
from fakeapi.http.response import Response


def dropped() -> Response:
    """No answer: the connection is closed. Its status is 0."""
    return DroppedResponse(0, b"")


@dataclass(slots=True)
class DroppedResponse(Response):
    """Closes the connection instead of sending anything."""

    async def send(
        self, audit_id: bytes, receive: Receive, send: Send, *, without_body: bool = False
    ) -> None:
        raise DropConnection


@dataclass(slots=True)
class BrokenResponse(Response):
    """Sends the first `sent` bytes of the body. Then the connection is closed, or, with a clock, the rest
    comes after `seconds`, where 0 stands for never.
    """

    sent: int = 0
    clock: Clock | None = None
    seconds: float = 0.0

    async def send(
        self, audit_id: bytes, receive: Receive, send: Send, *, without_body: bool = False
    ) -> None:
        until = NEVER if self.clock is None or not self.seconds else self.clock.monotonic() + self.seconds
        whole, self.body = self.body, b""
        sent = max(0, min(self.sent, len(whole) - 1))
        length = (b"content-length", b"%d" % len(whole))
        self.headers = [each for each in self.headers if each[0] != b"content-length"]
        await Response.send(self, audit_id, receive, _started(send, length, whole[:sent]))
        if self.clock is None:
            raise DropConnection
        if await pause_for_client(self.clock, until, receive):
            await send({"type": "http.response.body", "body": whole[sent:]})


def broken(response: Response, part: float, clock: Clock | None = None, seconds: float = 0.0) -> Response:
    """A response of which a part of the body is sent, at least one byte less than all."""
    whole = response.whole()
    return BrokenResponse(
        response.status,
        whole,
        response.media_type,
        response.warnings,
        response.headers,
        sent=int(len(whole) * part),
        clock=clock,
        seconds=seconds,
    )


def _started(send: Send, length: tuple[bytes, bytes], body: bytes) -> Send:
    """Sends the head with the length of the whole body, and the beginning of it."""

    async def forward(message: dict[str, object]) -> None:
        if message["type"] == "http.response.start":
            headers = message["headers"]
            assert isinstance(headers, list), "made by Response"
            kept = [each for each in headers if each[0] != b"content-length"]
            await send({**message, "headers": [*kept, length]})
        else:
            await send({"type": "http.response.body", "body": body, "more_body": True})

    return forward
