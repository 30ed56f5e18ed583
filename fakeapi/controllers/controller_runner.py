"""ControllerRunner: starts and stops the controllers of a server."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from fakeapi.asgi import Application
from fakeapi.clients.in_process import InProcessClient
from fakeapi.cluster import Attachment, Cluster
from fakeapi.controllers.gaps import warn_of_gaps
from fakeapi.controllers.manager import Manager
from fakeapi.controllers.names import makers

if TYPE_CHECKING:
    from fakeapi.controllers.leader_election import LeaderElection


class ControllerRunner(Attachment):
    """Runs the controllers as clients of an application. The runner is an Attachment of the cluster.

    The controllers stop before a reset or a restore, and start again with the new objects. If several servers
    share a database, only the server that holds the Lease runs the controllers.
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
        """Prepares the controllers; `start` starts them.

        - `app`: the application to which the controllers send their requests.
        - `names`: the names of the controllers to run.
        - `token` and `host`: the bearer token and the Host header of these requests.
        """
        self._app = app
        self._cluster = cluster
        self._makers = makers(names)
        self._token = token
        self._host = host
        self._manager: Manager | None = None
        self._election: LeaderElection | None = None

    @property
    def manager(self) -> Manager:
        """The controller manager of this server.

        Raises RuntimeError if this server does not run the controllers, or has not started them yet.
        """
        if self._manager is None:
            where = "" if self._election is None else ": another server of this state runs them"
            raise RuntimeError(f"the controllers are not started{where}")
        return self._manager

    @property
    def running_manager(self) -> Manager | None:
        """The controller manager of this server; None if this server does not run the controllers now."""
        return self._manager

    async def start(self) -> None:
        warn_of_gaps(self._makers, self._cluster.catalogue.primary.gates)
        await self._begin()

    async def before_replacement(self) -> None:
        await self.stop()

    async def after_replacement(self, *, empty: bool) -> None:
        await self._begin()

    async def _begin(self) -> None:
        if self._cluster.store.shared is None:
            await self._run()
            return
        from fakeapi.controllers.leader_election import LeaderElection  # noqa: PLC0415 - only for several servers

        api = InProcessClient(self._app, "fakeapi/leader-election", token=self._token, host=self._host)
        self._election = LeaderElection(api, self._cluster.clock.now, self._run, self._rest)
        self._election.begin()

    async def stop(self) -> None:
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
