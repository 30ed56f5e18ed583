"""Listener: accepts connections at a listening socket and serves them."""

import asyncio
import logging
import resource
import socket

from fakeapi.asgi import ASGIApp
from fakeapi.serving.connection import Connection
from fakeapi.serving.response_bytes import ResponseBytes
from fakeapi.serving.streams import Dates
from fakeapi.serving.tls_context import TLSSource

logger = logging.getLogger("fakeapi.serving")

BACKLOG = 1_024
"""Maximum number of clients that wait to be accepted. The kernel rejects more clients."""

HANDSHAKE_SECONDS = 10.0
"""Maximum seconds for a TLS handshake. After that, the server disconnects the client."""

TLS_CLOSE_SECONDS = 1.0
"""Maximum seconds for a client to confirm the end of TLS. After that, the server closes the socket."""

RETRY_SECONDS = 0.1
"""Seconds before the server tries again to accept clients after an error.

An example of such an error: the process has no free file descriptor.
"""

DRAIN_SECONDS = 0.05
"""Minimum time limit, in seconds, for connections to close while the server stops."""

CONNECTIONS = 16_384
"""Maximum number of open connections, if the process has enough file descriptors.

Each connection needs one descriptor. At the limit, new clients wait in the kernel's queue (BACKLOG).
"""

RESERVED_DESCRIPTORS = 64
"""Number of file descriptors to keep free for other files: the database, the recording, certificates."""


def open_socket(host: str, port: int) -> socket.socket:
    """Opens a listening socket; from then on, clients can connect and wait. `port`: 0 selects a free port.

    Raises OSError if the address is invalid or already in use.
    """
    family, kind, _, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    # Nagle's algorithm would add 40 ms to each request. TCP_NODELAY switches the algorithm off. asyncio also
    # sets TCP_NODELAY for each connection if the socket has the protocol IPPROTO_TCP.
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


def connection_limit() -> int:
    """Returns the maximum number of connections: CONNECTIONS, or fewer if the process may open few files."""
    descriptors, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if descriptors == resource.RLIM_INFINITY:
        return CONNECTIONS
    return max(1, min(CONNECTIONS, descriptors - RESERVED_DESCRIPTORS))


class Listener:
    """Serves an application at one socket, in the running event loop, from `start` until `close`.

    Does not use `asyncio.start_server`. The `wait_closed` of its servers differs between Python releases, and
    such a server cannot disconnect a client during the TLS handshake.
    """

    def __init__(self, app: ASGIApp, listener: socket.socket, tls: TLSSource | None) -> None:
        self._app = app
        self._socket = listener
        self._tls = tls
        self._dates = Dates()
        self._unread = ResponseBytes(asyncio.get_running_loop().time)
        self._connections: set[Connection] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop = asyncio.get_running_loop()
        self._limit = connection_limit()
        self._listening = False
        self._accepting = False

    def start(self) -> None:
        self._listening = True
        self._accept_more()

    def _accept_more(self) -> None:
        if self._listening and not self._accepting and len(self._tasks) < self._limit:
            self._accepting = True
            self._loop.add_reader(self._socket, self._accept)

    def _pause_accepting(self) -> None:
        if self._accepting:
            self._accepting = False
            self._loop.remove_reader(self._socket)

    def _accept(self) -> None:
        # A cancelled `loop.sock_accept` would lose the accepted client, whose socket would stay open.
        try:
            client, _ = self._socket.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            return
        except OSError as error:
            logger.warning("Cannot accept a connection: %s", error)
            self._pause_accepting()
            self._loop.call_later(RETRY_SECONDS, self._accept_more)
            return
        client.setblocking(False)
        task = self._loop.create_task(self._serve(client))
        self._tasks.add(task)
        task.add_done_callback(self._forget)
        if len(self._tasks) >= self._limit:
            logger.warning("%s connections are open; further clients wait", self._limit)
            self._pause_accepting()

    def _forget(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._accept_more()

    async def _serve(self, client: socket.socket) -> None:
        reader = asyncio.StreamReader()
        protocol = asyncio.StreamReaderProtocol(reader)
        try:
            transport, _ = await self._loop.connect_accepted_socket(
                lambda: protocol,
                client,
                ssl=self._tls() if self._tls else None,
                ssl_handshake_timeout=HANDSHAKE_SECONDS if self._tls else None,
                ssl_shutdown_timeout=TLS_CLOSE_SECONDS if self._tls else None,
            )
        except OSError:
            client.close()
            return
        writer = asyncio.StreamWriter(transport, protocol, reader, self._loop)
        connection = Connection(self._app, self._dates, self._unread, reader, writer)
        self._connections.add(connection)
        try:
            await connection.run()
        finally:
            self._connections.discard(connection)
            transport.abort()

    async def close(self, grace: float) -> None:
        """Stops listening, waits for running requests to end, and closes all connections.

        `grace`: the maximum seconds to wait for the requests.
        """
        self._listening = False
        self._pause_accepting()
        self._socket.close()
        for connection in self._connections:
            connection.end_soon()
        requests = {task for connection in self._connections for task in connection.tasks.requests}
        if requests:
            await asyncio.wait(requests, timeout=grace)
        for connection in self._connections:
            connection.end_soon()
        if self._tasks:
            patience = max(DRAIN_SECONDS, grace if any(c.unsent for c in self._connections) else 0.0)
            await asyncio.wait(self._tasks, timeout=patience)
        for connection in list(self._connections):
            connection.abort()
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=grace + DRAIN_SECONDS)
