"""Small servers that run beside fakeapi during a test: a client of fakeapi connects to them."""

import socket
import ssl
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import trustme


class HttpServer(ThreadingHTTPServer):
    """Answers each request with a handler, in threads, from its creation until `stop`."""

    daemon_threads = True

    def __init__(
        self,
        handler: type[BaseHTTPRequestHandler],
        port: int = 0,
        certificate: trustme.LeafCert | None = None,
    ) -> None:
        """`port`: 0 for a free port. `certificate`: lets the server serve HTTPS."""
        super().__init__(("127.0.0.1", port), handler)
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            certificate.configure_cert(context)
            self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
        self.url = f"http{'' if certificate is None else 's'}://127.0.0.1:{self.server_port}"
        self._thread = threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Prints an error of the handler. Ignores clients that leave or do not trust the CA."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)

    def stop(self) -> None:
        self.shutdown()
        self.server_close()
        self._thread.join()


@contextmanager
def http_server(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """Runs a server that answers each request with `handler`; yields its URL."""
    server = HttpServer(handler)
    try:
        yield server.url
    finally:
        server.stop()


@contextmanager
def raw_server(handle: Callable[[socket.socket], None]) -> Iterator[str]:
    """Runs a server that calls `handle` with each connection, one after the other; yields its URL.

    A connection stays open until the end of the block, unless `handle` closes it.
    """
    listener = socket.create_server(("127.0.0.1", 0))
    connections: list[socket.socket] = []

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:  # the block has ended
                return
            connections.append(connection)
            handle(connection)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()
        for connection in connections:
            connection.close()
