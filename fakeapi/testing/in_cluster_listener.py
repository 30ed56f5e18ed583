"""InClusterListener: a second, encrypted socket of a server, for the processes of its containers."""

import socket
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from fakeapi.asgi import ASGIApp
from fakeapi.cluster import Attachment, CloseListener, InCluster
from fakeapi.serving.listener import Listener, open_socket
from fakeapi.settings import Settings
from fakeapi.testing.server_names import issue_certificates
from fakeapi.testing.server_tls import ServerTLS

if TYPE_CHECKING:
    from fakeapi.serving.certificates import Certificates

HOST = "127.0.0.1"


class InClusterListener(Attachment):
    """Serves an application over HTTPS on a free loopback port. The first call of `address` opens the port.

    In-cluster clients such as client-go always use HTTPS. A server with TLS needs no second socket.
    """

    def __init__(
        self, app: ASGIApp, settings: Settings, own_port: Callable[[], int], own_tls: ServerTLS | None
    ) -> None:
        """Prepares the listener without opening a socket.

        - `own_port`: returns the port of the server itself.
        - `own_tls`: the certificates of the server; None without TLS.
        """
        self._app = app
        self._settings = settings
        self._own_port = own_port
        self._own_tls = own_tls
        self._issued: Certificates | None = None
        self._listener: Listener | None = None
        self._address: InCluster | None = None

    async def address(self) -> InCluster:
        """Returns the address of the server for processes of containers. Raises OSError if no socket can be
        opened.
        """
        if self._own_tls is not None:
            return InCluster(HOST, self._own_port(), self._own_tls.ca.decode("ascii"))
        if self._address is None:
            listening = open_socket(HOST, 0)
            self._listener = Listener(self._app, listening, self._certificates().server)
            self._listener.start()
            ca = self._certificates().ca.decode("ascii")
            self._address = InCluster(HOST, listening.getsockname()[1], ca)
        return self._address

    async def listen(self, listening: socket.socket) -> CloseListener:
        """Serves the API on another socket, in the network namespace of a pod.

        Returns a function that closes the listener.
        """
        listening.setblocking(False)
        tls = self._certificates().server if self._own_tls is None else self._own_tls.contexts
        listener = Listener(self._app, listening, tls)
        listener.start()
        return partial(listener.close, self._settings.grace)

    def _certificates(self) -> "Certificates":
        if self._issued is None:
            self._issued = issue_certificates(self._settings)
        return self._issued

    async def stop(self) -> None:
        listener, self._listener, self._address = self._listener, None, None
        if listener is not None:
            await listener.close(self._settings.grace)
