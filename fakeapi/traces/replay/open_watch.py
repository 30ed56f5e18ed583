"""Opens a recorded watch on the target and collects its events."""

import asyncio
import contextlib

from fakeapi.traces.analysis.plan import Step
from fakeapi.traces.client.http import HttpClient, Stream
from fakeapi.traces.client.target import TargetError
from fakeapi.traces.comparing.events import is_bookmark
from fakeapi.traces.model import Headers, Response

PATIENCE_SECONDS = 2.0
"""How long the end of a watch waits for events that were recorded."""

LATER_PATIENCE_SECONDS = 0.2
"""The same, once events have not come in time."""

QUIET_SECONDS = 0.05
"""How long a strict comparison waits for further events, which are differences."""


class OpenWatch:
    """A watch on the target, whose lines are kept in memory until it is closed."""

    def __init__(self, step: Step, stream: Stream) -> None:
        self.step = step
        self.lines: list[bytes] = []
        self.ended = False
        self.failure = ""
        self._stream = stream
        self._expected = sum(not is_bookmark(event.line) for event in step.exchange.events or ())
        self._count = 0
        self._enough = asyncio.Event()
        self._task = asyncio.create_task(self._read())
        if not self._expected:
            self._enough.set()

    @classmethod
    async def open(
        cls, client: HttpClient, step: Step, target: str, headers: Headers
    ) -> "OpenWatch | Response":
        """The open watch, or the response where the target refuses it. Raises TargetError."""
        stream = await client.watch(target, headers)
        if stream.status == 200:
            return cls(step, stream)
        try:
            return Response(stream.status, stream.headers, await stream.body())
        finally:
            stream.close()

    async def _read(self) -> None:
        try:
            async for line in self._stream.lines():
                self.lines.append(line)
                self._count += not is_bookmark(line)
                if self._count >= self._expected:
                    self._enough.set()
        except TargetError as error:
            self.failure = str(error)
        self.ended = True
        self._enough.set()

    async def close(self, patience: float, *, quiet: float = 0.0) -> bool:
        """Waits for as many events as were recorded, then for `quiet` seconds; returns whether they came."""
        came = True
        try:
            async with asyncio.timeout(patience):
                await self._enough.wait()
        except TimeoutError:
            came = False
        if quiet and not self.ended:
            await asyncio.sleep(quiet)
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task
        self._stream.close()
        return came and self._count >= self._expected
