"""Histories of clients are linearizable when three servers share a PostgreSQL database.

The part kills servers and PostgreSQL with SIGKILL, or pauses and resumes them with SIGSTOP and SIGCONT. In
one of four histories it pauses one server for a minute, and kills or pauses the other servers meanwhile. The
part `linearizable` has the checker. Watchers move from server to server, and must see every event once.
"""

import asyncio
import contextlib
import http.client
import json
import signal
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
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
"""Number of requests that each client sends in a history."""

FAULTS = 3
"""Number of faults in each history, such as a killed server."""

PAUSED_SECONDS = 2.0
LONG_PAUSE_SECONDS = 60.0
LONG_PAUSE_EVERY = 4
"""Every LONG_PAUSE_EVERY-th history has a pause of a minute."""

FAULTS_IN_LONG_PAUSE = 6
THINKING_SECONDS = 1.0
"""Maximum seconds between two operations of a client, in a history with a pause of a minute."""

SET_ASIDE_SECONDS = 3.0
"""Seconds that a client waits for a response before it continues with its next operation."""

PAUSED_WEIGHT = 0.1
"""The weight of the server that is paused for a minute, when a client chooses a random server.

Other servers have the weight 1. If many clients chose the paused server, its queue of new connections would
be full, and the kernel would refuse connections.
"""

PATIENT_WATCHERS = 30
"""Number of watchers that wait for their server even during the longest pause."""

NOT_STORED = "cannot be reached"
"""Text in a server's response to a write that the server did not send to the database."""

NEVER = 1 << 62
"""A number larger than every time and revision. For example, the end time of a write without a response."""

SETTLE_SECONDS = 60.0


def run(budget: Budget) -> dict[str, float]:
    if why_missing():
        raise Unavailable(why_missing())
    figures = Counter[str]()
    with tempfile.TemporaryDirectory() as place:
        program = linearizable.checker(Path(place))
        with sharing(Path(place)) as (postgresql, servers):
            for number in budget.rounds():
                is_long = number % LONG_PAUSE_EVERY == 1
                world, history = asyncio.run(history_of(postgresql, servers, budget.random, is_long=is_long))
                answer = linearizable.check(program, history)
                if answer == "illegal":
                    kept = Path(tempfile.mkdtemp(prefix="fakeapi-history-")) / "history"
                    kept.write_text("\n".join(history))
                    raise Finding(f"no order of the operations explains the answers: {kept}")
                figures.update(histories=1, operations=len(history) - 1, events=world.events)
                figures.update(world.faults)
                figures.update({"undecided histories": 1} if answer == "unknown" else {})
    return dict(figures)


@contextlib.contextmanager
def sharing(directory: Path) -> Iterator[tuple[PostgreSQL, list[Server]]]:
    """Runs servers that share a PostgreSQL database, each in its own process.

    Yields the database server and the list of servers. The block may change the list. The servers in the list
    are killed at the end.
    """
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
    postgresql: PostgreSQL, servers: list[Server], chance: Random, *, is_long: bool
) -> tuple["Shared", list[str]]:
    world = Shared(postgresql, servers, chance, is_long=is_long)
    return world, await world.history()


def started(directory: Path, url: str) -> Server:
    directory.mkdir(exist_ok=True)
    return Server(directory, "--db", url, environment={"FAKEAPI_TEST_URL": url})


