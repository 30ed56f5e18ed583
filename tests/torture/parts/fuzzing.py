"""The server responds to every random request without an unexpected error.

Afterwards the part writes every stored object back twice. The second write must not change the object.
"""

import asyncio
import json
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import quote

from benchmarks.load import Answer, Connection
from fakeapi.releases import KNOWN_RELEASES, Kind
from fakeapi.releases.serving import served
from tests.torture.budget import Budget, Finding, patience
from tests.torture.grammar import Grammar
from tests.torture.servers import Server, serving

ANSWER_SECONDS = 30.0
REQUESTS_OF_A_ROUND = 400
NAMES = ("a", "b", "gpu")
UNEXPECTED = b"unexpected error"


class Session:
    """A connection to a server of one Kubernetes release. Sends random requests over it."""

    def __init__(self, server: Server, release: str, budget: Budget) -> None:
        self.server = server
        self.grammar = Grammar(budget.random)
        self.random = budget.random
        kinds = (kind for version in served(release).versions for kind in version.kinds)
        self.kinds = [kind for kind in kinds if {"list", "update"} <= set(kind.verbs)]
        self.asked = self.accepted = 0
        self._connection: Connection | None = None

    async def ask(
        self, method: str, target: str, body: bytes = b"", media: str = "", headers: tuple[str, ...] = ()
    ) -> Answer:
        """Sends a request and returns the response. `media`: the media type of the body.

        Raises Finding if the server does not respond in time, or responds with an unexpected error.
        """
        lines = [f"{method} {target} HTTP/1.1", "Host: localhost", *headers]
        if body:
            lines += [f"Content-Type: {media}", f"Content-Length: {len(body)}"]
        data = "\r\n".join([*lines, "", ""]).encode("utf-8", "replace") + body
        try:
            if self._connection is None:
                self._connection = await Connection.open(self.server.port)
            answer = await asyncio.wait_for(self._connection.send(data), patience(ANSWER_SECONDS))
        except (OSError, EOFError, IndexError, ValueError, TimeoutError) as error:
            raise Finding(f"no answer ({error!r}) to {data[:3_000]!r}") from error
        self.asked += 1
        self.accepted += answer.status < 300
        if UNEXPECTED in answer.body:
            log = self.server.log.read_text()[-3_000:]
            raise Finding(f"an unexpected error for {data[:3_000]!r}: {log}")
        return answer

    async def step(self) -> None:
        """Sends a random request about an object of a random kind."""
        kind = self.random.choice(self.kinds)
        name = self.random.choice(NAMES)
        path, query = collection_of(kind), self.grammar.query()
        suffix = f"?{query}" if query else ""
        obj = self.grammar.obj(kind, name)
        if self.random.random() < 0.5:
            obj = self.grammar.mutated(obj)
        headers = tuple(self.grammar.headers())
        choice = self.random.random()
        if choice < 0.3:
            data, media = self.grammar.body(obj)
            await self.ask("POST", path + suffix, data, media, headers)
            return
        target = f"{path}/{name}" + self.random.choice(["", "", "", "/status", "/odd"])
        if choice < 0.5:
            stored = await self._stored(f"{path}/{name}")
            data, media = self.grammar.body(self.grammar.mutated(stored if stored is not None else obj))
            await self.ask("PUT", target + suffix, data, media, headers)
        elif choice < 0.8:
            stored = await self._stored(f"{path}/{name}")
            data, media = self.grammar.patch(obj if stored is None or self.random.random() < 0.3 else stored)
            await self.ask("PATCH", target + suffix, data, media, headers)
        elif choice < 0.9:
            await self.ask("GET", (target if self.random.random() < 0.5 else path) + suffix, headers=headers)
        elif choice < 0.98:
            await self.ask("DELETE", target + suffix, headers=headers)
        else:
            data, media = self.grammar.body({"kind": "DeleteOptions", "apiVersion": "v1", "dryRun": ["All"]})
            await self.ask("DELETE", path + suffix, data, media, headers)

    async def _stored(self, target: str) -> Any:
        answer = await self.ask("GET", target)
        return json.loads(answer.body) if answer.status == 200 else None

    async def check(self) -> None:
        """Reads every stored object and writes it back twice, because the first write may normalize it.

        Skips an object if the server refuses the first write. Raises Finding if a list fails, or if the
        second write fails or changes the object.
        """
        for kind in self.kinds:
            path = collection_of(kind)
            answer = await self.ask("GET", path)
            if answer.status != 200:
                raise Finding(f"{path} was answered {answer.status}: {answer.body[:500]!r}")
            for item in json.loads(answer.body)["items"]:
                target = f"{path}/{quote(item['metadata']['name'], safe='')}"
                body = (await self.ask("GET", target)).body
                again = await self.ask("PUT", target, body, "application/json")
                if again.status != 200:
                    continue  # created under rules that updates lack
                # The first update may normalize raw JSON of drivers, which counts as a change.
                body = again.body
                again = await self.ask("PUT", target, body, "application/json")
                if again.status != 200 or version_of(again.body) != version_of(body):
                    raise Finding(f"writing back {body!r} made {again.body!r}")

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()


def version_of(body: bytes) -> str:
    return str(json.loads(body)["metadata"]["resourceVersion"])


def collection_of(kind: Kind) -> str:
    base = f"/apis/{kind.api_version}" if kind.group else f"/api/{kind.version}"
    return f"{base}/namespaces/default/{kind.resource}" if kind.namespaced else f"{base}/{kind.resource}"


async def fuzz(server: Server, release: str, budget: Budget) -> tuple[int, int]:
    session = Session(server, release, budget)
    try:
        for _ in range(REQUESTS_OF_A_ROUND):
            await session.step()
        await session.check()
    finally:
        session.close()
    return session.asked, session.accepted


def run(budget: Budget) -> dict[str, float]:
    """Sends random requests to servers of random Kubernetes releases, until the time of the budget is over.

    Returns the number of all requests and of accepted requests.
    """
    asked = accepted = 0
    for _ in budget.rounds():
        release = budget.random.choice(KNOWN_RELEASES)
        with (
            tempfile.TemporaryDirectory() as directory,
            serving(Path(directory), "--release", release) as server,
        ):
            one, other = asyncio.run(fuzz(server, release, budget))
            server.check_log()
        asked, accepted = asked + one, accepted + other
    return {"requests": asked, "accepted": accepted}
