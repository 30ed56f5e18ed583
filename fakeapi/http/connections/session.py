"""SessionResponse: a response that continues as a session over a WebSocket."""

import asyncio
import contextlib
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from fakeapi.asgi import Receive, Send, WebSocketUpgrade
from fakeapi.http.connections.sockets import ChannelSocket, SocketClosed
from fakeapi.http.response import Response, head
from fakeapi.registry.node_connections import Connected

SWITCHING_PROTOCOLS = 101

INPUTS_MAX = 16
"""Maximum number of unread client messages per command or port.

At the limit, the server stops reading from the client.
"""


@dataclass(slots=True, kw_only=True)
class SessionResponse(Response, ABC):
    """The base class of sessions over a WebSocket with channels.

    - `upgrade`: the WebSocket of the client.
    - `protocol`: the subprotocol of the WebSocket.
    - `connected`: the container to which the session connects the client.
    """

    status: int = SWITCHING_PROTOCOLS
    body: bytes = b""
    media_type: str = ""
    upgrade: WebSocketUpgrade
    protocol: str
    connected: Connected

    async def send(
        self, audit_id: bytes, receive: Receive, send: Send, *, without_body: bool = False
    ) -> None:
        """Opens the WebSocket and runs the session until it ends or the client disconnects."""
        socket = self.new_socket()
        await socket.accept(head(audit_id, "", self.warnings))
        session = asyncio.ensure_future(self.run(socket))
        reading = asyncio.ensure_future(self._read(socket))
        try:
            await asyncio.wait((session, reading), return_when=asyncio.FIRST_COMPLETED)
            if session.done():
                session.result()
                with contextlib.suppress(Exception):
                    await socket.close()
        finally:
            for task in (session, reading):
                task.cancel()
            await asyncio.gather(session, reading, return_exceptions=True)

    def new_socket(self) -> ChannelSocket:
        return ChannelSocket(self.upgrade, self.protocol)

    @abstractmethod
    async def run(self, socket: ChannelSocket) -> None:
        """Runs the session, and returns when the session ends."""

    @abstractmethod
    async def receive(self, channel: int, data: bytes) -> None:
        """Handles a message of the client. The server reads the next message only after this call."""

    async def _read(self, socket: ChannelSocket) -> Any:
        with contextlib.suppress(SocketClosed):
            while True:
                await self.receive(*await socket.receive())
