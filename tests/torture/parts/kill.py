"""Kills and stops a server under load. Acknowledged writes survive, and resourceVersions keep growing."""

import asyncio
import signal
import tempfile
from pathlib import Path
from typing import Any

from tests.torture.budget import Budget, Finding
from tests.torture.servers import BASE, Client, Gone, Server, claim, listed, serving, value_of, version_of

WRITERS = 8
NAMES = 4
"""Number of claims of each writer. Only this writer changes them."""


class Writer:
    """A client that writes only its own claims.

    Remembers the acknowledged writes, and the last write if the server stopped before the response.
    """

    def __init__(self, number: int, budget: Budget) -> None:
        self.names = [f"w{number}-{n}" for n in range(NAMES)]
        self.random = budget.random
        self.known: dict[str, tuple[int, str]] = {}
        self.pending: tuple[str, str | None] | None = None
        self.acknowledged = 0

    async def work(self, port: int) -> None:
        """Writes claims until the server no longer responds."""
        client = Client(port)
        try:
            while True:
                await self._write(client)
        except Gone:
            pass
        finally:
            client.close()

    async def _write(self, client: Client) -> None:
        name = self.random.choice(self.names)
        value = str(self.random.getrandbits(40))
        verb = self.random.choice(["PUT", "PATCH", "DELETE"]) if name in self.known else "POST"
        self.pending = (name, None if verb == "DELETE" else value)
        if verb == "POST":
            code, answer = await client.ask(verb, BASE, claim(name, value))
        elif verb == "DELETE":
            code, answer = await client.ask(verb, f"{BASE}/{name}")
        elif verb == "PUT":
            body = claim(name, value)
            body["metadata"]["resourceVersion"] = str(self.known[name][0])
            code, answer = await client.ask(verb, f"{BASE}/{name}", body)
        else:
            patch = {"metadata": {"annotations": {"v": value}}}
            code, answer = await client.ask(verb, f"{BASE}/{name}", patch, "merge-patch+json")
        if code >= 500:
            return  # refused during the stop, so it may not be stored
        if code not in {200, 201}:
            raise Finding(f"{verb} of {name} was answered {code}: {answer.get('message')}")
        self._acknowledge(name, verb, answer)

    def _acknowledge(self, name: str, verb: str, found: dict[str, Any]) -> None:
        self.pending = None
        self.acknowledged += 1
        if verb == "DELETE":
            del self.known[name]
            return
        version = version_of(found)
        if name in self.known and version <= self.known[name][0]:
            raise Finding(f"the version of {name} went from {self.known[name][0]} to {version}")
        self.known[name] = (version, value_of(found))

    def check(self, stored: dict[str, tuple[int, str]]) -> None:
        """Compares the stored claims after a restart with the acknowledged writes.

        Raises Finding if an acknowledged write is lost. Otherwise the writer continues from the stored
        claims. `stored`: version and value of each claim by name.
        """
        for name in self.names:
            actual, expected = stored.get(name), self.known.get(name)
            if actual != expected:
                was_pending = self.pending is not None and self.pending[0] == name
                if not was_pending or (actual and actual[1]) != (self.pending or ("", None))[1]:
                    raise Finding(f"{name}: {expected} was acknowledged, {actual} is stored ({self.pending})")
            if actual is None:
                self.known.pop(name, None)
            else:
                self.known[name] = actual
        self.pending = None


def run(budget: Budget) -> dict[str, float]:
    writers = [Writer(number, budget) for number in range(WRITERS)]
    restarts = newest = 0
    with tempfile.TemporaryDirectory() as place:
        directory = Path(place)
        for _ in budget.rounds():
            durability = budget.random.choice(["normal", "full"])
            with serving(directory, "--db", str(directory / "db"), "--durability", durability) as server:
                stored = listed(server)
                for writer in writers:
                    writer.check(stored)
                newest = check_versions(writers, newest)
                number = budget.random.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM])
                asyncio.run(load(server, writers, budget.random.uniform(0.05, 1.0), number))
                server.check_log()
                restarts += 1
    return {"restarts": restarts, "acknowledged writes": sum(writer.acknowledged for writer in writers)}


def check_versions(writers: list[Writer], newest: int) -> int:
    versions = [version for writer in writers for version, _ in writer.known.values()]
    if len(set(versions)) != len(versions):
        raise Finding(f"a version was given twice: {sorted(versions)}")
    return max([newest, *versions])


async def load(server: Server, writers: list[Writer], seconds: float, number: signal.Signals) -> None:
    """Runs the writers for `seconds` seconds, then stops the server with a signal.

    Returns when all writers have stopped too. `number`: the signal number.
    """
    working = [asyncio.create_task(writer.work(server.port)) for writer in writers]
    await asyncio.wait(working, timeout=seconds, return_when=asyncio.FIRST_EXCEPTION)
    await asyncio.to_thread(server.end, number)
    await asyncio.gather(*working)
