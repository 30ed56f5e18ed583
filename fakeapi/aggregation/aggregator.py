"""Aggregator: keeps the status of APIServices with a Service up to date while such APIServices exist."""

import asyncio
import contextlib
from typing import TYPE_CHECKING

from fakeapi.aggregation.delegated import DelegatedApis
from fakeapi.aggregation.discovered import DiscoveredApis
from fakeapi.registry.server import Server
from fakeapi.registry.webhooks.outbound import ServiceUrls

if TYPE_CHECKING:
    from fakeapi.outbound.client_identity import ClientIdentity


class Aggregator:
    """Checks the APIServices with a Service while such APIServices exist.

    - `apis`: the APIServices with a Service.
    - `discovered`: the resources that the servers behind these APIServices list.
    - `endpoints`: the resource with the addresses of Services, "endpoints" or "endpointslices".
    - `identity`: the client certificate for connections to these servers; None for none.
    """

    def __init__(
        self, server: Server, urls: ServiceUrls, endpoints: str, identity: "ClientIdentity | None"
    ) -> None:
        self.apis = DelegatedApis(server.objects, urls, identity)
        self.discovered = DiscoveredApis(self.apis)
        self._server = server
        self._endpoints = endpoints
        self._changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Checks the stored APIServices with a Service. Later also checks APIServices that clients write."""
        self.apis.note_stored()
        self._server.on_delegation = self._note
        self._run_checks()

    async def stop(self) -> None:
        """Ends the checks, including checks that wait for a response."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    def _note(self, name: str) -> None:
        self.apis.note(name)
        self._changed.set()
        self._run_checks()

    def _run_checks(self) -> None:
        if self._task is None and self.apis.all():
            self._task = asyncio.get_running_loop().create_task(self._run())

    async def _run(self) -> None:
        from fakeapi.aggregation.checker import Checker  # noqa: PLC0415 - loaded only for such APIServices

        checker = Checker(self._server, self.apis, self.discovered, self._endpoints)
        while self.apis.all():
            self._changed.clear()
            seconds = await checker.check_all()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._changed.wait()
        self.discovered.resources.clear()
        self._task = None
