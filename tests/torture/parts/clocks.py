"""Three servers share a PostgreSQL database, but their clocks differ by up to a day.

Clients write to random servers. Meanwhile the part checks these facts:

- resourceVersions grow with every write.
- Watches at all servers get the same events in the same order.
- A creationTimestamp comes from the clock of the server that received the request.
- Only one server at a time runs the controllers. Servers whose clocks are ahead do not take its Lease.
"""

import asyncio
import json
import signal
import tempfile
import time
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.load import request
from fakeapi.controllers.leader_election import LEASE_SECONDS, LEASES, NAME
from tests.postgresql_server import PostgreSQL, why_missing
from tests.torture.budget import Budget, Finding, Unavailable, patience
from tests.torture.servers import BASE, Client, Server, claim, version_of

SKEWS = (0, 90, -300, 3_600, -7_200, 86_400, -86_400)
"""The possible differences between a server's clock and the machine's clock, in seconds."""

SERVERS = 3
WRITES = 30
"""Number of writes to claims in each round."""

LEASE = f"{LEASES}/{NAME}"
SECONDS = 60.0
"""Maximum seconds for a namespace deletion, a change of leader, or the events of a watch."""

TOLERANCE_SECONDS = 5.0
"""Maximum difference in seconds between a server's clock and a creationTimestamp it sets, on an idle machine.
"""

SKEWED = """
import os, time
_skew, _machine_time = float(os.environ["TORTURE_SKEW"]), time.time
time.time = lambda: _machine_time() + _skew
"""
"""The source of the module sitecustomize, which Python imports first. It changes the server's clock."""


def run(budget: Budget) -> dict[str, float]:
    if why_missing():
        raise Unavailable(why_missing())
    figures = {"rounds": 0, "writes": 0, "events": 0, "namespaces": 0, "leaders": 0}
    with tempfile.TemporaryDirectory() as place:
        postgresql = PostgreSQL()
        try:
            for number in budget.rounds():
                one = Round(Path(place) / str(number), postgresql.place(), budget.random)
                try:
                    asyncio.run(one.work())
                finally:
                    one.kill()
                for name, figure in {"rounds": 1, **one.figures}.items():
                    figures[name] += figure
        finally:
            postgresql.stop()
    return dict(figures)


