"""Responses that do not arrive completely."""

from dataclasses import dataclass

from fakeapi.asgi import DropConnection, Receive, Send
from fakeapi.clock.clocks import Clock
from fakeapi.http.faulting.pause import NEVER, pause_for_client
from fakeapi.http.response import Response


def dropped() -> Response:
    """Returns a response that closes the connection; its status is 0."""
    return DroppedResponse(0, b"")


@dataclass(slots=True)
class DroppedResponse(Response):
    """Closes the connection without sending anything."""

    async def send(
        self, audit_id: bytes, receive: Receive, send: Send, *, without_body: bool = False
    ) -> None:
        raise DropConnection


@dataclass(slots=True)
class BrokenResponse(Response):
    """Sends the first `sent` bytes of the body, and then closes the connection.

    With a `clock` it sends the rest after `seconds` instead, or never if `seconds` is 0.
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
        self.headers = [header for header in self.headers if header[0] != b"content-length"]
        await Response.send(self, audit_id, receive, _started(send, length, whole[:sent]))
        if self.clock is None:
            raise DropConnection
        if await pause_for_client(self.clock, until, receive):
            await send({"type": "http.response.body", "body": whole[sent:]})


def broken(response: Response, part: float, clock: Clock | None = None, seconds: float = 0.0) -> Response:
    """Returns a response that sends a fraction of the body, at least one byte less than all."""
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
    """Returns a `send` that declares the length of the whole body, but sends only its beginning."""

    async def forward(message: dict[str, object]) -> None:
        if message["type"] == "http.response.start":
            headers = message["headers"]
            assert isinstance(headers, list), "made by Response"
            kept = [header for header in headers if header[0] != b"content-length"]
            await send({**message, "headers": [*kept, length]})
        else:
            await send({"type": "http.response.body", "body": body, "more_body": True})

    return forward
