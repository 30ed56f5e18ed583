"""ControlledApplication: an application whose server runs controllers beside it."""

from collections.abc import Coroutine, Iterable
from typing import Any

from fakeapi.asgi import Application, Receive, Scope, Send
from fakeapi.cluster import Cluster
from fakeapi.controllers.manager import Manager
from fakeapi.controllers.names import makers


class ControlledApplication:
    """Runs the controllers along with the application it wraps, as clients of its API.

    When the state of the cluster is replaced they are stopped, and started again with the new state.
    """

    def __init__(
        self,
        app: Application,
        cluster: Cluster,
        names: Iterable[str],
        *,
        token: str | None = None,
        host: str = "localhost",
    ) -> None:
        """`token` and `host` are what the application accepts of its clients."""
        self._app = app
        self._cluster = cluster
        self._makers = makers(names)
        self._token = token
        self._host = host
        self._manager: Manager | None = None
        cluster.follow(self)

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Coroutine[Any, Any, None]:
        return self._app(scope, receive, send)

    @property
    def manager(self) -> Manager:
        """Raises RuntimeError before the start."""
        if self._manager is None:
            raise RuntimeError("the controllers are not started")
        return self._manager

    async def startup(self) -> None:
        await self._app.startup()
        await self._start()

    async def shutdown(self) -> None:
        await self._stop()
        await self._app.shutdown()

    async def reset(self) -> None:
        await self._app.reset()

    async def before_replacement(self) -> None:
        await self._stop()

    async def after_replacement(self, *, empty: bool) -> None:
        await self._start()

    def end_watches(self) -> None:
        self._app.end_watches()

    async def _start(self) -> None:
        self._manager = Manager(self._app, self._cluster, self._makers, token=self._token, host=self._host)
        await self._manager.start()

    async def _stop(self) -> None:
        manager, self._manager = self._manager, None
        if manager is not None:
            await manager.stop()