class Shared(World):
    """Servers with a shared database, their clients, the faults, and the history of operations."""

    def __init__(
        self, postgresql: PostgreSQL, servers: list[Server], chance: Random, *, is_long: bool
    ) -> None:
        super().__init__(servers[0].directory, chance, is_killed=True)
        self.postgresql = postgresql
        self.servers = servers
        self.events = 0
        self.faults = Counter[str]()
        self.unanswered: list[Operation] = []
        self._is_long = is_long
        self._is_troubled = True
        self._paused: int | None = None
        """The index of the server that is paused for a minute; None if no server is paused for that long."""
        self._set_aside: list[asyncio.Task[None]] = []

    async def history(self) -> list[str]:
        await self._clear()
        start = await self._revision()
        wanderers = [Wanderer(self, start, is_patient=n < PATIENT_WATCHERS) for n in range(WATCHERS)]
        watchers = [asyncio.create_task(each.watch()) for each in wanderers]
        clients = [asyncio.create_task(self.client(number)) for number in range(CLIENTS)]
        trouble = asyncio.create_task(self._trouble(clients))
        await asyncio.gather(*clients, trouble)  # an error of either ends the round
        async with self._limit("requests were not answered"):
            await asyncio.gather(*self._set_aside)
        end = self.end_revision = await self._revision()
        for each in wanderers:
            each.hurry()
        async with self._limit("watchers did not see all events"):
            seen = await asyncio.gather(*watchers)
        for other in seen:
            if other != seen[0]:
                raise Finding(f"watchers saw different events: {seen[0]} and {other}")
        if [each.revision for each in seen[0]] != [*range(start + 1, end + 1)]:
            raise Finding(f"watchers saw other events than those from {start} to {end}: {seen[0]}")
        self.events = len(seen[0]) * len(seen)
        return [str(start), *self.lines, *map(json.dumps, self._stored(seen[0]))]

    def _stored(self, events: "list[Seen]") -> Iterator[Operation]:
        """Yields the writes that got no response but were stored, according to the watch events.

        Writes have unique values, which identify their events. An event does not show which delete request
        caused it; so the first DELETED event of a name is assigned to the first unanswered delete of that
        name. Raises Finding for a DELETED event without a delete request.
        """
        by_value = {each.value: each.revision for each in events if each.type != "DELETED"}
        deletions = [each for each in map(json.loads, self.lines) if each["verb"] == "delete"]
        answered = {each["found"]["version"] for each in deletions if each["code"] == 200}
        unclaimed = [each for each in events if each.type == "DELETED" and each.revision not in answered]
        for operation in sorted(self.unanswered, key=lambda each: int(each["call"])):
            code, version = 200, by_value.get(operation["value"], 0)
            if operation["verb"] == "delete":
                seen = next((each for each in unclaimed if each.name == operation["name"]), None)
                if seen is None:
                    continue
                unclaimed.remove(seen)
                version = seen.revision
            elif operation["verb"] == "create":
                code = 201
            if version:
                written = {"version": version, "value": operation["value"]}
                yield {**operation, "code": code, "return": NEVER, "found": written}
        if unclaimed:
            raise Finding(f"nobody asked for these deletions: {unclaimed}")

    end_revision = NEVER
    """The revision at which a watcher has seen all events; NEVER until this revision is known."""

    @contextlib.asynccontextmanager
    async def _limit(self, words: str) -> AsyncIterator[None]:
        seconds = patience(SETTLE_SECONDS)
        try:
            async with asyncio.timeout(seconds):
                yield
        except TimeoutError:
            raise Finding(f"{words} within {seconds:.0f} s of the end") from None

    def server(self) -> Server:
        """Returns a random server; rarely the server that is paused for a minute."""
        weights = [PAUSED_WEIGHT if each == self._paused else 1 for each in range(len(self.servers))]
        return self.random.choices(self.servers, weights)[0]

    async def _clear(self) -> None:
        for name in NAMES:
            await self._certainly("DELETE", f"{BASE}/{name}", {200, 404})

    async def _revision(self) -> int:
        return version_of(await self._certainly("GET", BASE, {200}))

    async def _certainly(self, method: str, target: str, codes: set[int]) -> Any:
        """Repeats a request to the first server until it gets one of the status codes; returns the body.

        Ignores 503, which the server returns while it recovers. Raises Finding for any other status code,
        or if the server needs too long.
        """
        async with self._limit(f"{method} {target} was not answered well"):
            while True:
                client = Client(self.servers[0].port)
                with contextlib.suppress(Gone):
                    code, answer = await client.ask(method, target)
                    client.close()
                    if code in codes:
                        return answer
                    if code != 503:
                        raise Finding(f"{method} {target} was answered {code}: {answer}")
                await asyncio.sleep(0.1)

    async def client(self, number: int) -> None:
        seen = dict.fromkeys(NAMES, 1)
        clients: dict[int, Client] = {}
        count = 0
        while count < OPERATIONS or (self._is_long and self._is_troubled):
            operation = self._next(number, count, seen)
            port = self.server().port
            client = clients.setdefault(port, Client(port))
            answered = asyncio.create_task(self._answered(client, operation, seen))
            done, _ = await asyncio.wait([answered], timeout=SET_ASIDE_SECONDS)
            if done:
                await answered
            else:
                del clients[port]
                self._set_aside.append(asyncio.create_task(_closed_after(client, answered)))
            count += 1
            if self._is_long:
                await asyncio.sleep(self.random.random() * THINKING_SECONDS)
        for client in clients.values():
            client.close()

    async def _answered(self, client: Client, operation: Operation, seen: dict[str, int]) -> None:
        """Sends a client's operation to the server and records its result in the history.

        If a write got no response or 503 and may have been stored, adds it to `unanswered` instead. `seen`:
        the newest revision of each object that the client has received.
        """
        operation["call"] = time.monotonic_ns()
        try:
            code, answer = await self._ask(client, operation)
        except Gone:
            code, answer = 0, {}
        operation["return"] = time.monotonic_ns()
        if code == 0 or code >= 500:
            await self._note_failure(operation, code, answer)
        else:
            self._note(operation, code, answer, seen)

    async def _note_failure(self, operation: Operation, code: int, answer: Any) -> None:
        if code not in {0, 503}:
            raise Finding(f"{operation} was answered {code}: {answer}")
        is_read = operation["verb"] in {"get", "list"}
        if not (is_read or (code and NOT_STORED in answer["message"])):
            self.unanswered.append(operation)
        await asyncio.sleep(self.random.random() * 0.2)

    def _note(self, operation: Operation, code: int, answer: Any, seen: dict[str, int]) -> None:
        self.half = asyncio.get_running_loop().create_future()  # only the base class with one server uses it
        super()._note(operation, code, answer, seen)

    async def _trouble(self, clients: "list[asyncio.Task[None]]") -> None:
        if self._is_long:
            await self._pause_for_long()
        else:
            for _ in range(FAULTS):
                await asyncio.sleep(0.2 + self.random.random())
                if all(each.done() for each in clients):
                    break
                await self._fault()
        self._is_troubled = False

    async def _pause_for_long(self) -> None:
        """Pauses a server for a minute; meanwhile kills or pauses the other servers and the database."""
        self._paused = self.random.randrange(len(self.servers))
        process = self.servers[self._paused].process
        end = time.monotonic() + LONG_PAUSE_SECONDS
        process.send_signal(signal.SIGSTOP)
        try:
            for _ in range(FAULTS_IN_LONG_PAUSE):
                await asyncio.sleep(LONG_PAUSE_SECONDS / (FAULTS_IN_LONG_PAUSE + 1) * self.random.random())
                if time.monotonic() < end:
                    await self._fault()
            await asyncio.sleep(max(0.0, end - time.monotonic()))
        finally:
            process.send_signal(signal.SIGCONT)
            self._paused = None
        self.faults["pauses of a minute"] += 1
        await asyncio.sleep(PAUSED_SECONDS)  # the clients use the server again

    async def _fault(self) -> None:
        number = self.random.choice([n for n in range(len(self.servers)) if n != self._paused])
        faults: dict[str, Callable[[int], None]] = {
            "kills of a server": self._kill_server,
            "kills of PostgreSQL": self._kill_database,
            "pauses of a server": self._pause_server,
            "pauses of PostgreSQL": self._pause_database,
        }
        [kind] = self.random.choices([*faults], [3, 2, 1, 1])
        await asyncio.to_thread(faults[kind], number)
        self.faults[kind] += 1

    def _kill_server(self, number: int) -> None:
        server = self.servers[number]
        server.end(signal.SIGKILL)
        server.check_log()
        self.servers[number] = started(server.directory, server.environment["FAKEAPI_TEST_URL"])

    def _kill_database(self, number: int) -> None:
        self.postgresql.kill()
        self.postgresql.start()

    def _pause_server(self, number: int) -> None:
        process = self.servers[number].process
        process.send_signal(signal.SIGSTOP)
        time.sleep(PAUSED_SECONDS)
        process.send_signal(signal.SIGCONT)

    def _pause_database(self, number: int) -> None:
        self.postgresql.signal(signal.SIGSTOP)
        time.sleep(PAUSED_SECONDS)
        self.postgresql.signal(signal.SIGCONT)


