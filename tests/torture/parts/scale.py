"""Histories of clients of three servers that share a PostgreSQL, checked for linearizability.

In each, servers and PostgreSQL are killed with SIGKILL, or stopped for a while, and start again. The checker
is that of `linearizable`. Beside them watchers wander from server to server and see every event once.
"""

import asyncio
import contextlib
import http.client
import json
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from tests.postgresql_server import PostgreSQL, why_missing
from tests.torture.budget import Budget, Finding, Unavailable, patience
from tests.torture.parts import linearizable
from tests.torture.parts.linearizable import NAMES, Operation, World
from tests.torture.servers import BASE, Client, Gone, Server, value_of, version_of

SERVERS = 3
CLIENTS = 16
WATCHERS = 100
OPERATIONS = 40
"""Of each client in a history."""

FAULTS = 3
"""In each history."""

STOPPED_SECONDS = 2.0
NOT_STORED = "cannot be reached"
"""In the answer to a write that was not sent to the database."""

NEVER = 1 << 62
"""The end of a write with an unknown outcome."""

SETTLE_SECONDS = 60.0


def run(budget: Budget) -> dict[str, float]:
    if why_missing():
        raise Unavailable(why_missing())
    figures = dict.fromkeys(("histories", "operations", "faults", "events"), 0.0)
    undecided = 0
    with tempfile.TemporaryDirectory() as place:
        program = linearizable.checker(Path(place))
        with sharing(Path(place)) as (postgresql, servers):
            for _ in budget.rounds():
                world, history = asyncio.run(history_of(postgresql, servers, budget.random))
                answer = linearizable.check(program, history)
                if answer == "illegal":
                    kept = Path(tempfile.mkdtemp(prefix="fakeapi-history-")) / "history"
                    kept.write_text("\n".join(history))
                    raise Finding(f"no order of the operations explains the answers: {kept}")
                figures["histories"] += 1
                figures["operations"] += len(history) - 1
                figures["faults"] += world.faults
                undecided += answer == "unknown"
                figures["events"] += world.events
    return {**figures, "undecided": undecided} if undecided else figures


@contextlib.contextmanager
def sharing(directory: Path) -> Iterator[tuple[PostgreSQL, list[Server]]]:
    """Servers of one database, in processes of their own; the list may get others in their place."""
    postgresql, servers = PostgreSQL(), list[Server]()
    try:
        url = postgresql.place()
        for number in range(SERVERS):
            servers.append(started(directory / str(number), url))
        yield postgresql, servers
    finally:
        for server in servers:
            server.process.kill()
            server.process.wait()
        postgresql.stop()


async def history_of(
    postgresql: PostgreSQL, servers: list[Server], chance: Random
) -> tuple["Shared", list[str]]:
    world = Shared(postgresql, servers, chance)
    return world, await world.history()


def started(directory: Path, url: str) -> Server:
    directory.mkdir(exist_ok=True)
    return Server(directory, "--db", url, environment={"FAKEAPI_TEST_URL": url})


