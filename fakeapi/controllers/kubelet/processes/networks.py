"""The networks of containers: this machine's network, or a network namespace for each pod."""

import asyncio
import json
import socket
import ssl
import subprocess
from abc import ABC, abstractmethod
from contextlib import suppress
from typing import Any, Self

from fakeapi.controllers.kubelet.processes.isolation import Isolation
from fakeapi.controllers.kubelet.processes.launched import KILL_SECONDS, LaunchError, start_launcher

HOST = "127.0.0.1"
"""The IP address at which the server reaches the programs of containers."""
SERVER_PORT = 16_443
"""The port at which the API server listens in the network namespace of a pod."""
ANSWER_SECONDS = 20.0
"""Maximum seconds to wait for an answer from the holder of a network namespace."""
_PIECE = 1 << 16

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Network(ABC):
    """The network of a container. `pid`: the ID of the process that keeps the network namespace open; 0 for
    none.
    """

    pid = 0

    @abstractmethod
    async def connect(self, port: int, tls: ssl.SSLContext | None = None) -> Streams:
        """Connects to a port of the container. Raises OSError if no program listens there."""

    @abstractmethod
    def local_port(self, port: int) -> int:
        """Returns a port of this machine that forwards to a port of the container."""


class HostNetwork(Network):
    """The network of this machine."""

    async def connect(self, port: int, tls: ssl.SSLContext | None = None) -> Streams:
        return await asyncio.open_connection(HOST, port, ssl=tls)

    def local_port(self, port: int) -> int:
        return port


HOST_NETWORK = HostNetwork()


class PodNetwork(Network):
    """A network namespace with a loopback interface. A separate process, the holder, keeps this namespace
    open.
    """

    def __init__(
        self, holder: "subprocess.Popen[bytes]", control: socket.socket, pid: int, listener: socket.socket
    ) -> None:
        self.pid = pid
        self.listener = listener
        self._holder = holder
        self._control = control
        self._turn = asyncio.Lock()
        self._forwards: dict[int, tuple[int, asyncio.Task[None]]] = {}

    @classmethod
    async def start(cls, isolation: Isolation, pod_ip: str) -> Self:
        """Creates a network namespace and its holder. Raises LaunchError if the kernel refuses."""
        holder, control = start_launcher((subprocess.DEVNULL,) * 3)
        control.settimeout(ANSWER_SECONDS)
        message = {"kind": "network", "isolation": isolation, "port": SERVER_PORT, "pod_ip": pod_ip}
        answer, opened = await asyncio.to_thread(_ask, control, message)
        if opened is None:
            control.close()
            await asyncio.to_thread(holder.wait)
            raise LaunchError(answer.get("error") or "the holder of the network namespace has ended")
        return cls(holder, control, answer["started"], opened)

    async def connect(self, port: int, tls: ssl.SSLContext | None = None) -> Streams:
        async with self._turn:
            answer, opened = await asyncio.to_thread(_ask, self._control, {"connect": port})
        if opened is None:
            raise OSError(answer.get("error") or "the network of the pod is gone")
        opened.setblocking(False)
        name = HOST if tls is not None else None
        return await asyncio.open_connection(sock=opened, ssl=tls, server_hostname=name)

    def local_port(self, port: int) -> int:
        if port not in self._forwards:
            listener = socket.create_server((HOST, 0))
            listener.setblocking(False)
            number: int = listener.getsockname()[1]
            self._forwards[port] = number, asyncio.create_task(self._forward(listener, port))
        return self._forwards[port][0]

    async def _forward(self, listener: socket.socket, port: int) -> None:
        async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                inner_reader, inner_writer = await self.connect(port)
            except OSError:
                writer.close()
                return
            await asyncio.gather(_copy(reader, inner_writer), _copy(inner_reader, writer))

        server = await asyncio.start_server(relay, sock=listener)
        async with server:
            await server.serve_forever()

    async def close(self) -> None:
        """Ends the holder. The kernel removes the namespace after its last process."""
        for _, task in self._forwards.values():
            task.cancel()
        await asyncio.gather(*(task for _, task in self._forwards.values()), return_exceptions=True)
        self._control.close()
        self.listener.close()
        with suppress(subprocess.TimeoutExpired):
            await asyncio.to_thread(self._holder.wait, KILL_SECONDS)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(_PIECE):
            writer.write(data)
            await writer.drain()
    writer.close()


def _ask(control: socket.socket, message: dict[str, Any]) -> tuple[dict[str, Any], socket.socket | None]:
    """Sends a message to a holder; returns the answer and its socket.

    Without an answer, the dictionary is empty or has an `error`, and the socket is None.
    """
    try:
        control.sendall(json.dumps(message).encode() + b"\n")
        received, descriptors, _, _ = socket.recv_fds(control, _PIECE, 1)
    except OSError as error:
        return {"error": str(error)}, None
    answer: dict[str, Any] = json.loads(received) if received else {}
    return answer, socket.socket(fileno=descriptors[0]) if descriptors else None
