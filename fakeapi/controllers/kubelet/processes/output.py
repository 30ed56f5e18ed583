"""Reads the output of a container's process into its log, with a limit on the rate."""

import asyncio
import os
from contextlib import suppress

from fakeapi.controllers.kubelet.containers.container_log import ContainerLog

OUTPUT_BYTES_PER_SECOND = 1 << 18
"""Sustained bytes per second that the server reads from a container. A faster container waits."""
OUTPUT_BURST_BYTES = 1 << 20
"""Bytes that the server reads at once, before OUTPUT_BYTES_PER_SECOND applies."""
_PIECE = 1 << 15


async def read_pipe(descriptor: int) -> tuple[asyncio.StreamReader, asyncio.ReadTransport]:
    """Returns a reader of a pipe, and its transport, which the caller closes."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=_PIECE)
    transport, _ = await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(descriptor, "rb", buffering=0)
    )
    return reader, transport


async def copy_output(descriptor: int, log: ContainerLog, stream: str, exited: asyncio.Event) -> None:
    """Copies a pipe to a log until its end. Closes the pipe.

    `exited`: set when the process has exited; the rest of its output is then read without a limit.
    """
    loop = asyncio.get_running_loop()
    reader, transport = await read_pipe(descriptor)
    left, since = float(OUTPUT_BURST_BYTES), loop.time()
    try:
        while data := await reader.read(_PIECE):
            log.write(data, stream)
            now = loop.time()
            left = min(OUTPUT_BURST_BYTES, left + (now - since) * OUTPUT_BYTES_PER_SECOND) - len(data)
            since = now
            if left < 0:
                with suppress(TimeoutError):
                    async with asyncio.timeout(-left / OUTPUT_BYTES_PER_SECOND):
                        await exited.wait()
    except OSError:
        pass
    finally:
        with suppress(OSError):
            transport.close()
