"""SimulatedPort: a connection to a port of a simulated container."""

import asyncio
import logging

from fakeapi.controllers.kubelet.containers.behaviour import Ports
from fakeapi.controllers.kubelet.containers.runtime import PortConnection
from fakeapi.machinery.printable import printable_line

log = logging.getLogger("fakeapi.controllers")


class SimulatedPort(PortConnection):
    """Replies to each chunk of bytes.

    A text reply is sent once, after the first chunk; then the port closes.
    """

    def __init__(self, port: int, answer: Ports) -> None:
        self._port = port
        self._answer = answer
        self._replies: asyncio.Queue[bytes] = asyncio.Queue(maxsize=16)

    async def read(self) -> bytes:
        return await self._replies.get()

    async def write(self, data: bytes) -> None:
        answer = self._answer
        if isinstance(answer, str):
            await self._replies.put(answer.encode())
            await self._replies.put(b"")
            return
        try:
            reply = await asyncio.to_thread(answer, self._port, data)
        except Exception as problem:  # noqa: BLE001 - the function belongs to the user
            log.warning("the function of a behaviour failed: %s", printable_line(repr(problem)))
            reply = b""
        await self._replies.put(reply)

    async def close(self) -> None:
        if not self._replies.full():
            self._replies.put_nowait(b"")
