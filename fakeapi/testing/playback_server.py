"""Serves a recorded trace as a live cluster, for `fakeapi serve --from TRACE`."""

import asyncio
import contextlib
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fakeapi.clients.target import TargetError
from fakeapi.testing.replaying import target_of
from fakeapi.testing.server import FakeAPI
from fakeapi.traces.formats.open import TraceReader, open_trace
from fakeapi.traces.replay.playback import Playback, PlaybackSummary


def serve_trace(
    trace: str | Path,
    *,
    at: float = 0.0,
    speed: float = 1.0,
    on_ready: Callable[[FakeAPI], None],
    on_end: Callable[[PlaybackSummary], None],
    release: str | None = None,
    **options: Any,
) -> None:
    """Serves a recorded trace as a live cluster until SIGINT or SIGTERM. Call it in the main thread.

    - `at`: the seconds after the start of the trace. The server begins with the state at this time.
    - `speed`: the factor of the recorded speed for later writes; 0 repeats no writes.
    - `on_ready`: called with the server when it has the state of the trace at `at`.
    - `on_end`: called with the numbers of writes after the last write. Not called if `speed` is 0, or if the
      server stops before the last write.
    - `release`: the Kubernetes release to serve; None for the release of the trace.
    - `options`: other options of FakeAPI.

    Raises TraceError if the trace cannot be read, and StartError if the server cannot start. Raises
    TargetError if the server does not respond, and ValueError for invalid options.
    """
    with (
        open_trace(trace) as reader,
        FakeAPI(release=release or reader.header.release or None, **options) as server,
    ):
        asyncio.run(_serve(server, reader, at, speed, on_ready, on_end))


async def _serve(
    server: FakeAPI,
    reader: TraceReader,
    at: float,
    speed: float,
    on_ready: Callable[[FakeAPI], None],
    on_end: Callable[[PlaybackSummary], None],
) -> None:
    loop = asyncio.get_running_loop()
    stopping = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopping.set)
    playback = Playback(reader, target_of(server))
    playing = asyncio.create_task(_play(playback, server, at, speed, on_ready, on_end))
    waiting = asyncio.create_task(stopping.wait())
    try:
        await asyncio.wait({playing, waiting}, return_when=asyncio.FIRST_COMPLETED)
        if playing.done():
            playing.result()
            await waiting
    finally:
        playing.cancel()
        waiting.cancel()
        with contextlib.suppress(asyncio.CancelledError, TargetError):
            await playing
        await playback.close()


async def _play(
    playback: Playback,
    server: FakeAPI,
    at: float,
    speed: float,
    on_ready: Callable[[FakeAPI], None],
    on_end: Callable[[PlaybackSummary], None],
) -> None:
    await playback.begin(at)
    on_ready(server)
    if speed:
        await playback.go_on(at, speed)
        on_end(playback.summary)
