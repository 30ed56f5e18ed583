"""InClusterListener: a second, encrypted socket of a server, for the processes of its containers."""

from collections.abc import Callable

from fakeapi.asgi import ASGIApp
from fakeapi.cluster import Attachment, InCluster
from fakeapi.serving.listener import Listener, open_socket
from fakeapi.settings import Settings
from fakeapi.testing.server_names import issue_certificates

HOST = "127.0.0.1"


class InClusterListener(Attachment):
    """Serves an application over HTTPS on a free loopback port, from the first call of `address` on.

    In-cluster clients such as client-go always use HTTPS. A server with TLS needs no second socket.
    """

    def __init__(
        self, app: ASGIApp, settings: Settings, own_port: Callable[[], int], own_authority: str
    ) -> None:
        """Opens no socket yet.

        - `own_port`: returns the port of the server itself.
        - `own_authority`: the CA certificates of the server itself; "" for a server without TLS.
        """
        self._app = app
        self._settings = settings
        self._own_port = own_port
        self._own_authority = own_authority
        self._listener: Listener | None = None
        self._address: InCluster | None = None

    async def address(self) -> InCluster:
        """Returns the address of the server for processes. Raises OSError if no socket can be opened."""
        if self._own_authority:
            return InCluster(HOST, self._own_port(), self._own_authority)
        if self._address is None:
            issued = issue_certificates(self._settings)
            socket = open_socket(HOST, 0)
            self._listener = Listener(self._app, socket, issued.server)
            self._listener.start()
            self._address = InCluster(HOST, socket.getsockname()[1], issued.ca.decode("ascii"))
        return self._address

    async def stop(self) -> None:
        listener, self._listener, self._address = self._listener, None, None
        if listener is not None:
            await listener.close(self._settings.grace)
