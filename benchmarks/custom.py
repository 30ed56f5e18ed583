"""Measures requests for custom resources with a large schema, on kube-apiserver and on fakeapi in turn."""

import asyncio
import time
from collections.abc import Sequence
from typing import Any

from benchmarks.claims import APPLY, Make, encoded, merge_patch
from benchmarks.definitions import definition
from benchmarks.load import Server, ask, checked, request
from benchmarks.tables import compared
from benchmarks.verbs import CONNECTIONS, always, in_turn

TIMES = 1.5
LISTED = 400
SERVED_SECONDS = 60.0
GROUPS = 5
"""The number of lists in the spec of each object. The schema has ten times as many."""

_DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_DEFINITION = definition("Wide")
_OBJECTS = "/apis/bench.example.com/v1/namespaces/default/wides"


async def bench_custom(pair: Sequence[Server], count: int) -> None:
    """Prints a row for each verb. `pair`: the other server and fakeapi. `count`: the number of requests."""
    for server in pair:
        await _define(server)
    try:
        for server in pair:
            await checked(server, _creates("s"), 2 * count, CONNECTIONS)
        for name, make in _verbs(count).items():
            theirs, ours = await in_turn(pair, make, count, connections=0)
            compared(f"custom resource: {name}", "ms", theirs.p50 * 1000, ours.p50 * 1000, TIMES)
        theirs, ours = await in_turn(pair, _creates("m"), count, alone=False)
        name = f"custom resource: create, {CONNECTIONS} connections"
        compared(name, "per s", theirs.rate, ours.rate, TIMES)
        listing = always(request("GET", f"{_OBJECTS}?limit={LISTED}"))
        theirs, ours = await in_turn(pair, listing, 50, connections=0)
        name = f"custom resource: list of {LISTED}"
        compared(name, "ms", theirs.p50 * 1000, ours.p50 * 1000, TIMES)
    finally:
        for server in pair:
            await ask(server, request("DELETE", f"{_DEFINITIONS}/{_DEFINITION['metadata']['name']}"))


async def _define(server: Server) -> None:
    """Creates the definition, and waits until the server serves its objects."""
    answer = await ask(server, request("POST", _DEFINITIONS, encoded(_DEFINITION)))
    assert answer.status == 201, answer.body[:300]
    end = time.monotonic() + SERVED_SECONDS
    while (await ask(server, request("GET", _OBJECTS))).status != 200:
        assert time.monotonic() < end, "the objects of the definition are not served"
        await asyncio.sleep(0.1)


def _object(name: str, **labels: str) -> dict[str, Any]:
    fields = {f"field{number}": f"value-{number}" for number in range(11)}
    items = [{**fields, "mode": "B", "inner": fields} for _ in range(2)]
    return {
        "apiVersion": "bench.example.com/v1",
        "kind": "Wide",
        "metadata": {"name": name, "labels": {"app": "bench", **labels}},
        "spec": {f"group{number}": items for number in range(GROUPS)},
    }


def _creates(prefix: str) -> Make:
    return lambda number: request("POST", _OBJECTS, encoded(_object(f"{prefix}{number}")))


def _verbs(count: int) -> dict[str, Make]:
    def apply(number: int) -> bytes:
        target = f"{_OBJECTS}/s{number}?fieldManager=bench&force=true"
        return request("PATCH", target, encoded(_object(f"s{number}", applied=str(number))), APPLY)

    return {
        "get": lambda n: request("GET", f"{_OBJECTS}/s{n % count}"),
        "create": _creates("c"),
        "merge patch": lambda n: merge_patch(f"{_OBJECTS}/s{n}", n),
        "apply": apply,
    }
