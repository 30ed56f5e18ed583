"""A listening socket with the connections that it accepted."""

import asyncio
import logging
import socket
import ssl

from hypercorn.asyncio.worker_context import WorkerContext

from fakeapi.serving.connection import Connection, ServerConfig
from fakeapi.serving.tasks import ASGIApp

logger = logging.getLogger("fakeapi.serving")

BACKLOG = 1_024
"""Clients that may wait to be accepted; the kernel turns further ones away."""

HANDSHAKE_SECONDS = 10.0
"""For a TLS handshake; then the client is dropped."""

TLS_CLOSE_SECONDS = 1.0
"""For a client to answer the end of TLS; then its socket is closed anyway."""

RETRY_SECONDS = 0.1
"""Before accepting again after a failure, which is most often a want of file descriptors."""

PARTING_SECONDS = 0.05
"""At the end, for the last bytes of connections that have nothing more to do."""


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens; clients queue from now on. Port 0 takes a free one. Raises OSError."""
    family, kind, _, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    # Naming the protocol, and the option: without both, Nagle's algorithm adds 40 ms to each request.
    listener = socket.socket(family, kind, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
        listener.setblocking(False)
    except BaseException:
        listener.close()
        raise
    return listener


class Site:
    """Serves an application at one socket, from `start` until `close`, in the running loop.

    `asyncio.start_server` is not used: what its `wait_closed` waits for differs between Python releases, and
    a client in the middle of its TLS handshake could not be dropped.
    """

    def __init__(self, app: ASGIApp, listener: socket.socket, tls: ssl.SSLContext | None) -> None:
        self._app = app
        self._listener = listener
        self._tls = tls
        self._config = ServerConfig()
        self._context = WorkerContext(None)
        self._connections: set[Connection] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop = asyncio.get_running_loop()
        self._listening = False

    def start(self) -> None:
        self._listening = True
        self._loop.add_reader(self._listener, self._accept)

    def _accept(self) -> None:
        # Not `loop.sock_accept`: a client that it accepted when it is cancelled would be lost and stay open.
        try:
            client, _ = self._listener.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            return
        except OSError as error:
            logger.warning("Cannot accept a connection: %s", error)
            self._loop.remove_reader(self._listener)
            self._loop.call_later(RETRY_SECONDS, self._accept_again)
            return
        client.setblocking(False)
        task = self._loop.create_task(self._serve(client))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _accept_again(self) -> None:
        if self._listening:
            self._loop.add_reader(self._listener, self._accept)

    async def _serve(self, client: socket.socket) -> None:
        reader = asyncio.StreamReader()
        protocol = asyncio.StreamReaderProtocol(reader)
        try:
            transport, _ = await self._loop.connect_accepted_socket(
                lambda: protocol,
                client,
                ssl=self._tls,
                ssl_handshake_timeout=HANDSHAKE_SECONDS if self._tls else None,
                ssl_shutdown_timeout=TLS_CLOSE_SECONDS if self._tls else None,
            )
        except OSError:
            client.close()
            return
        writer = asyncio.StreamWriter(transport, protocol, reader, self._loop)
        connection = Connection(self._app, self._config, self._context, reader, writer)
        self._connections.add(connection)
        try:
            await connection.run()
        finally:
            self._connections.discard(connection)
            transport.abort()

    async def close(self, grace: float) -> None:
        """Stops listening, gives running requests `grace` seconds to end, then closes every connection."""
        self._listening = False
        self._loop.remove_reader(self._listener)
        self._listener.close()
        await self._context.terminated.set()
        for connection in self._connections:
            connection.close_if_idle()
        requests = {task for connection in self._connections for task in connection.tasks.requests}
        if requests:
            await asyncio.wait(requests, timeout=grace)
        for connection in self._connections:
            connection.close_if_idle()
        if self._tasks:
            patience = max(PARTING_SECONDS, grace if any(c.unsent for c in self._connections) else 0.0)
            await asyncio.wait(self._tasks, timeout=patience)
        for connection in list(self._connections):
            connection.abort()
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=grace + PARTING_SECONDS)
