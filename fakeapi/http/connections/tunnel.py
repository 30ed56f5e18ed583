"""TunnelResponse: the port-forward of kubectl, which tunnels SPDY/3.1 through a WebSocket.

Follows k8s.io/client-go `tools/portforward` and k8s.io/kubelet `pkg/cri/streaming/portforward/httpstream.go`.
Each connection has an error stream and a data stream with the same requestID.
"""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Self

from fakeapi.http.connections.session import INPUTS_MAX, SessionResponse
from fakeapi.http.connections.sockets import RawSocket, upgrade_of
from fakeapi.http.connections.spdy import (
    FIN,
    GOAWAY,
    PING,
    RST_STREAM,
    SYN_STREAM,
    Frame,
    FrameReader,
    FrameWriter,
    HeaderReader,
    SpdyError,
)
from fakeapi.http.context import RequestContext
from fakeapi.registry.node_connections import CommandError, Connected, PortConnection

PROTOCOL = "SPDY/3.1+portforward.k8s.io"
STREAMS_MAX = 256
"""Maximum number of open streams of a session. The server resets a further stream."""
QUIET_SECONDS = 1.0
"""Seconds to wait for a reply of the port after the client has sent its last bytes.

Then the connection ends.
"""
_DIGITS = 6


@dataclass(eq=False, slots=True)
class Stream:
    """An SPDY stream of the client. `inputs`: the received data; b"" marks the end."""

    id: int
    headers: dict[str, str]
    inputs: "asyncio.Queue[bytes]" = field(default_factory=lambda: asyncio.Queue(INPUTS_MAX))


@dataclass(slots=True, kw_only=True)
class TunnelResponse(SessionResponse):
    """A WebSocket session of kubectl port-forward."""

    _frames: FrameReader = field(default_factory=FrameReader)
    _headers: HeaderReader = field(default_factory=HeaderReader)
    _writer: FrameWriter = field(default_factory=FrameWriter)
    _streams: dict[int, Stream] = field(default_factory=dict)
    _tasks: "set[asyncio.Task[None]]" = field(default_factory=set)
    _socket: RawSocket | None = None
    _end: asyncio.Event = field(default_factory=asyncio.Event)

    @classmethod
    def of(cls, ctx: RequestContext, connected: Connected) -> Self:
        return cls(
            warnings=ctx.warnings.texts, upgrade=upgrade_of(ctx), protocol=PROTOCOL, connected=connected
        )

    def new_socket(self) -> RawSocket:
        self._socket = RawSocket(self.upgrade, self.protocol)
        return self._socket

    async def run(self, socket: object) -> None:
        try:
            await self._end.wait()
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def receive(self, channel: int, data: bytes) -> None:
        try:
            for frame in self._frames.feed(data):
                await self._take(frame)
        except SpdyError:
            self._end.set()

    async def _take(self, frame: Frame) -> None:
        stream = self._streams.get(frame.stream)
        if frame.type == SYN_STREAM:
            await self._open(frame)
        elif frame.type == PING:
            await self._send(FrameWriter.ping(frame.stream))
        elif frame.type == GOAWAY:
            self._end.set()
        elif frame.type is None and stream is not None:
            if frame.data:
                await stream.inputs.put(frame.data)
            if frame.flags & FIN:
                await stream.inputs.put(b"")
        elif frame.type == RST_STREAM and stream is not None:
            self._streams.pop(frame.stream, None)
            await stream.inputs.put(b"")

    async def _open(self, frame: Frame) -> None:
        headers = self._headers.read(frame.data[6:])
        if len(self._streams) >= STREAMS_MAX:
            await self._send(FrameWriter.reset(frame.stream))
            return
        stream = self._streams[frame.stream] = Stream(frame.stream, headers)
        await self._send(self._writer.reply(stream.id))
        if frame.flags & FIN:
            await stream.inputs.put(b"")
        errors = next(self._partners(headers), None) if headers.get("streamtype") == "data" else None
        if errors is not None:
            task = asyncio.ensure_future(self._forward(stream, errors))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def _partners(self, headers: dict[str, str]) -> Iterator[Stream]:
        """Yields the error streams with the same requestID as a data stream.

        `headers`: the headers of the data stream.
        """
        for stream in self._streams.values():
            if stream.headers.get("streamtype") == "error" and (
                stream.headers.get("requestid") == headers.get("requestid")
            ):
                yield stream

    async def _forward(self, data: Stream, errors: Stream) -> None:
        """Connects a data stream and its error stream to the port in their headers, until one side closes."""
        text = data.headers.get("port", "")
        port = int(text) if text.isascii() and text.isdecimal() and len(text) < _DIGITS else 0
        try:
            connection = await self.connected.pod.connect(port)
        except CommandError as problem:
            await self._send(FrameWriter.data(errors.id, f"error forwarding port {port}: {problem}".encode()))
        else:
            await self._relay(data, connection)
        for stream in (data, errors):
            self._streams.pop(stream.id, None)
            await self._send(FrameWriter.data(stream.id, b"", is_last=True))

    async def _relay(self, stream: Stream, connection: PortConnection) -> None:
        async def upload() -> None:
            while received := await stream.inputs.get():
                await connection.write(received)

        uploading = asyncio.ensure_future(upload())
        try:
            while reply := await self._next(connection, uploading):
                await self._send(FrameWriter.data(stream.id, reply))
        finally:
            uploading.cancel()
            await asyncio.gather(uploading, return_exceptions=True)
            await connection.close()

    @staticmethod
    async def _next(connection: PortConnection, uploading: "asyncio.Future[None]") -> bytes:
        """Returns the next bytes of a port; b"" at the end of the connection.

        The port may still reply after the client's last bytes. The connection ends after QUIET_SECONDS
        without a reply.
        """
        reading = asyncio.ensure_future(connection.read())
        try:
            if not uploading.done():
                await asyncio.wait((reading, uploading), return_when=asyncio.FIRST_COMPLETED)
            if not reading.done():
                await asyncio.wait((reading,), timeout=QUIET_SECONDS)
            return reading.result() if reading.done() else b""
        finally:
            reading.cancel()

    async def _send(self, data: bytes) -> None:
        if self._socket is not None:
            await self._socket.send(0, data)