class Shared(World):
    """The servers, the clients that ask them at random, what befalls them, and the history."""

    def __init__(self, postgresql: PostgreSQL, servers: list[Server], chance: Random) -> None:
        super().__init__(servers[0].directory, chance, is_killed=True)
        self.postgresql = postgresql
        self.servers = servers
        self.faults = self.events = 0
        self.unanswered: list[Operation] = []

    async def history(self) -> list[str]:
        await self._clear()
        start = await self._revision()
        watchers = [asyncio.create_task(Wanderer(self, start).watch()) for _ in range(WATCHERS)]
        clients = [asyncio.create_task(self.client(number)) for number in range(CLIENTS)]
        trouble = asyncio.create_task(self._trouble(clients))
        await asyncio.gather(*clients)
        await trouble
        end = await self._revision()
        seen = await self._seen_by(watchers, end)
        for other in seen:
            if other != seen[0]:
                raise Finding(f"watchers saw different events: {seen[0]} and {other}")
        if [each.revision for each in seen[0]] != [*range(start + 1, end + 1)]:
            raise Finding(f"watchers saw other events than those from {start} to {end}: {seen[0]}")
        self.events = len(seen[0]) * len(seen)
        return [str(start), *self.lines, *map(json.dumps, self._stored(seen[0]))]

    def _stored(self, events: "list[Seen]") -> Iterator[Operation]:
        """The writes without an answer that were stored, as every watcher saw them.

        No two writes have one value. Which of several deletions was stored is left to the checker.
        """
        by_value = {each.value: each.revision for each in events if each.type != "DELETED"}
        answered = {json.loads(line).get("found", {}).get("version") for line in self.lines}
        deleted = {each.name for each in events if each.type == "DELETED" and each.revision not in answered}
        for operation in self.unanswered:
            version = by_value.get(operation["value"], 0)
            if operation["verb"] == "delete":
                if operation["name"] in deleted:
                    yield {**operation, "code": 0, "return": NEVER}
            elif version:
                found = {"version": version, "value": operation["value"]}
                code = 201 if operation["verb"] == "create" else 200
                yield {**operation, "code": code, "return": NEVER, "found": found}

    async def _seen_by(self, watchers: "list[asyncio.Task[list[Seen]]]", end: int) -> "list[list[Seen]]":
        self.end_revision = end
        async with asyncio.timeout(patience(SETTLE_SECONDS)):
            return await asyncio.gather(*watchers)

    end_revision = NEVER
    """The revision with which a watcher has seen everything, once that is known."""

    async def _clear(self) -> None:
        client = Client(self.servers[0].port)
        for name in NAMES:
            code, _ = await client.ask("DELETE", f"{BASE}/{name}")
            assert code in {200, 404}
        client.close()

    async def _revision(self) -> int:
        client = Client(self.servers[0].port)
        _, answer = await client.ask("GET", BASE)
        client.close()
        return version_of(answer)

    async def client(self, number: int) -> None:
        seen = dict.fromkeys(NAMES, 1)
        clients: dict[int, Client] = {}
        for count in range(OPERATIONS):
            operation = self._next(number, count, seen)
            port = self.random.choice(self.servers).port
            client = clients.setdefault(port, Client(port))
            operation["call"] = time.monotonic_ns()
            try:
                async with asyncio.timeout(patience(SETTLE_SECONDS)):
                    code, answer = await self._ask(client, operation)
            except Gone:
                code, answer = 0, {}
            operation["return"] = time.monotonic_ns()
            if code == 0 or code >= 500:
                await self._note_failure(operation, code, answer)
            else:
                self._note(operation, code, answer, seen)
        for client in clients.values():
            client.close()

    async def _note_failure(self, operation: Operation, code: int, answer: Any) -> None:
        if code not in {0, 503}:
            raise Finding(f"{operation} was answered {code}: {answer}")
        is_read = operation["verb"] in {"get", "list"}
        if not (is_read or (code and NOT_STORED in answer["message"])):
            self.unanswered.append(operation)
        await asyncio.sleep(self.random.random() * 0.2)

    def _note(self, operation: Operation, code: int, answer: Any, seen: dict[str, int]) -> None:
        self.half = asyncio.get_running_loop().create_future()  # of the world of one server
        super()._note(operation, code, answer, seen)

    async def _trouble(self, clients: "list[asyncio.Task[None]]") -> None:
        for _ in range(FAULTS):
            await asyncio.sleep(0.2 + self.random.random())
            if all(each.done() for each in clients):
                return
            number = self.random.randrange(len(self.servers))
            happens: Callable[[int], None] = self.random.choice(
                [self._kill_server, self._kill_server, self._kill_database, self._stop_server]
            )
            await asyncio.to_thread(happens, number)
            self.faults += 1

    def _kill_server(self, number: int) -> None:
        server = self.servers[number]
        server.end(signal.SIGKILL)
        server.check_log()
        self.servers[number] = started(server.directory, server.environment["FAKEAPI_TEST_URL"])

    def _kill_database(self, number: int) -> None:
        self.postgresql.kill()
        self.postgresql.start()

    def _stop_server(self, number: int) -> None:
        process = self.servers[number].process
        process.send_signal(signal.SIGSTOP)
        time.sleep(STOPPED_SECONDS)
        process.send_signal(signal.SIGCONT)


class Seen(NamedTuple):
    """An event as a watcher sees it."""

    revision: int
    type: str
    name: str
    value: str


class Wanderer:
    """A watcher that goes on at another server after each few events."""

    def __init__(self, world: Shared, since: int) -> None:
        self._world = world
        self._seen: list[Seen] = []
        self._last = since

    async def watch(self) -> list[Seen]:
        """The events, once all are there."""
        while self._last < self._world.end_revision:
            server = self._world.random.choice(self._world.servers)
            with contextlib.suppress(OSError, EOFError, TimeoutError, http.client.HTTPException):
                async with asyncio.timeout(1 + self._world.random.random()):
                    await self._watch_at(server.port, self._world.random.randrange(1, 30))
        return self._seen

    async def _watch_at(self, port: int, count: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            target = f"{BASE}?watch=1&resourceVersion={self._last}"
            writer.write(f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
            if b" 200 " not in await reader.readline():
                await asyncio.sleep(0.1)
                return
            while await reader.readline() not in {b"\r\n", b""}:
                pass
            while count and (line := await reader.readline()):
                if line.startswith(b"{"):
                    self._take(json.loads(line))
                    count -= 1
        finally:
            writer.close()

    def _take(self, event: dict[str, Any]) -> None:
        if event["type"] == "ERROR":
            raise Finding(f"a watch from {self._last} ended: {event['object']}")
        self._last = version_of(event["object"])
        name = event["object"]["metadata"]["name"]
        self._seen.append(Seen(self._last, event["type"], name, value_of(event["object"])))