async def _closed_after(client: Client, answered: "asyncio.Task[None]") -> None:
    await answered
    client.close()


class Seen(NamedTuple):
    """A watch event that a client received: revision, type, object name and value."""

    revision: int
    type: str
    name: str
    value: str


class Wanderer:
    """A watching client that moves to another server after a few events.

    `is_patient`: whether it waits for a paused server until the longest pause ends.
    """

    def __init__(self, world: Shared, since: int, *, is_patient: bool) -> None:
        self._world = world
        self._seen: list[Seen] = []
        self._last = since
        self._patience = LONG_PAUSE_SECONDS if is_patient else 0.0
        self._limit: asyncio.Timeout | None = None

    async def watch(self) -> list[Seen]:
        """Watches at changing servers until all events have arrived; returns the events."""
        while self._last < self._world.end_revision:
            server = self._world.server()
            with contextlib.suppress(OSError, EOFError, TimeoutError, http.client.HTTPException):
                async with asyncio.timeout(1 + self._world.random.random() + self._patience) as self._limit:
                    await self._watch_at(server.port, self._world.random.randrange(1, 30))
        return self._seen

    def hurry(self) -> None:
        """Ends the long wait of a patient watcher, because no more writes will come."""
        self._patience = 0.0
        if self._limit is not None and not self._limit.expired() and self._limit.when() is not None:
            with contextlib.suppress(RuntimeError):  # the timeout has just ended
                self._limit.reschedule(asyncio.get_running_loop().time() + 1)

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
