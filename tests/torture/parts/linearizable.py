"""Histories of concurrent clients are linearizable, also the half in which SIGKILL interrupts the server.

A Go program checks them with porcupine; its model of the storage is in `linearizability/main.go`. The model
requires one order of writes for the whole storage: every write has the next revision, and a list has all
objects of its revision.
"""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from random import Random
from typing import Any

from tests.torture.budget import Budget, Finding, Unavailable, patience
from tests.torture.servers import BASE, Client, Gone, Server, claim, serving, value_of, version_of

CHECKER = Path(__file__).parents[1] / "linearizability"
CLIENTS = 6
NAMES = ("a", "b", "c")
OPERATIONS = 150
"""Number of requests that each client sends in a history."""

CHECK_SECONDS = 60
CHECK_BYTES = 8 << 30
BUILD_SECONDS = 120

Operation = dict[str, Any]


def run(budget: Budget) -> dict[str, float]:
    histories = operations = undecided = 0
    with tempfile.TemporaryDirectory() as place:
        program = checker(Path(place))
        for number in budget.rounds():
            directory = Path(place) / str(number)
            directory.mkdir()
            history = asyncio.run(history_of(directory, budget.random, is_killed=number % 2 == 1))
            answer = check(program, history)
            if answer == "illegal":
                kept = Path(tempfile.mkdtemp(prefix="fakeapi-history-")) / "history"
                kept.write_text("\n".join(history))
                raise Finding(f"no order of the operations explains the answers: {kept}")
            histories += 1
            operations += len(history) - 1
            undecided += answer == "unknown"
            shutil.rmtree(directory)
    figures: dict[str, float] = {"histories": histories, "operations": operations}
    return {**figures, "undecided": undecided} if undecided else figures


async def history_of(directory: Path, chance: Random, *, is_killed: bool) -> list[str]:
    return await World(directory, chance, is_killed=is_killed).history()


def checker(directory: Path) -> Path:
    """Compiles the porcupine checker and returns the program's path.

    Raises Unavailable if Go is missing or cannot build the checker.
    """
    if shutil.which("go") is None:
        raise Unavailable("Go is needed to check histories with porcupine")
    program = directory / "checker"
    try:
        done = subprocess.run(
            ["go", "build", "-o", str(program), "."],
            cwd=CHECKER, capture_output=True, text=True, check=False, timeout=patience(BUILD_SECONDS),
            env={**os.environ, "GOFLAGS": "-mod=mod", "GOWORK": "off"},
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise Unavailable("Go did not build the checker in time") from None
    if done.returncode:
        raise Unavailable(f"Go did not build the checker: {done.stderr[:500]}")
    return program


def check(program: Path, history: list[str]) -> str:
    """Checks whether a history is linearizable. `program`: the compiled checker.

    Returns "ok", "illegal", or "unknown" if the check takes too much time or memory. The first line of
    `history` is the revision before the first operation.
    """
    command = ["prlimit", f"--as={CHECK_BYTES}"] if shutil.which("prlimit") else []
    command += [str(program), f"{patience(CHECK_SECONDS):.0f}"]
    done = subprocess.run(command, input="\n".join(history), capture_output=True, text=True, check=False)
    if done.returncode == -signal.SIGKILL or "out of memory" in done.stderr:
        return "unknown"
    done.check_returncode()
    return done.stdout.strip()


class World:
    """A server, its clients, and the history of their operations."""

    def __init__(self, directory: Path, chance: Random, *, is_killed: bool) -> None:
        self.directory = directory
        self.random = chance
        self.is_killed = is_killed
        self.lines: list[str] = []
        self.up = asyncio.Event()
        self.half: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.port = 0
        self.kills = 0
        self.died = 0

    async def history(self) -> list[str]:
        options = ("--db", str(self.directory / "db"))
        with serving(self.directory, *options) as server:
            self.port = server.port
            self.up.set()
            first = Client(server.port)
            _, empty = await first.ask("GET", BASE)
            first.close()
            clients = [asyncio.create_task(self.client(number)) for number in range(CLIENTS)]
            if self.is_killed:
                await asyncio.wait([self.half, *clients], return_when=asyncio.FIRST_COMPLETED)
                await self._kill(server)
                with serving(self.directory, *options) as again:
                    self.port = again.port
                    self.up.set()
                    await asyncio.gather(*clients)
            await asyncio.gather(*clients)
        return [empty["metadata"]["resourceVersion"], *self.lines]

    async def _kill(self, server: Server) -> None:
        self.up.clear()
        self.kills += 1
        await asyncio.to_thread(server.end, self.random.choice([signal.SIGKILL, signal.SIGTERM]))
        self.died = time.monotonic_ns()

    async def client(self, number: int) -> None:
        client, kills, seen = Client(self.port), self.kills, dict.fromkeys(NAMES, 1)
        for count in range(OPERATIONS):
            operation = self._next(number, count, seen)
            operation["call"] = time.monotonic_ns()
            try:
                code, answer = await self._ask(client, operation)
            except Gone:
                code, answer = 0, {}
            operation["return"] = time.monotonic_ns()
            if code == 0 or code >= 500:
                client.close()
                if kills == self.kills:
                    raise Finding(f"{operation} was answered {code}: {answer}")
                await self.up.wait()
                client, kills = Client(self.port), self.kills
                # The server stored this write before it was killed, or the write is lost.
                operation["return"] = max(self.died, operation["call"])
                code = 0
            self._note(operation, code, answer, seen)
        client.close()

    def _next(self, number: int, count: int, seen: dict[str, int]) -> Operation:
        verbs = ["get", "list", "create", "create", "update", "update", "patch", "delete"]
        verb, name = self.random.choice(verbs), self.random.choice(NAMES)
        value = f"{number}-{count}"
        return {"client": number, "verb": verb, "name": name, "value": value, "expected": seen[name]}

    async def _ask(self, client: Client, operation: Operation) -> tuple[int, Any]:
        name, value = operation["name"], operation["value"]
        match operation["verb"]:
            case "list":
                return await client.ask("GET", BASE)
            case "get":
                return await client.ask("GET", f"{BASE}/{name}")
            case "create":
                return await client.ask("POST", BASE, claim(name, value))
            case "delete":
                return await client.ask("DELETE", f"{BASE}/{name}")
            case "patch":
                patch = {"metadata": {"annotations": {"v": value}}}
                return await client.ask("PATCH", f"{BASE}/{name}", patch, "merge-patch+json")
            case _:
                body = claim(name, value)
                body["metadata"]["resourceVersion"] = str(operation["expected"])
                return await client.ask("PUT", f"{BASE}/{name}", body)

    def _note(self, operation: Operation, code: int, answer: Any, seen: dict[str, int]) -> None:
        if code == 0 and operation["verb"] in {"get", "list"}:
            return  # the failed write changed and revealed nothing
        operation["code"] = code
        if code in {200, 201}:
            operation["found"] = {"version": version_of(answer), "value": ""}
            if operation["verb"] == "list":
                operation["listed"] = {o["metadata"]["name"]: _seen(o) for o in answer["items"]}
            elif "annotations" in answer["metadata"]:
                operation["found"] = _seen(answer)
                seen[operation["name"]] = version_of(answer)
        self.lines.append(json.dumps(operation))
        if len(self.lines) == CLIENTS * OPERATIONS // 2:
            self.half.set_result(None)


def _seen(obj: dict[str, Any]) -> dict[str, Any]:
    return {"version": version_of(obj), "value": value_of(obj)}
