"""Responses for faults, which send nothing, or only a part of the body."""

from dataclasses import dataclass

from fakeapi.asgi import DropConnection, Receive, Send
from fakeapi.clock.clocks import Clock
from fakeapi.http.faulting.pause import NEVER, pause_for_client
from fakeapi.http.response import Response


def dropped() -> Response:
    """Returns a response (with status 0) that closes the connection without sending anything."""
    return DroppedResponse(0, b"")


@dataclass(slots=True)
class DroppedResponse(Response):
    """A response that closes the connection without sending anything."""

    async def send(
        self, audit_id: bytes, receive: Receive, send: Send, *, without_body: bool = False
    ) -> None:
        raise DropConnection


@dataclass(slots=True)
class BrokenResponse(Response):
    """A response that sends the first `sent` bytes of its body and then closes the connection.

    With a `clock`, the response does not close the connection. The response sends the rest of the body after
    `seconds`, or never if `seconds` is 0.
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
    """Returns a response that sends only a fraction of the body and then stops.

    - `part`: the fraction to send, from 0 to 1; at least one byte is missing.
    - `clock` and `seconds`: with a clock, the response sends the rest after `seconds`, or never if `seconds`
      is 0. Without a clock, the response closes the connection.
    """
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
    """Returns an ASGI `send` that declares the full Content-Length, but sends only the start of the body.

    - `length`: the Content-Length header of the full body.
    - `body`: the bytes to send.
    """

    async def forward(message: dict[str, object]) -> None:
        if message["type"] == "http.response.start":
            headers = message["headers"]
            assert isinstance(headers, list), "made by Response"
            kept = [header for header in headers if header[0] != b"content-length"]
            await send({**message, "headers": [*kept, length]})
        else:
            await send({"type": "http.response.body", "body": body, "more_body": True})

    return forward
