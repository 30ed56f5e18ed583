"""A listening socket with the connections that it accepted."""

import asyncio
import contextlib
import errno
import logging
import socket
import ssl

from hypercorn.asyncio.worker_context import WorkerContext

from fakeapi.runner.connection import ASGIApp, Connection, ServerConfig

logger = logging.getLogger("fakeapi.runner")

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
    """Serves an application at one socket, from `start` until `close`.

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
        self._accepting: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._accepting = asyncio.get_running_loop().create_task(self._accept())

    async def _accept(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                client, _ = await loop.sock_accept(self._listener)
            except OSError as error:
                if error.errno != errno.ECONNABORTED:
                    logger.warning("Cannot accept a connection: %s", error)
                    await asyncio.sleep(RETRY_SECONDS)
                continue
            task = loop.create_task(self._serve(client))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _serve(self, client: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader()
        protocol = asyncio.StreamReaderProtocol(reader)
        try:
            transport, _ = await loop.connect_accepted_socket(
                lambda: protocol,
                client,
                ssl=self._tls,
                ssl_handshake_timeout=HANDSHAKE_SECONDS if self._tls else None,
                ssl_shutdown_timeout=TLS_CLOSE_SECONDS if self._tls else None,
            )
        except OSError:
            client.close()
            return
        writer = asyncio.StreamWriter(transport, protocol, reader, loop)
        connection = Connection(self._app, self._config, self._context, reader, writer)
        self._connections.add(connection)
        try:
            await connection.run()
        finally:
            self._connections.discard(connection)
            transport.abort()

    async def close(self, grace: float) -> None:
        """Stops listening, gives running requests `grace` seconds to end, then closes every connection."""
        if self._accepting is not None:
            self._accepting.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._accepting
        self._listener.close()
        await self._context.terminated.set()
        for connection in self._connections:
            connection.close_if_idle()
        requests = {task for connection in self._connections for task in connection.tasks.requests}
        if requests:
            await asyncio.wait(requests, timeout=grace)
        for connection in self._connections:
            connection.close()
        if self._tasks:
            patience = max(PARTING_SECONDS, grace if any(c.unsent for c in self._connections) else 0.0)
            await asyncio.wait(self._tasks, timeout=patience)
        for connection in list(self._connections):
            connection.abort()
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=grace + PARTING_SECONDS)
