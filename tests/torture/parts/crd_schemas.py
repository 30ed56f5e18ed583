"""Random CustomResourceDefinitions with nested defaults do not block other clients.

The server accepts or refuses each request, and its memory stays limited.
"""

import asyncio
import tempfile
import time
from pathlib import Path
from random import Random
from typing import Any

from tests.torture.budget import Budget, Finding, patience
from tests.torture.servers import Client, Server, serving

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
GROUP = "torture.example.com"
OBJECTS = f"/apis/{GROUP}/v1/namespaces/default/things"
ANSWER_SECONDS = 5.0
"""Maximum seconds until a second client gets a response, on an idle machine."""
MEMORY_MAX = 1_500_000_000
ITEMS = (1, 10, 200, 2_000)
TEXTS = (1, 100, 50_000)


def schema(random: Random, depth: int = 3) -> dict[str, Any]:
    """Returns a random structural schema for a custom resource. `depth`: maximum depth of nesting."""
    kind = random.choice(("object", "object", "array", "string", "integer")) if depth else "string"
    if kind == "object":
        names = random.sample("abcdef", random.randint(1, 4))
        node: dict[str, Any] = {
            "type": "object",
            "properties": {name: schema(random, depth - 1) for name in names},
        }
        if random.random() < 0.5:
            node["default"] = {}
        if random.random() < 0.2:
            branches = [{"required": [random.choice(names)]} for _ in range(random.choice((1, 10, 30)))]
            node[random.choice(("anyOf", "allOf"))] = branches
        return node
    if kind == "array":
        return {"type": "array", "items": schema(random, depth - 1)}
    default = "x" * random.choice(TEXTS) if kind == "string" else random.randint(0, 9)
    return {"type": kind, **({"default": default} if random.random() < 0.7 else {})}


def value(node: dict[str, Any], random: Random, items: int) -> Any:
    """Returns a value that fits the schema `node`, in which about half of the properties are missing.

    `items`: the length of the outermost lists.
    """
    match node["type"]:
        case "object":
            present = [name for name in node["properties"] if random.random() < 0.5]
            return {name: value(node["properties"][name], random, items) for name in present}
        case "array":
            return [value(node["items"], random, 2)] * items
        case "string":
            return "s"
        case _:
            return 1


def definition(node: dict[str, Any]) -> dict[str, Any]:
    listed = {"type": "array", "items": {"type": "object", "properties": {"v": node}}}
    whole = {
        "type": "object",
        "properties": {"spec": {"type": "object", "properties": {"l": listed, "v": node}}},
    }
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": whole}}
    names = {"plural": "things", "kind": "Thing"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"things.{GROUP}"},
        "spec": {"group": GROUP, "scope": "Namespaced", "names": names, "versions": [version]},
    }


class _Other:
    """A second client. It measures the longest time that it waits for a response."""

    def __init__(self, port: int) -> None:
        self._client = Client(port)
        self.longest = 0.0

    async def ask_on(self) -> None:
        try:
            while True:
                began = time.monotonic()
                await self._client.ask("GET", "/version")
                self.longest = max(self.longest, time.monotonic() - began)
                await asyncio.sleep(0.01)
        finally:
            self._client.close()


def memory_of(server: Server) -> int:
    """Returns the peak resident memory of a server's process in bytes."""
    return server.status("VmHWM") * 1024


async def turn(client: Client, random: Random) -> int:
    """Creates a random CustomResourceDefinition and objects of its kind; returns the number of responses.

    Raises Finding if a response is neither a success nor an expected refusal.
    """
    node = schema(random)
    code, answer = await client.ask("POST", DEFINITIONS, definition(node))
    if code == 422 and ".default" in answer["message"]:
        return 1  # a branch of anyOf or allOf refuses a default
    if code != 201:
        raise Finding(f"a structural schema was answered {code}: {str(answer)[:500]}")
    answered = 1
    for number, items in enumerate(ITEMS):
        spec = {"l": [{}] * items, "v": value(node, random, items)}
        thing = {
            "apiVersion": f"{GROUP}/v1",
            "kind": "Thing",
            "metadata": {"name": f"t{number}"},
            "spec": spec,
        }
        code, answer = await client.ask("POST", OBJECTS, thing)
        answered += 1
        if code not in (201, 413, 422) and answer.get("message") != "etcdserver: request is too large":
            raise Finding(f"an object was answered {code}: {str(answer)[:500]}")
    await client.ask("DELETE", f"{DEFINITIONS}/things.{GROUP}")
    return answered


async def turns(budget: Budget, server: Server) -> dict[str, float]:
    client, other = Client(server.port), _Other(server.port)
    asking = asyncio.create_task(other.ask_on())
    figures = {"turns": 0.0, "requests": 0.0}
    try:
        for _ in budget.rounds():
            figures["turns"] += 1
            figures["requests"] += await turn(client, budget.random)
            if other.longest > patience(ANSWER_SECONDS):
                raise Finding(f"another client waited {other.longest:.1f} s")
            if memory_of(server) > MEMORY_MAX:
                raise Finding(f"the server took {memory_of(server)} bytes")
    finally:
        asking.cancel()
        await asyncio.wait([asking])
        client.close()
    return figures


def run(budget: Budget) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as place, serving(Path(place)) as server:
        figures = asyncio.run(turns(budget, server))
        server.check_log()
        return figures
