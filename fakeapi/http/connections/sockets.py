"""ChannelSocket: a WebSocket with several channels, for exec, attach and portforward.

Follows `pkg/util/wsstream` of k8s.io/apiserver. The first byte of a message is the number of the channel; in
base64 protocols, this is a digit.
"""

import base64
import binascii
from collections.abc import Sequence

from fakeapi.asgi import WebSocketUpgrade
from fakeapi.http.context import RequestContext
from fakeapi.machinery import errors
from fakeapi.machinery.errors import ApiError

NORMAL_CLOSURE = 1000
_ZERO = ord("0")


class SocketClosed(Exception):
    """Raised when the client has closed the WebSocket, or has sent invalid base64."""


def upgrade_of(ctx: RequestContext) -> WebSocketUpgrade:
    """Returns the WebSocket of a request.

    Raises ApiError 400 if the request does not open a WebSocket, and 501 if the request uses SPDY.
    """
    if ctx.request.websocket is not None:
        return ctx.request.websocket
    if ctx.request.header(b"upgrade").lower().startswith("spdy/"):
        raise ApiError(
            501,
            "NotImplemented",
            "this API server connects clients over WebSocket only, not over SPDY: use kubectl 1.31 or newer",
        )
    raise errors.bad_request("Upgrade request required")


def chosen_protocol(upgrade: WebSocketUpgrade, supported: Sequence[str]) -> str:
    """Returns the first subprotocol that the client offers and the server supports.

    Returns "" if the client offers no subprotocol. Raises ApiError 400 if the server supports none of the
    offered subprotocols.
    """
    for protocol in upgrade.protocols:
        if protocol in supported:
            return protocol
    if upgrade.protocols:
        offered, known = " ".join(upgrade.protocols), " ".join(supported)
        raise errors.bad_request(
            f"unable to upgrade: the client offers the subprotocols [{offered}], the server has [{known}]"
        )
    return ""


class ChannelSocket:
    """A WebSocket with channels. Messages are binary, or base64 in text messages."""

    def __init__(self, upgrade: WebSocketUpgrade, protocol: str) -> None:
        self._receive = upgrade.receive
        self._send = upgrade.send
        self._protocol = protocol
        self._is_base64 = "base64" in protocol

    async def accept(self, headers: list[tuple[bytes, bytes]]) -> None:
        protocol = self._protocol or None
        await self._send({"type": "websocket.accept", "subprotocol": protocol, "headers": headers})

    async def send(self, channel: int, data: bytes) -> None:
        if self._is_base64:
            text = chr(_ZERO + channel) + base64.b64encode(data).decode()
            await self._send({"type": "websocket.send", "text": text})
        else:
            await self._send({"type": "websocket.send", "bytes": bytes((channel,)) + data})

    async def receive(self) -> tuple[int, bytes]:
        """Returns the channel and the data of the next message.

        Raises SocketClosed if the client closed the WebSocket, or sent invalid base64.
        """
        while True:
            message = await self._receive()
            if message["type"] == "websocket.disconnect":
                raise SocketClosed
            if message["type"] != "websocket.receive":
                continue
            data = message.get("bytes")
            if data is None:
                data = (message.get("text") or "").encode()
            if not data:
                continue
            if not self._is_base64:
                return data[0], bytes(data[1:])
            try:
                return data[0] - _ZERO, base64.b64decode(data[1:])
            except binascii.Error:
                raise SocketClosed from None

    async def close(self) -> None:
        await self._send({"type": "websocket.close", "code": NORMAL_CLOSURE})


class RawSocket(ChannelSocket):
    """A WebSocket whose messages are bytes without channels."""

    async def send(self, channel: int, data: bytes) -> None:
        await self._send({"type": "websocket.send", "bytes": data})

    async def receive(self) -> tuple[int, bytes]:
        """Returns 0 and the data of the next message.

        Raises SocketClosed if the client closed the WebSocket.
        """
        while True:
            message = await self._receive()
            if message["type"] == "websocket.disconnect":
                raise SocketClosed
            if message.get("bytes"):
                return 0, bytes(message["bytes"])
