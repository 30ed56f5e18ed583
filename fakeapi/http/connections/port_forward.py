"""PortForwardResponse: forwards ports over WebSocket, with the subprotocol of channels.

Follows k8s.io/kubelet `pkg/cri/streaming/portforward/websocket.go`. Port N of the request has the channels 2N
(data) and 2N + 1 (errors). The first message of each channel is the number of the port.
"""

import asyncio
from dataclasses import dataclass, field
from typing import Self

from fakeapi.http.connections.session import INPUTS_MAX, SessionResponse
from fakeapi.http.connections.sockets import ChannelSocket, chosen_protocol, upgrade_of
from fakeapi.http.context import RequestContext
from fakeapi.machinery import errors
from fakeapi.registry.node_connections import CommandError, Connected, PortConnection

PROTOCOLS = ("v4.channel.k8s.io", "v4.base64.channel.k8s.io")
PORTS_MAX = 100
"""Maximum number of ports in one request. A request with more ports gets 400."""
_LAST_PORT = 65535


@dataclass(slots=True, kw_only=True)
class PortForwardResponse(SessionResponse):
    """A WebSocket session that forwards the ports of a pod."""

    ports: list[int]
    _inputs: "list[asyncio.Queue[bytes]]" = field(init=False)

    def __post_init__(self) -> None:
        self._inputs = [asyncio.Queue(INPUTS_MAX) for _ in self.ports]

    @classmethod
    def of(cls, ctx: RequestContext, connected: Connected) -> Self:
        """Returns the port-forward session of a request.

        Raises ApiError 400 or 501 if the request does not open a WebSocket, and 400 if a port is invalid or
        all offered subprotocols are unsupported.
        """
        upgrade = upgrade_of(ctx)
        ports = _ports(ctx.request.query.all("ports"))
        return cls(
            warnings=ctx.warnings.texts,
            upgrade=upgrade,
            protocol=chosen_protocol(upgrade, PROTOCOLS),
            connected=connected,
            ports=ports,
        )

    async def run(self, socket: ChannelSocket) -> None:
        for index, port in enumerate(self.ports):
            for channel in (2 * index, 2 * index + 1):
                await socket.send(channel, port.to_bytes(2, "little"))
        await asyncio.gather(*(self._forward(socket, index) for index in range(len(self.ports))))

    async def receive(self, channel: int, data: bytes) -> None:
        index, is_error = divmod(channel, 2)
        if not is_error and 0 <= index < len(self._inputs):
            await self._inputs[index].put(data)

    async def _forward(self, socket: ChannelSocket, index: int) -> None:
        port = self.ports[index]
        try:
            connection = await self.connected.pod.connect(port)
        except CommandError as problem:
            text = f"error forwarding port {port}: {problem}"
            await socket.send(2 * index + 1, text.encode())
            return
        sending = asyncio.ensure_future(self._send(connection, index))
        try:
            while data := await connection.read():
                await socket.send(2 * index, data)
        finally:
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)
            await connection.close()

    async def _send(self, connection: PortConnection, index: int) -> None:
        while True:
            await connection.write(await self._inputs[index].get())


def _ports(values: list[str]) -> list[int]:
    """Returns the ports of a request. Raises ApiError 400 for no ports, too many ports or an invalid port."""
    texts = [text for value in values for text in value.split(",")]
    if not texts or len(texts) > PORTS_MAX:
        raise errors.bad_request(f"the query parameter ports must have 1 to {PORTS_MAX} ports")
    ports = []
    for text in texts:
        if not (text.isascii() and text.isdecimal() and 0 < int(text[:6]) <= _LAST_PORT):
            raise errors.bad_request(f"invalid port {text[:20]!r}")
        ports.append(int(text))
    return ports
