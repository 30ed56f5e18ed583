"""SessionResponse: a response that speaks a protocol of its own over a WebSocket."""

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
"""Maximum number of messages of a client that a command or port has not read yet. The client then waits."""


@dataclass(slots=True, kw_only=True)
class SessionResponse(Response, ABC):
    """The base class of sessions over a WebSocket with channels.

    - `upgrade`: the WebSocket of the client.
    - `protocol`: its subprotocol.
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
        """Opens the WebSocket and runs the session until it or the client ends."""
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
        """Runs the session; returns at its end."""

    @abstractmethod
    async def receive(self, channel: int, data: bytes) -> None:
        """Takes a message of the client. May wait, and then the client waits too."""

    async def _read(self, socket: ChannelSocket) -> Any:
        with contextlib.suppress(SocketClosed):
            while True:
                await self.receive(*await socket.receive())
