"""HTTP/2 as hypercorn speaks it, with what it lacks for long watches and early answers."""

import asyncio
import contextlib
from typing import Any

import h2.connection
import h2.errors
import h2.events
import h2.exceptions
from hypercorn.config import Config
from hypercorn.events import Closed, Event, Updated
from hypercorn.protocol.events import Body, Data, StreamClosed
from hypercorn.protocol.events import Event as StreamEvent
from hypercorn.protocol.h2 import BUFFER_LOW_WATER, BufferCompleteError, H2Protocol, StreamBuffer


class BoundedStreamBuffer(StreamBuffer):
    """A stream's unsent bytes; the application waits while they are above the high water mark.

    Hypercorn's own lets the application go on whenever little was sent, which is also the case when the
    client's window is closed: its buffer then grows without bound.
    """

    async def push(self, data: bytes) -> None:
        try:
            await super().push(data)
        except BufferCompleteError:
            await asyncio.sleep(0)  # a producer that does not look for the disconnect still yields
            raise

    async def pop(self, max_length: int) -> bytes:
        data = bytes(self.buffer[:max_length])
        del self.buffer[:max_length]
        if len(self.buffer) < BUFFER_LOW_WATER:
            await self._paused.set()
        if not self.buffer:
            await self._is_empty.set()
        return data


class HTTP2(H2Protocol):
    """Hypercorn's HTTP/2, in which one stream cannot hurt the others of its connection."""

    def __init__(self, config: Config, *args: Any) -> None:
        super().__init__(args[0], config, *args[1:])
        # Hypercorn announces this limit, and the library would keep its own of 64 KiB.
        self.connection.decoder.max_header_list_size = config.h2_max_header_list_size

    async def handle(self, event: Event) -> None:
        await super().handle(event)
        if isinstance(event, Closed):
            for buffer in list(self.stream_buffers.values()):
                await buffer.close()  # wakes an application that waits for the client to read

    async def stream_send(self, event: StreamEvent) -> None:
        if isinstance(event, Body | Data) and event.stream_id not in self.streams:
            await asyncio.sleep(0)
            return
        if isinstance(event, StreamClosed):
            await self._reset_unfinished(event.stream_id)
            await self._close_stream(event.stream_id)
            await self.send(Updated(idle=self.idle))
            await self._part()
            return
        await super().stream_send(event)

    async def _send_data(self, stream_id: int) -> None:
        await super()._send_data(stream_id)
        await self._part()

    @property
    def unsent(self) -> bool:
        return bool(self.stream_buffers)

    async def _part(self) -> None:
        """At the server's end the connection goes once every response is out, its end included.

        Hypercorn goes when the application is done, which is before the last frame is sent.
        """
        if self.context.terminated.is_set() and self.idle and not self.unsent and not self.closed:
            self.connection.close_connection()
            await self._flush()
            await self.send(Closed())

    async def _reset_unfinished(self, stream_id: int) -> None:
        """A response that ended without its end is a reset, or the client would wait for ever."""
        buffer = self.stream_buffers.get(stream_id)
        if buffer is None or buffer._complete:  # noqa: SLF001 - hypercorn has no public name for it
            return
        with contextlib.suppress(h2.exceptions.ProtocolError):
            self.connection.reset_stream(stream_id, h2.errors.ErrorCodes.INTERNAL_ERROR)
        await buffer.close()
        await self._flush()

    async def _handle_events(self, events: list[h2.events.Event]) -> None:
        for event in events:
            if isinstance(event, h2.events.DataReceived) and event.stream_id not in self.streams:
                # The rest of a body that was answered early; hypercorn would end the connection.
                self.connection.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            elif isinstance(event, h2.events.RequestReceived) and not _is_ascii(event):
                self.connection.reset_stream(event.stream_id, h2.errors.ErrorCodes.PROTOCOL_ERROR)
            else:
                if isinstance(event, h2.events.StreamReset) and event.stream_id in self.stream_buffers:
                    await self.stream_buffers[event.stream_id].close()
                await super()._handle_events([event])
        await self._flush()

    async def _create_stream(self, request: h2.events.RequestReceived) -> None:
        await super()._create_stream(request)
        # Nothing has been awaited since the request's task was made, so its buffer is still empty.
        self.stream_buffers[request.stream_id] = BoundedStreamBuffer(self.context.event_class)


def _is_ascii(request: h2.events.RequestReceived) -> bool:
    return all(value.isascii() for name, value in request.headers if name in {b":method", b":path"})
