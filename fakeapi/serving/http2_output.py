"""Output: writes the responses of one HTTP/2 connection, in turns of one frame per stream."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

import h2.connection
import h2.errors
import h2.exceptions

from fakeapi.serving.response_bytes import ConnectionBytes
from fakeapi.serving.wire import Wire

STREAM_HIGH_BYTES = 32 * 1024
"""Maximum number of unsent bytes of a response before the application waits.

The application continues when fewer than half of these bytes are unsent.
"""

WRITE_BYTES = 64 * 1024
"""Approximate maximum number of body bytes in one write to the connection.

After a write, the server waits while the client does not read.
"""


@dataclass(slots=True)
class Response:
    """A response that the server has not written completely.

    - `unsent`: the queued bytes, which wait for the flow-control window of the client.
    - `unread`: the number of bytes that the application has sent and the server has not written.
    - `whole`: whether the response has a Content-Length. If so, the complete response existed before its head
      was sent.
    - `progressed_at`: when the server last wrote bytes, on the clock of the event loop.
    - `ended`: whether the application has sent the last byte.
    - `room`: an event that is set when the application can send more.
    """

    unsent: bytearray = field(default_factory=bytearray)
    unread: int = 0
    whole: bool = False
    progressed_at: float = 0.0
    ended: bool = False
    room: asyncio.Event = field(default_factory=asyncio.Event)


class Output:
    """The queue of responses of one HTTP/2 connection.

    `run` writes the responses as far as the client's flow-control windows allow. A stream whose window is
    used up does not delay other streams.
    """

    def __init__(
        self,
        connection: h2.connection.H2Connection,
        wire: Wire,
        unread: ConnectionBytes,
        on_end: Callable[[int], None],
    ) -> None:
        """Starts without responses.

        - `connection`: encodes the frames.
        - `wire`: writes the frames to the client.
        - `unread`: counts the response bytes that the client has not read.
        - `on_end`: called with the id of each stream whose response is written completely.
        """
        self._h2 = connection
        self._wire = wire
        self._unread = unread
        self._now = asyncio.get_running_loop().time
        self._on_end = on_end
        self._responses: dict[int, Response] = {}
        self._ready: dict[int, None] = {}
        self._work = asyncio.Event()
        self._closed = False

    @property
    def count(self) -> int:
        """The number of streams whose response is not completely written."""
        return len(self._responses)

    @property
    def pending(self) -> bool:
        return any(response.unsent or response.ended for response in self._responses.values())

    def wake(self) -> None:
        """Wakes `run`, so that it writes the waiting frames."""
        self._work.set()

    def open(self, stream_id: int) -> None:
        self._responses[stream_id] = Response()

    async def send_head(self, stream_id: int, headers: list[tuple[bytes, bytes]]) -> None:
        """Sends the head of a response.

        If the response has no Content-Length, then waits until the client's flow-control window accepts data.
        """
        response = self._responses.get(stream_id)
        if response is None:
            return
        try:
            self._h2.send_headers(stream_id, headers)
        except h2.exceptions.ProtocolError:  # the stream was closed, or HTTP/2 does not allow a header
            self.reset(stream_id, h2.errors.ErrorCodes.INTERNAL_ERROR)
            return
        self.wake()
        response.whole = any(name == b"content-length" for name, _ in headers)
        while not response.whole and self._is_open(stream_id, response) and not self._window(stream_id):
            response.room.clear()
            await response.room.wait()

    def _is_open(self, stream_id: int, response: Response) -> bool:
        return self._responses.get(stream_id) is response

    def _window(self, stream_id: int) -> int:
        """Returns the number of bytes that the client's flow-control window of the stream accepts.

        Returns 1 if the stream is closed, so that no caller waits for the window.
        """
        try:
            return max(0, self._h2.local_flow_control_window(stream_id))
        except h2.exceptions.ProtocolError:  # the stream is closed
            return 1

    async def send_body(self, stream_id: int, data: bytes) -> None:
        """Queues a part of a response body. Waits while STREAM_HIGH_BYTES or more are unsent.

        Drops the part if the stream is closed.
        """
        response = self._responses.get(stream_id)
        if response is None:
            await asyncio.sleep(0)  # other tasks must run even if the application ignores the disconnect
            return
        if not response.unread:
            response.progressed_at = self._now()
        response.unread += len(data)
        self._unread.add(len(data))
        for start in range(0, len(data), STREAM_HIGH_BYTES):
            if not self._is_open(stream_id, response):
                return
            response.unsent += memoryview(data)[start : start + STREAM_HIGH_BYTES]
            self._make_ready(stream_id)
            while len(response.unsent) >= STREAM_HIGH_BYTES:
                response.room.clear()
                await response.room.wait()

    def stalled(self, since: float) -> list[int]:
        """Returns the ids of streams for which the server has written no bytes since `since`.

        Only includes responses with a Content-Length. `since`: a time on the clock of the event loop.
        """
        return [
            stream_id
            for stream_id, response in self._responses.items()
            if response.unread and response.whole and response.progressed_at <= since
        ]

    def end(self, stream_id: int) -> None:
        response = self._responses.get(stream_id)
        if response is not None:
            response.ended = True
            self._make_ready(stream_id)

    def end_abruptly(self, stream_id: int) -> None:
        """Resets a stream if the application ended before its response was complete."""
        response = self._responses.get(stream_id)
        if response is not None and not response.ended:
            self.reset(stream_id, h2.errors.ErrorCodes.INTERNAL_ERROR)

    def reset(self, stream_id: int, code: h2.errors.ErrorCodes) -> None:
        self.drop(stream_id)
        try:
            self._h2.reset_stream(stream_id, code)
        except h2.exceptions.ProtocolError:
            return
        self.wake()

    def drop(self, stream_id: int) -> None:
        """Drops the unsent bytes of a response, so that the application no longer waits."""
        self._ready.pop(stream_id, None)
        response = self._responses.pop(stream_id, None)
        if response is not None:
            response.unsent.clear()
            response.room.set()
            self._unread.remove(response.unread)

    def window_opened(self, stream_id: int) -> None:
        """Continues a response after the client increased the flow-control window of its stream.

        `stream_id`: 0 continues the responses of all streams.
        """
        for waiting in [stream_id] if stream_id else list(self._responses):
            self._make_ready(waiting)
            if (response := self._responses.get(waiting)) is not None and not response.unsent:
                response.room.set()

    def _make_ready(self, stream_id: int) -> None:
        response = self._responses.get(stream_id)
        if response is not None and (response.unsent or response.ended):
            self._ready[stream_id] = None
            self.wake()

    async def run(self) -> None:
        """Writes the queued responses until `close` is called."""
        while not self._closed:
            await self._work.wait()
            self._work.clear()
            self._fill()
            if data := self._h2.data_to_send():
                await self._wire.write(data)
            if self._ready:
                self._work.set()

    def _fill(self) -> None:
        """Passes waiting frames to h2, one per stream in turn, until WRITE_BYTES or more are passed."""
        room = WRITE_BYTES
        while self._ready and room > 0:
            stream_id = next(iter(self._ready))
            del self._ready[stream_id]
            room -= self._send_frame(stream_id, self._responses[stream_id])

    def _send_frame(self, stream_id: int, response: Response) -> int:
        """Passes one frame of a response to h2, if the flow-control window allows.

        Returns the number of body bytes.
        """
        try:
            window = self._h2.local_flow_control_window(stream_id)
            size = max(0, min(len(response.unsent), window, self._h2.max_outbound_frame_size))
            ends = response.ended and size == len(response.unsent)
            if size or ends:
                self._h2.send_data(stream_id, bytes(response.unsent[:size]), end_stream=ends)
        except h2.exceptions.ProtocolError:  # the stream or the connection is closed
            self.drop(stream_id)
            return 0
        del response.unsent[:size]
        if size:
            response.unread -= size
            response.progressed_at = self._now()
            self._unread.remove(size)
        if len(response.unsent) < STREAM_HIGH_BYTES // 2:
            response.room.set()
        if ends:
            del self._responses[stream_id]
            self._on_end(stream_id)
        elif size and response.unsent:
            self._ready[stream_id] = None
        return size

    def close(self) -> None:
        self._closed = True
        for stream_id in list(self._responses):
            self.drop(stream_id)
        self.wake()
