"""ServerMethods: base class for the methods of FakeAPI that need its running server."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fakeapi.testing.running import RunningServer


class ServerMethods:
    """Methods of FakeAPI that need its running server."""

    _server: "RunningServer | None" = None

    def _running(self) -> "RunningServer":
        """Returns the running server. Raises RuntimeError if the server does not run."""
        if self._server is None:
            raise RuntimeError("the server is not running: use it in a `with` block, or call start()")
        return self._server