class Round:
    """Runs servers with different clocks for one round, and checks the responses that clients get."""

    def __init__(self, directory: Path, url: str, chance: Random) -> None:
        self.random = chance
        self.figures = {"writes": 0, "events": 0, "namespaces": 0, "leaders": 0}
        self.skews = sorted(chance.sample(SKEWS, SERVERS))
        self.servers: list[Server] = []
        self.lease_is_followed = True
        self.directory = directory
        self.url = url
        code = directory / "code"
        code.mkdir(parents=True)
        (code / "sitecustomize.py").write_text(SKEWED)

    def start(self, number: int) -> None:
        """Starts server `number` with its own clock skew."""
        own = self.directory / str(number)
        own.mkdir()
        code = str(self.directory / "code")
        environment = {"PYTHONPATH": code, "TORTURE_SKEW": str(self.skews[number])}
        options = ("--db", self.url, "--controllers", "namespace")
        self.servers.append(Server(own, *options, environment=environment))

    def kill(self) -> None:
        for server in self.servers:
            server.process.kill()
            server.process.wait()

    async def work(self) -> None:
        await asyncio.to_thread(self.start, 0)
        lease = asyncio.create_task(self.follow_lease())
        for number in range(1, SERVERS):
            await asyncio.to_thread(self.start, number)
        start = version_of(await self.ask(0, "GET", BASE))
        watches = [asyncio.create_task(self.watch(number, start)) for number in range(SERVERS)]
        await self.write(start)
        await self.delete_namespace()
        seen = await asyncio.gather(*watches)
        if any(events != seen[0] for events in seen):
            raise Finding(f"with clocks {self.skews}, watches saw different events: {seen}")
        self.figures["events"] = sum(map(len, seen))
        self.lease_is_followed = False
        await lease
        await self.end_leader()
        for server in self.servers:
            server.check_log()

    async def write(self, start: int) -> None:
        """Creates, patches and deletes claims at random servers, and reads each written claim at all servers.

        The last write creates the claim `last`. `start`: the resourceVersion before the first write. Raises
        Finding if resourceVersions do not grow, or if a server returns a different object.
        """
        newest, names = start, list[str]()
        for number in range(WRITES):
            server = self.random.randrange(SERVERS)
            if not names or self.random.random() < 0.5:
                names.append(f"c{number}")
                answer = await self.ask(server, "POST", BASE, claim(names[-1], "0"))
                self.check_time(server, answer["metadata"]["creationTimestamp"])
            elif self.random.random() < 0.7:
                patch = {"metadata": {"annotations": {"v": str(number)}}}
                answer = await self.ask(server, "PATCH", f"{BASE}/{self.random.choice(names)}", patch)
            else:
                name = names.pop(self.random.randrange(len(names)))
                await self.ask(server, "DELETE", f"{BASE}/{name}")
                continue
            version = version_of(answer)
            if version <= newest:
                raise Finding(f"with clocks {self.skews}, version {version} came after {newest}")
            newest = version
            for other in range(SERVERS):
                name = answer["metadata"]["name"]
                read = await self.ask(other, "GET", f"{BASE}/{name}?resourceVersion={version}")
                if read != answer:
                    raise Finding(f"with clocks {self.skews}, {read} was read, and not {answer}")
        self.figures["writes"] = WRITES
        await self.ask(0, "POST", BASE, claim("last", "0"))

    def check_time(self, server: int, text: str) -> None:
        """Raises Finding if a creationTimestamp differs too much from the clock of server `server`.

        `server`: the number of the server that created the object. `text`: the time in RFC 3339.
        """
        off = datetime.fromisoformat(text).timestamp() - time.time() - self.skews[server]
        if abs(off) > patience(TOLERANCE_SECONDS):
            raise Finding(f"with clocks {self.skews}, server {server} wrote {text}, {off:.0f} s off its own")

    async def watch(self, server: int, start: int) -> list[tuple[str, str, int]]:
        """Watches claims at a server from resourceVersion `start` until an event of the claim named "last".

        Returns type, name and resourceVersion of each event. Raises Finding if the watch ends early or takes
        too long.
        """
        reader, writer = await asyncio.open_connection("127.0.0.1", self.servers[server].port, limit=1 << 24)
        writer.write(request("GET", f"{BASE}?watch=1&resourceVersion={start}", b"", "application/json"))
        events = list[tuple[str, str, int]]()
        try:
            async with asyncio.timeout(patience(SECONDS)):
                while not events or events[-1][1] != "last":
                    line = await reader.readline()
                    if not line:
                        raise Finding(f"with clocks {self.skews}, a watch ended after {events}")
                    if line.startswith(b'{"type"'):
                        event = json.loads(line)
                        metadata = event["object"]["metadata"]
                        events.append((event["type"], metadata["name"], version_of(event["object"])))
        except TimeoutError:
            raise Finding(f"with clocks {self.skews}, a watch saw only {events}") from None
        finally:
            writer.close()
        versions = [version for _, _, version in events]
        if versions != sorted(set(versions)):
            raise Finding(f"with clocks {self.skews}, a watch saw versions {versions}")
        return events

    async def delete_namespace(self) -> None:
        """Creates a namespace at one server and deletes it at another server.

        Waits until the first server no longer returns the namespace. Raises Finding if this takes too long,
        because then no server runs the controllers.
        """
        server, other = self.random.sample(range(len(self.servers)), 2)
        namespace = f"n{self.figures['namespaces']}"
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
        await self.ask(server, "POST", "/api/v1/namespaces", body)
        await self.ask(other, "DELETE", f"/api/v1/namespaces/{namespace}")
        deadline = time.monotonic() + patience(SECONDS)
        while await self.is_there(server, f"/api/v1/namespaces/{namespace}"):
            if time.monotonic() > deadline:
                raise Finding(f"with clocks {self.skews}, nobody runs the controllers")
            await asyncio.sleep(0.05)
        self.figures["namespaces"] += 1

    async def follow_lease(self) -> None:
        """Reads the leader election Lease of the controllers repeatedly.

        Raises Finding if a server takes the Lease although its holder has renewed it recently.
        """
        holder, version, renewed = "", 0, time.monotonic()
        while self.lease_is_followed:
            code, lease = await self.answer(0, "GET", LEASE)
            if code == 200:
                now, new = time.monotonic(), lease["spec"]["holderIdentity"]
                if holder and new != holder and now - renewed < LEASE_SECONDS / 2:
                    raise Finding(f"with clocks {self.skews}, {new} took a Lease that {holder} renewed")
                if version_of(lease) != version:
                    holder, version, renewed = new, version_of(lease), now
            await asyncio.sleep(0.1)

    async def end_leader(self) -> None:
        """Stops the server that runs the controllers.

        Raises Finding if no other server takes over the controllers.
        """
        before = (await self.ask(0, "GET", LEASE))["spec"]
        [leader] = [
            number for number, server in enumerate(self.servers)
            if f"_{server.process.pid}_" in before["holderIdentity"]
        ]  # fmt: skip
        self.servers[leader].end(signal.SIGTERM)
        self.servers[leader].check_log()
        del self.servers[leader]
        await self.delete_namespace()
        after = (await self.ask(0, "GET", LEASE))["spec"]
        if after["holderIdentity"] in {"", before["holderIdentity"]}:
            raise Finding(f"with clocks {self.skews}, {after} follows {before}")
        self.figures["leaders"] += 2

    async def is_there(self, server: int, target: str) -> bool:
        code, _ = await self.answer(server, "GET", target)
        return code == 200

    async def ask(self, server: int, method: str, target: str, body: Any = None) -> Any:
        """Sends a request to server `server` and returns the decoded response body.

        Raises Finding if the status code is not 200 or 201.
        """
        code, answer = await self.answer(server, method, target, body)
        if code not in {200, 201}:
            raise Finding(f"with clocks {self.skews}, {method} {target} was answered {code}: {answer}")
        return answer

    async def answer(self, server: int, method: str, target: str, body: Any = None) -> tuple[int, Any]:
        """Sends a request to server `server`; returns the status code and the decoded response body."""
        client = Client(self.servers[server].port)
        media = "merge-patch+json" if method == "PATCH" else "json"
        try:
            return await client.ask(method, target, body, media)
        finally:
            client.close()
