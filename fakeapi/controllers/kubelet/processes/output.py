"""Copies the output of a container's process to its log, with a limit on the rate."""

import asyncio
import os
from contextlib import suppress

from fakeapi.controllers.kubelet.containers.container_log import ContainerLog

OUTPUT_BYTES_PER_SECOND = 1 << 18
"""Bytes per second that the server reads from a container in the long run. A faster container must wait."""
OUTPUT_BURST_BYTES = 1 << 20
"""Bytes that the server reads without a delay, before OUTPUT_BYTES_PER_SECOND applies."""
_PIECE = 1 << 15


async def read_pipe(descriptor: int) -> tuple[asyncio.StreamReader, asyncio.ReadTransport]:
    """Returns a reader of a pipe, and its transport. The caller must close the transport."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=_PIECE)
    transport, _ = await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(descriptor, "rb", buffering=0)
    )
    return reader, transport


async def copy_output(descriptor: int, log: ContainerLog, stream: str, exited: asyncio.Event) -> None:
    """Copies a pipe to a log until the end of the pipe, and closes the pipe.

    `exited`: set when the process has exited. The rest of its output is then read without a limit.
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
