"""Serves a trace as a cluster: `fakeapi serve --from TRACE`."""

import asyncio
import contextlib
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fakeapi.testing.replaying import upstream_of
from fakeapi.testing.server import FakeAPI
from fakeapi.traces.client.http import TargetError
from fakeapi.traces.formats.open import TraceReader, open_trace
from fakeapi.traces.replay.playback import Motion, Moved


def serve_trace(
    trace: str | Path,
    *,
    at: float = 0.0,
    speed: float = 1.0,
    on_ready: Callable[[FakeAPI], None],
    on_end: Callable[[Moved], None],
    release: str | None = None,
    **options: Any,
) -> None:
    """Serves in this thread, the main one, until SIGINT or SIGTERM.

    `release` is the trace's own where none is named; `options` are those of FakeAPI. At the call of
    `on_ready`, the state is that of the moment `at` seconds after the trace's start; from then on the
    recorded writes are applied, `speed` times as fast as they were, with 0 none. `on_end` is called after the
    last.

    Raises TraceError, StartError, TargetError.
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
    on_end: Callable[[Moved], None],
) -> None:
    loop = asyncio.get_running_loop()
    stopping = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopping.set)
    motion = Motion(reader, upstream_of(server))
    moving = asyncio.create_task(_move(motion, server, at, speed, on_ready, on_end))
    waiting = asyncio.create_task(stopping.wait())
    try:
        await asyncio.wait({moving, waiting}, return_when=asyncio.FIRST_COMPLETED)
        if moving.done():
            moving.result()
            await waiting
    finally:
        moving.cancel()
        waiting.cancel()
        with contextlib.suppress(asyncio.CancelledError, TargetError):
            await moving
        await motion.close()


async def _move(
    motion: Motion,
    server: FakeAPI,
    at: float,
    speed: float,
    on_ready: Callable[[FakeAPI], None],
    on_end: Callable[[Moved], None],
) -> None:
    await motion.begin(at)
    on_ready(server)
    if speed:
        await motion.go_on(at, speed)
        on_end(motion.moved)
