"""Leader election: if several servers share a database, only the holder of a Lease runs the controllers.

Follows the timing and the Lease format of k8s.io/client-go `tools/leaderelection`. Each server measures with
its own clock how long the Lease has not changed, and ignores the times in the Lease.
"""

import asyncio
import logging
import os
import secrets
import socket
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from fakeapi.clients.errors import StatusError
from fakeapi.clients.in_process import InProcessClient
from fakeapi.machinery.golang import times
from fakeapi.machinery.json_types import Object

LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"
NAME = "fakeapi-controllers"

LEASE_SECONDS = 15
"""Seconds without a renewal after which another server may take over the Lease."""

RENEW_SECONDS = 10.0
"""Seconds without a successful renewal after which the leader stops its controllers."""

RETRY_SECONDS = 2.0
"""Seconds between two attempts to take or renew the Lease."""

log = logging.getLogger("fakeapi.controllers")


@dataclass(frozen=True, slots=True)
class Pace:
    """The intervals of a leader election in seconds (see LEASE_SECONDS, RENEW_SECONDS and RETRY_SECONDS).

    `clock` and `sleep`: the functions that measure these intervals.
    """

    lease: float = LEASE_SECONDS
    renew: float = RENEW_SECONDS
    retry: float = RETRY_SECONDS
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


class LeaderElection:
    """A candidate of the leader election.

    - `now`: returns the time for the Lease, in seconds since the epoch.
    - `start`: awaited when this server becomes leader.
    - `stop`: awaited when this server is no longer leader.
    """

    def __init__(
        self,
        api: InProcessClient,
        now: Callable[[], float],
        start: Callable[[], Awaitable[None]],
        stop: Callable[[], Awaitable[None]],
        pace: Pace | None = None,
    ) -> None:
        self._api = api
        self._now = now
        self._start = start
        self._stop = stop
        self._pace = pace or Pace()
        self.identity = f"{socket.gethostname()}_{os.getpid()}_{secrets.token_hex(4)}"
        self.leads = False
        self._renewed = 0.0
        self._seen = ("", 0.0)
        self._task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        self._task = asyncio.create_task(self._run())

    async def end(self) -> None:
        """Stops the election. If this server is leader, also stops the controllers and releases the Lease."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        if self.leads:
            await self._resign()
            try:
                lease = await self._api.get(f"{LEASES}/{NAME}")
                if lease["spec"].get("holderIdentity") == self.identity:
                    await self._api.update(f"{LEASES}/{NAME}", self._held(lease, "", 1))
            except StatusError as error:
                log.info("the Lease of the controllers was not released: %s", error)

    async def _run(self) -> None:
        while True:
            await self._resign_if_late()  # The process may have been paused, so check this first.
            try:
                is_held = await self._take_or_renew()
            except StatusError as error:
                log.debug("the lease of the controllers: %s", error)
                is_held = False
            if is_held:
                self._renewed = self._pace.clock()
                if not self.leads:
                    log.info("this server runs the controllers")
                    self.leads = True
                    await self._start()
            else:
                await self._resign_if_late()
            await self._pace.sleep(self._pace.retry)

    async def _resign_if_late(self) -> None:
        if self.leads and self._pace.clock() - self._renewed > self._pace.renew:
            await self._resign()

    async def _resign(self) -> None:
        log.info("this server does not run the controllers any more")
        self.leads = False
        await self._stop()

    async def _take_or_renew(self) -> bool:
        """Takes or renews the Lease. Returns whether this server now holds the Lease.

        Raises StatusError if a request fails, for example with a conflict because another candidate was
        faster.
        """
        try:
            lease = await self._api.get(f"{LEASES}/{NAME}")
        except StatusError as error:
            if not error.is_not_found:
                raise
            await self._api.create(LEASES, self._held({"metadata": {"name": NAME}, "spec": {}}))
            return True
        version, spec = lease["metadata"]["resourceVersion"], lease["spec"]
        holder = spec.get("holderIdentity") or ""
        if version != self._seen[0]:
            self._seen = version, self._pace.clock()
        is_over = self._pace.clock() - self._seen[1] > self._pace.lease
        if holder not in ("", self.identity) and not is_over:
            if self.leads:  # another server took the Lease: do not wait for the renewal deadline
                await self._resign()
            return False
        await self._api.update(f"{LEASES}/{NAME}", self._held(lease, self.identity))
        return True

    def _held(self, lease: Object, holder: str | None = None, seconds: int = LEASE_SECONDS) -> Object:
        """Returns the Lease with a new holder and a new renewTime.

        - `holder`: the identity of the holder; None for this server, "" for no holder.
        - `seconds`: the leaseDurationSeconds.
        """
        identity, now = self.identity if holder is None else holder, times.micro_text(self._now())
        old = lease["spec"]
        changes = old.get("leaseTransitions", 0) + (old.get("holderIdentity") != identity)
        spec = {
            "holderIdentity": identity,
            "leaseDurationSeconds": seconds,
            "renewTime": now,
            "acquireTime": old.get("acquireTime") if old.get("holderIdentity") == identity else now,
            "leaseTransitions": changes,
        }
        return {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": lease["metadata"],
            "spec": spec,
        }
