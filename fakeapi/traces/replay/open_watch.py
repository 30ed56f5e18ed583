"""OpenWatch: opens a recorded watch on the replay target and collects its events."""

import asyncio
import contextlib

from fakeapi.clients.http import HttpClient, Stream
from fakeapi.clients.messages import Headers, Response
from fakeapi.clients.target import TargetError
from fakeapi.traces.analysis.plan import Step
from fakeapi.traces.comparing.events import is_bookmark

PATIENCE_SECONDS = 2.0
"""Maximum seconds to wait at the end of a watch for the recorded events."""

LATER_PATIENCE_SECONDS = 0.2
"""Maximum seconds to wait for the recorded events of a watch, if several earlier watches lacked events."""

QUIET_SECONDS = 0.05
"""Seconds that a strict comparison waits for additional events at the end of a watch."""


class OpenWatch:
    """An open watch on the replay target, which collects its events in memory.

    - `step`: the step of the replay that opened the watch.
    - `lines`: the lines of the received events.
    - `ended`: whether the target has ended the watch.
    - `failure`: the error that ended the watch; "" for none.
    """

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
        """Opens a watch on the replay target. Returns the response if the target rejects the watch.

        - `step`: the step of the replay that opens the watch.
        - `target`: the path and query of the watch.

        Raises TargetError if the target does not respond.
        """
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
        """Waits for the recorded number of events, and closes the watch.

        Returns whether at least this number of events has arrived.

        - `patience`: the maximum time to wait, in seconds.
        - `quiet`: the number of seconds to wait afterwards for additional events.
        """
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
