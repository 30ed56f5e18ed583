"""Servers with a shared database elect a leader. Only the leader runs the controllers."""

import asyncio
import time
from contextlib import ExitStack

from fakeapi.clients.errors import StatusError
from fakeapi.clients.in_process import InProcessClient
from fakeapi.controllers import leader_election
from fakeapi.controllers.leader_election import LeaderElection, Pace
from fakeapi.machinery.json_types import Object
from fakeapi.testing.server import FakeAPI
from tests.postgresql_server import PostgreSQL

LEASE = f"{leader_election.LEASES}/{leader_election.NAME}"
PATIENCE_SECONDS = 30.0
QUICK = Pace(lease=0.3, renew=0.2, retry=0.02)


class Leases:
    """A fake API server that stores only the Lease of a leader election.

    An update with an old resourceVersion fails with a conflict. Requests of the candidates in `away` fail
    with 503.
    """

    def __init__(self) -> None:
        self.lease: Object | None = None
        self.version = 0
        self.away: set[str] = set()
        self.asked: list[str] = []

    def of(self, candidate: str) -> "LeaseClient":
        return LeaseClient(self, candidate)


class LeaseClient(InProcessClient):
    def __init__(self, leases: Leases, candidate: str) -> None:
        self._leases = leases
        self._candidate = candidate

    def _check(self) -> None:
        self._leases.asked.append(self._candidate)
        if self._candidate in self._leases.away:
            raise StatusError(503, {"reason": "ServiceUnavailable", "message": "away"})

    async def get(self, path: str, **query: str) -> Object:
        self._check()
        if self._leases.lease is None:
            raise StatusError(404, {"reason": "NotFound", "message": "none"})
        return self._leases.lease

    async def create(self, path: str, obj: Object, **query: str) -> Object:
        return self._store(obj)

    async def update(self, path: str, obj: Object) -> Object:
        if obj["metadata"]["resourceVersion"] != str(self._leases.version):
            raise StatusError(409, {"reason": "Conflict", "message": "changed"})
        return self._store(obj)

    def _store(self, obj: Object) -> Object:
        self._check()
        self._leases.version += 1
        metadata = {"name": leader_election.NAME, "resourceVersion": str(self._leases.version)}
        self._leases.lease = {**obj, "metadata": metadata}
        return self._leases.lease


def candidate(leases: Leases, name: str, happened: asyncio.Queue[str], pace: Pace = QUICK) -> LeaderElection:
    async def start() -> None:
        happened.put_nowait(f"{name} starts")

    async def stop() -> None:
        leases.asked.append(f"{name} stops")
        happened.put_nowait(f"{name} stops")

    return LeaderElection(leases.of(name), time.time, start, stop, pace)


def test_a_leader_that_is_cut_off_stops_before_another_starts() -> None:
    async def main() -> None:
        leases, happened = Leases(), asyncio.Queue[str]()
        first, second = candidate(leases, "first", happened), candidate(leases, "second", happened)
        first.begin()
        assert await happened.get() == "first starts"
        second.begin()
        leases.away.add("first")
        assert [await happened.get(), await happened.get()] == ["first stops", "second starts"]
        leases.away.clear()
        await second.end()
        assert [await happened.get(), await happened.get()] == ["second stops", "first starts"]
        await first.end()
        assert await happened.get() == "first stops"

    asyncio.run(asyncio.wait_for(main(), PATIENCE_SECONDS))


def test_a_leader_that_was_paused_for_a_minute_stops_before_it_asks_anything() -> None:
    async def main() -> None:
        leases, happened, passed = Leases(), asyncio.Queue[str](), [0.0]
        sleeps, goes_on, has_looked = (asyncio.Event() for _ in range(3))

        async def pause(_: float) -> None:
            sleeps.set()
            await goes_on.wait()
            await asyncio.sleep(0)

        async def short_sleep(_: float) -> None:
            has_looked.set()
            await asyncio.sleep(0)

        paused = candidate(leases, "first", happened, Pace(clock=lambda: passed[0], sleep=pause))
        awake = candidate(leases, "second", happened, Pace(clock=lambda: passed[0], sleep=short_sleep))
        paused.begin()
        assert await happened.get() == "first starts"
        await sleeps.wait()
        awake.begin()
        await has_looked.wait()
        passed[0] += 60
        assert await happened.get() == "second starts"
        await awake.end()
        assert await happened.get() == "second stops"
        leases.asked.clear()
        leases.away.add("first")
        goes_on.set()
        assert await happened.get() == "first stops"
        assert leases.asked[0] == "first stops"
        await paused.end()

    asyncio.run(asyncio.wait_for(main(), PATIENCE_SECONDS))


def test_the_other_server_goes_on_with_the_controllers(postgresql: PostgreSQL) -> None:
    place = postgresql.place()
    with ExitStack() as stack:
        first, second = (FakeAPI(release="1.33", database=place, controllers=["namespace"]) for _ in range(2))
        first.start()
        stack.enter_context(second)
        for name, server in (("a", first), ("b", second)):
            server.create_namespace(name)
            server.request("DELETE", f"/api/v1/namespaces/{name}")
            holder = server.request("GET", LEASE)["spec"]["holderIdentity"]
            wait_until_gone(second, f"/api/v1/namespaces/{name}")
            if server is first:
                former = holder
                first.stop()
        assert holder != former


def wait_until_gone(server: FakeAPI, path: str) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while path.rpartition("/")[2] in {
        each["metadata"]["name"] for each in server.request("GET", path.rpartition("/")[0])["items"]
    }:
        assert time.monotonic() < deadline, "nobody runs the controllers"
