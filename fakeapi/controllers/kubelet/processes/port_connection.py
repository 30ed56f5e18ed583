"""SocketConnection: a TCP connection to a port of a container that runs as a process."""

import asyncio
from contextlib import suppress

from fakeapi.controllers.kubelet.containers.runtime import PortConnection

_PIECE = 1 << 16


class SocketConnection(PortConnection):
    """A TCP connection for `kubectl port-forward`."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def read(self) -> bytes:
        """Returns the next bytes from the container; b"" if the connection is closed or fails."""
        with suppress(OSError):
            return await self._reader.read(_PIECE)
        return b""

    async def write(self, data: bytes) -> None:
        """Sends bytes to the container. Ignores a closed connection."""
        with suppress(OSError):
            self._writer.write(data)
            await self._writer.drain()

    async def close(self) -> None:
        self._writer.close()
        with suppress(OSError):
            await self._writer.wait_closed()
