"""Runs clients that update one object at the same time, and clients that watch the object. Also a script:

python -m tests.conformance.contention --clients 32 --increments 10000 [--database FILE] [--url URL]
"""

import argparse
import asyncio
import json
import time
from collections.abc import AsyncGenerator
from contextlib import ExitStack, aclosing
from dataclasses import dataclass
from typing import Any

import aiohttp

from fakeapi.machinery.json_types import Object
from fakeapi.testing.server import FakeAPI

CLAIMS = "/apis/resource.k8s.io/v1alpha3/namespaces/default/resourceclaims"
COUNTER = "counter"
JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Fight:
    """The result of concurrent increments by `fight`.

    - `versions`: for each client, the resourceVersions of its successful writes
    - `conflicts`: the number of responses with 409
    - `seen`: for each watching client, its events as (type, resourceVersion, counter)
    - `counter`: the final value of the counter
    - `seconds`: the duration of all writes together
    """

    versions: list[list[int]]
    conflicts: int
    seen: list[list[tuple[str, int, int]]]
    counter: int
    seconds: float


def claim(name: str, **metadata: Any) -> Object:
    return {
        "apiVersion": "resource.k8s.io/v1alpha3",
        "kind": "ResourceClaim",
        "metadata": {"name": name, **metadata},
        "spec": {"devices": {"requests": [{"name": "gpu", "deviceClassName": "gpu.example.com"}]}},
    }


def session(url: str) -> aiohttp.ClientSession:
    return aiohttp.ClientSession(url, connector=aiohttp.TCPConnector(limit=0))


async def ask(
    client: aiohttp.ClientSession,
    method: str,
    path: str,
    body: Any = None,
    media_type: str = "application/json",
) -> tuple[int, Object]:
    """Sends a request; returns the status code and the decoded body."""
    data = None if body is None else json.dumps(body).encode()
    async with client.request(method, path, data=data, headers={"Content-Type": media_type}) as response:
        return response.status, json.loads(await response.read())


async def events(
    client: aiohttp.ClientSession, path: str, version: str
) -> AsyncGenerator[tuple[str, Object], None]:
    """Watches a collection from a resourceVersion; yields (type, object) of each event."""
    async with client.get(path, params={"watch": "1", "resourceVersion": version}) as response:
        assert response.status == 200
        async for line in response.content:
            event = json.loads(line)
            yield event["type"], event["object"]


def version_of(obj: Object) -> int:
    return int(obj["metadata"]["resourceVersion"])


def counter_of(obj: Object) -> int:
    return int(obj["metadata"].get("labels", {}).get(COUNTER, 0))


async def fight(url: str, *, clients: int, increments: int, watchers: int) -> Fight:
    """Runs clients that increment one counter, and clients that watch the counter; returns the result.

    - `clients`: the number of clients that write; each uses PUT and retries after 409 Conflict
    - `increments`: the number of increments of all clients together
    - `watchers`: the number of clients that watch
    """
    async with session(url) as client:
        code, created = await ask(client, "POST", CLAIMS, claim("counted", labels={COUNTER: "0"}))
        assert code == 201, created
        began = time.perf_counter()
        looking_on = [
            asyncio.create_task(_look_on(client, str(version_of(created)), increments))
            for _ in range(watchers)
        ]
        shares = [increments // clients + (number < increments % clients) for number in range(clients)]
        results = await asyncio.gather(*(_increment(client, share) for share in shares))
        seen = await asyncio.gather(*looking_on)
        seconds = time.perf_counter() - began
        _, final = await ask(client, "GET", f"{CLAIMS}/counted")
    versions, conflicts = [versions for versions, _ in results], sum(conflicts for _, conflicts in results)
    return Fight(versions, conflicts, seen, counter_of(final), seconds)


async def _increment(client: aiohttp.ClientSession, times: int) -> tuple[list[int], int]:
    versions: list[int] = []
    conflicts = 0
    _, obj = await ask(client, "GET", f"{CLAIMS}/counted")
    while len(versions) < times:
        obj["metadata"]["labels"][COUNTER] = str(counter_of(obj) + 1)
        code, answer = await ask(client, "PUT", f"{CLAIMS}/counted", obj)
        if code == 200:
            versions.append(version_of(answer))
            obj = answer
        else:
            assert (code, answer["reason"]) == (409, "Conflict"), answer
            conflicts += 1
            _, obj = await ask(client, "GET", f"{CLAIMS}/counted")
    return versions, conflicts


async def _look_on(client: aiohttp.ClientSession, version: str, last: int) -> list[tuple[str, int, int]]:
    """Watches the counter from a resourceVersion; returns all events up to the last increment.

    Opens a new watch if the server ends the watch because the client is slow.
    """
    seen: list[tuple[str, int, int]] = []
    while not seen or seen[-1][2] < last:
        async with aclosing(events(client, CLAIMS, version)) as stream:
            async for kind, obj in stream:
                seen.append((kind, version_of(obj), counter_of(obj)))
                version = str(version_of(obj))
                if counter_of(obj) >= last:
                    break
    return seen


def check(result: Fight, increments: int) -> None:
    """Asserts that no increment was lost, and that each watching client saw every event once, in order.

    `increments`: the expected number of increments.
    """
    assert result.counter == increments
    assert all(mine == sorted(set(mine)) for mine in result.versions)
    written = sorted(version for mine in result.versions for version in mine)
    assert len(written) == len(set(written)) == increments
    expected = [("MODIFIED", version, number) for number, version in enumerate(written, 1)]
    assert all(seen == expected for seen in result.seen)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--increments", type=int, default=10_000, help="in all")
    parser.add_argument("--watchers", type=int, default=4)
    parser.add_argument("--database")
    parser.add_argument("--url", help="a server that runs already, instead of one of its own")
    options = parser.parse_args()
    with ExitStack() as stack:
        url = options.url or stack.enter_context(FakeAPI(release="1.31", database=options.database)).url
        result = asyncio.run(
            fight(url, clients=options.clients, increments=options.increments, watchers=options.watchers)
        )
    check(result, options.increments)
    print(  # noqa: T201 - the script part
        f"{options.increments} increments by {options.clients} clients in {result.seconds:.1f} s: none lost, "
        f"{result.conflicts} conflicts, {options.watchers} watchers saw each event once and in order"
    )


if __name__ == "__main__":
    main()
