"""Runs a command in a container for a client of `kubectl exec` or for a probe."""

import asyncio
import fcntl
import os
import struct
import subprocess
import termios
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

from fakeapi.controllers.kubelet.containers.runtime import CommandError, StreamName, Streams
from fakeapi.controllers.kubelet.processes.launched import LaunchedProcess, LaunchError, launch_with
from fakeapi.controllers.kubelet.processes.output import read_pipe

DRAIN_SECONDS = 1.0
"""Seconds to read the rest of a command's output after its exit. Later output is lost."""
_BUSY = 0.02  # A write to a full terminal is repeated after these seconds.
_PIECE = 1 << 15


class Captured(Streams):
    """Streams without a client. The first bytes of the output are kept."""

    has_stdin = False
    tty = False

    def __init__(self, most: int) -> None:
        """Starts without output. `most`: the maximum number of bytes to keep."""
        self._most = most
        self._output = b""

    async def read_stdin(self) -> bytes:
        return b""

    async def write(self, stream: StreamName, data: bytes) -> None:
        self._output = (self._output + data)[: self._most]

    async def sizes(self) -> AsyncIterator[tuple[int, int]]:
        no_sizes: tuple[tuple[int, int], ...] = ()
        for size in no_sizes:
            yield size

    @property
    def text(self) -> str:
        return self._output.decode(errors="replace")


async def run_session(message: dict[str, Any], streams: Streams, *, tty: bool) -> int:
    """Runs the command of a launcher message; returns its exit code.

    A cancelled call kills the command. Raises CommandError if the command cannot start.
    """
    return await (_with_terminal(message, streams) if tty else _with_pipes(message, streams))


async def _with_pipes(message: dict[str, Any], streams: Streams) -> int:
    stdin, stdin_end = os.pipe() if streams.has_stdin else (subprocess.DEVNULL, -1)
    (out, out_end), (err, err_end) = os.pipe(), os.pipe()
    theirs = [out_end, err_end] + ([stdin] if streams.has_stdin else [])
    ours = [out, err] + ([stdin_end] if streams.has_stdin else [])
    process = await _launch(message, (stdin, out_end, err_end), theirs, ours)
    tasks = [
        asyncio.create_task(_copy(out, streams, "stdout")),
        asyncio.create_task(_copy(err, streams, "stderr")),
    ]
    feeding = asyncio.create_task(_feed(stdin_end, streams)) if streams.has_stdin else None
    return await _finish(process, tasks, [feeding] if feeding else [])


async def _with_terminal(message: dict[str, Any], streams: Streams) -> int:
    ours, theirs = os.openpty()
    process = await _launch(message, (theirs, theirs, theirs), [theirs], [ours])
    copied, fed = os.dup(ours), os.dup(ours)
    tasks = [asyncio.create_task(_copy(copied, streams, "stdout"))]
    others = [asyncio.create_task(_follow_size(ours, streams)), asyncio.create_task(_feed(fed, streams))]
    return await _finish(process, tasks, others)


async def _launch(
    message: dict[str, Any], files: tuple[int, int, int], theirs: list[int], ours: list[int]
) -> LaunchedProcess:
    """Starts the process of a command like `launch_with`. Raises CommandError if the process cannot start."""
    try:
        return await launch_with(message, files, theirs, ours)
    except LaunchError as error:
        raise CommandError(
            f"OCI runtime exec failed: exec failed: unable to start container process: {error}"
        ) from None


async def _finish(
    process: LaunchedProcess, outputs: list[asyncio.Task[None]], others: list[asyncio.Task[None]]
) -> int:
    """Waits for the exit of the process and the end of its output; returns the exit code."""
    try:
        code, _ = await process.wait()
        await asyncio.wait(outputs, timeout=DRAIN_SECONDS)
        return code
    finally:
        for task in (*outputs, *others):
            task.cancel()
        await asyncio.gather(*outputs, *others, return_exceptions=True)


async def _copy(descriptor: int, streams: Streams, stream: StreamName) -> None:
    reader, transport = await read_pipe(descriptor)
    try:
        with suppress(OSError):  # reading a closed terminal raises OSError
            while data := await reader.read(_PIECE):
                await streams.write(stream, data)
    finally:
        transport.close()


async def _feed(descriptor: int, streams: Streams) -> None:
    """Writes the client's input to the command. Closes the command's stdin at the end of the input."""
    try:
        while data := await streams.read_stdin():
            while data:
                try:
                    data = data[await asyncio.to_thread(os.write, descriptor, data) :]
                except BlockingIOError:  # the program does not read its terminal
                    await asyncio.sleep(_BUSY)
    except OSError:  # the command has closed its input
        pass
    finally:
        os.close(descriptor)


async def _follow_size(terminal: int, streams: Streams) -> None:
    try:
        async for columns, rows in streams.sizes():
            with suppress(OSError):
                fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    finally:
        os.close(terminal)
