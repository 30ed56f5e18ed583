"""ControlledApplication: an ASGI application that also runs controllers."""

from collections.abc import Coroutine, Iterable
from typing import TYPE_CHECKING, Any

from fakeapi.asgi import Application, Receive, Scope, Send
from fakeapi.cluster import Cluster
from fakeapi.controllers.api import API
from fakeapi.controllers.gaps import warn_of_gaps
from fakeapi.controllers.manager import Manager
from fakeapi.controllers.names import makers

if TYPE_CHECKING:
    from fakeapi.controllers.leader_election import LeaderElection


class ControlledApplication:
    """Wraps an application and runs controllers as clients of its API.

    The controllers stop before the state of the cluster is replaced, and start again with the new state. If
    several servers share the state, only the server that holds the Lease runs the controllers.
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
        """Wraps `app`. The controllers send `token` as bearer token and `host` as Host header."""
        self._app = app
        self._cluster = cluster
        self._makers = makers(names)
        self._token = token
        self._host = host
        self._manager: Manager | None = None
        self._election: LeaderElection | None = None
        cluster.follow(self)

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Coroutine[Any, Any, None]:
        return self._app(scope, receive, send)

    @property
    def manager(self) -> Manager:
        """The running manager.

        Raises RuntimeError if this server does not run the controllers, or not yet.
        """
        if self._manager is None:
            where = "" if self._election is None else ": another server of this state runs them"
            raise RuntimeError(f"the controllers are not started{where}")
        return self._manager

    async def startup(self) -> None:
        await self._app.startup()
        warn_of_gaps(self._makers, self._cluster.catalogue.primary.gates)
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
        if self._cluster.store.shared is None:
            await self._run()
            return
        from fakeapi.controllers.leader_election import LeaderElection  # noqa: PLC0415 - only for several servers

        api = API(self._app, "fakeapi/leader-election", token=self._token, host=self._host)
        self._election = LeaderElection(api, self._cluster.clock.now, self._run, self._rest)
        self._election.begin()

    async def _stop(self) -> None:
        election, self._election = self._election, None
        if election is not None:
            await election.end()
        await self._rest()

    async def _run(self) -> None:
        self._manager = Manager(self._app, self._cluster, self._makers, token=self._token, host=self._host)
        await self._manager.start()

    async def _rest(self) -> None:
        manager, self._manager = self._manager, None
        if manager is not None:
            await manager.stop()
