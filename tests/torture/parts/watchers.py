"""Watchers that connect and leave while objects change see every event exactly once, in order.

All writes are to one collection, so the resourceVersions of its events have no gaps. A watcher notices a
lost, repeated or misplaced event at once. The server must free the resources of watchers that have left.
"""

import asyncio
import json
import tempfile
import time
from collections.abc import AsyncGenerator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from benchmarks.load import Connection, request
from tests.torture.budget import Budget, Finding, patience
from tests.torture.servers import BASE, Client, Server, claim, serving, version_of

WRITERS = 3
NAMES = 5
WATCHERS = 12
EVENTS_MAX = 400
"""Maximum number of events that a watcher reads before it leaves, sometimes in the middle of an event."""

SETTLE_SECONDS = 60.0
"""Maximum seconds until a server closes the connections of clients that have left."""

ROUND_SECONDS = 15.0

WARM_ROUNDS = 4
"""Number of rounds after which the server's watch history is full."""

GROWTH_MEGABYTES = 60
"""Maximum growth in MB, after WARM_ROUNDS rounds, of the server's memory and of its database files."""

GROWTH_THREADS = 4


def run(budget: Budget) -> dict[str, float]:
    rounds = 0
    warm = now = Size(0, 0, 0)
    totals: dict[str, float] = {"events": 0, "watches": 0}
    with (
        tempfile.TemporaryDirectory() as place,
        serving(Path(place), "--release", "1.33", "--db", f"{place}/db") as server,
    ):
        crowd = Crowd(server, budget.random)
        asyncio.run(crowd.work(0.5))  # Then the server has opened all permanent files.
        before = descriptors(server)
        for _ in budget.rounds():
            crowd = Crowd(server, budget.random)
            asyncio.run(crowd.work(min(ROUND_SECONDS, max(1.0, budget.left))))
            rounds += 1
            totals["events"] += crowd.events
            totals["watches"] += crowd.watches
            wait_until_left(server, before)
            now = size_of(server)
            if rounds == WARM_ROUNDS:
                warm = now
            if rounds > WARM_ROUNDS and now.is_beyond(warm):
                raise Finding(f"{now} after {rounds} rounds, {warm} after {WARM_ROUNDS}")
        open_at_end = descriptors(server)
        server.check_log()
    sizes = {"MB resident": now.megabytes, "threads": now.threads, "MB of database": now.database}
    early = (
        {"MB resident early": warm.megabytes, "MB of database early": warm.database} if warm.threads else {}
    )
    return {"rounds": rounds, **totals, **sizes, **early, "descriptors": open_at_end}


class Size(NamedTuple):
    """Memory and database size of a server in MB, rounded up, and the number of its threads."""

    megabytes: int
    database: int
    threads: int

    def is_beyond(self, earlier: "Size") -> bool:
        grown = max(self.megabytes - earlier.megabytes, self.database - earlier.database)
        return grown > GROWTH_MEGABYTES or self.threads > earlier.threads + GROWTH_THREADS


class Crowd:
    """Runs writers of claims, and watchers of these claims, for some seconds."""

    def __init__(self, server: Server, chance: Random) -> None:
        self.port = server.port
        self.random = chance
        self.end = 0.0
        self.events = self.watches = 0
        self.seen: dict[int, tuple[str, str]] = {}

    async def work(self, seconds: float) -> None:
        self.end = time.monotonic() + seconds
        writers = [asyncio.create_task(self._write(number)) for number in range(WRITERS)]
        await asyncio.gather(*writers, *(self._follow() for _ in range(WATCHERS)))

    async def _write(self, number: int) -> None:
        client, count = Client(self.port), 0
        while time.monotonic() < self.end:
            count += 1
            name = f"w{number}-{self.random.randrange(NAMES)}"
            patch = {"metadata": {"annotations": {"v": f"{number}.{count}"}}}
            code, answer = await client.ask("PATCH", f"{BASE}/{name}", patch, "merge-patch+json")
            if code == 404:
                code, answer = await client.ask("POST", BASE, claim(name, f"{number}.{count}"))
            elif self.random.random() < 0.1:
                code, answer = await client.ask("DELETE", f"{BASE}/{name}")
            if code >= 300:
                raise Finding(f"a write was answered {code}: {answer}")
        client.close()

    async def _follow(self) -> None:
        """Watches claims repeatedly until the round ends.

        Each watch starts at the resourceVersion of the last event.
        """
        client = Client(self.port)
        _, listing = await client.ask("GET", BASE)
        client.close()
        version = version_of(listing)
        while time.monotonic() < self.end:
            version = await self._watch(version, self.random.randint(1, EVENTS_MAX))
            self.watches += 1

    async def _watch(self, version: int, count: int) -> int:
        """Watches from resourceVersion `version` until the end of the round, or until it has `count` events.

        Returns the resourceVersion of the last event, or `version` if no event arrived.
        """
        connection = await Connection.open(self.port)
        target = f"{BASE}?watch=1&resourceVersion={version}&timeoutSeconds=60"
        lines = connection.lines(request("GET", target))
        try:
            async with asyncio.timeout(max(0.01, self.end - time.monotonic())):
                async for line in lines:
                    for event in map(json.loads, line.splitlines()):
                        version = self._check(event, version)
                        self.events += 1
                        count -= 1
                    if count <= 0:
                        break
        except TimeoutError:
            pass
        finally:
            assert isinstance(lines, AsyncGenerator)
            await lines.aclose()
            connection.close()
        return version

    def _check(self, event: dict[str, Any], version: int) -> int:
        """Checks an event that follows the event with resourceVersion `version`; returns its resourceVersion.

        Raises Finding for an ERROR event, if the resourceVersion is not `version` + 1, or if another watcher
        got a different event with this resourceVersion.
        """
        if event["type"] == "ERROR":
            raise Finding(f"a watch from version {version} ended with {event}")
        obj = event["object"]
        number = version_of(obj)
        if number != version + 1:
            raise Finding(f"after version {version} a watcher saw {number}")
        content = (event["type"], obj["metadata"]["name"])
        if self.seen.setdefault(number, content) != content:
            raise Finding(f"version {number} is {self.seen[number]} for one watcher, {content} for another")
        return number


def descriptors(server: Server) -> int:
    return len([*Path(f"/proc/{server.process.pid}/fd").iterdir()])


def wait_until_left(server: Server, before: int) -> None:
    """Waits until the server has at most `before` open file descriptors.

    Raises Finding after SETTLE_SECONDS, or longer on a slow machine.
    """
    deadline = time.monotonic() + patience(SETTLE_SECONDS)
    while descriptors(server) > before:
        if time.monotonic() > deadline:
            raise Finding(f"{descriptors(server)} descriptors are open, {before} before the clients came")
        time.sleep(0.05)


def size_of(server: Server) -> Size:
    kilobytes, threads = server.status("VmRSS"), server.status("Threads")
    files = sum(path.stat().st_size for path in server.directory.glob("db*"))
    return Size(-(-kilobytes // 1024), -(-files // 1_000_000), threads)
