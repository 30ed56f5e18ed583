"""Compares fakeapi with another server, such as kube-apiserver with etcd. Measures both servers alternately.

The other server may be on any machine. The client sends a bearer token and does not verify certificates. It
creates objects only in its own namespaces and deletes them at the end. fakeapi is limited to one core.
"""

import asyncio
import json
import os
import ssl
import statistics
from collections.abc import Awaitable, Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

from benchmarks.claims import GROUP, TABLE, Make, merge_patch, named_creates, one_object
from benchmarks.custom import bench_custom
from benchmarks.load import Server, ask, checked, request
from benchmarks.protobuf import bench_protobuf
from benchmarks.servers import fakeapi, resident
from benchmarks.tables import compared, heading
from benchmarks.verbs import CONNECTIONS, always, in_turn
from benchmarks.watching import delays

LISTING = 4
LISTED = 400
ROUNDS = 5
TIMES = 2
MEMORY_TIMES = 5
MEGABYTE = 1024 * 1024
RELEASE = "1.31"
"""The Kubernetes release that fakeapi serves in the comparison. It stores ResourceClaims in v1alpha3."""

_CLAIMS = f"{GROUP}/namespaces/fakeapi-bench/resourceclaims"
_LISTS = f"{GROUP}/namespaces/fakeapi-bench-lists/resourceclaims"

Pair = Sequence[Server]


def server_of(url: str, token: str) -> Server:
    """Returns a Server for an http or https URL; https connections do not verify certificates."""
    parts = urlsplit(url)
    tls = None
    if parts.scheme == "https":
        tls = ssl.create_default_context()
        tls.check_hostname, tls.verify_mode = False, ssl.CERT_NONE
    return Server(parts.port or (443 if tls else 80), parts.hostname or "127.0.0.1", tls, token)


async def bench_beside(url: str, token: str, pids: Sequence[int], count: int) -> None:
    """Measures fakeapi and the server at `url` alternately, and prints a table row for each measurement.

    `count`: the number of requests. `pids`: the other server's process ids, for measuring its memory; if
    empty, the memory row is left out.
    """
    theirs = server_of(url, token)
    release = await _release(theirs)
    heading(f"Beside {release}, medians of {ROUNDS} rounds in turn", release, "fakeapi", "times", "goal", "")
    with fakeapi("--release", RELEASE, cores={max(os.sched_getaffinity(0))}) as (port, pid):
        pair = theirs, Server(port)
        try:
            await _both(pair, _prepare)
            await _one_object(pair, count)
            await _lists(pair)
            await _watches(pair)
            if pids:
                memory = resident(*pids) / MEGABYTE, resident(pid) / MEGABYTE
                compared("resident after the load", "MB", *memory, MEMORY_TIMES)
            await bench_protobuf(pair, count // 3)
            await bench_custom(pair, count // 5)
        finally:
            await _both(pair, _clean)


async def _one_object(pair: Pair, count: int) -> None:
    def creates(prefix: str) -> Make:
        return named_creates(prefix, _CLAIMS)

    for server in pair:
        await checked(server, creates("s"), 2 * count, CONNECTIONS)
    for name, make in one_object(2 * count, _CLAIMS).items():
        together = CONNECTIONS if name in ("get", "create") else 0
        theirs, ours = await in_turn(pair, make, count, connections=together)
        compared(name, "ms", theirs.p50 * 1000, ours.p50 * 1000, TIMES)
        if together:
            compared(f"{name}, {CONNECTIONS} connections", "per s", theirs.rate, ours.rate, TIMES)
    one = f"{_CLAIMS}/c0"
    theirs, ours = await in_turn(pair, lambda n: merge_patch(one, n), count // 2, alone=False)
    compared(f"merge patch of one object, {CONNECTIONS} connections", "per s", theirs.rate, ours.rate, TIMES)


async def _lists(pair: Pair) -> None:
    for server in pair:
        await checked(server, named_creates("l", _LISTS), LISTED, CONNECTIONS)
    for name, accept in ((f"list of {LISTED}", "application/json"), (f"list of {LISTED} as Table", TABLE)):
        asked = always(request("GET", _LISTS, accept=accept))
        together = 0 if accept == TABLE else LISTING
        theirs, ours = await in_turn(pair, asked, 100, connections=together)
        compared(name, "ms", theirs.p50 * 1000, ours.p50 * 1000, TIMES)
        if together:
            compared(f"{name}, {LISTING} connections", "per s", theirs.rate, ours.rate, TIMES)


async def _watches(pair: Pair) -> None:
    for watchers in (1, 100):
        p50s: tuple[list[float], list[float]] = ([], [])
        for turn in range(ROUNDS):
            for which, server in enumerate(pair):
                seconds, _ = await delays(server, watchers, 20, _CLAIMS, f"w{watchers}-{turn}-")
                p50s[which].append(statistics.median(seconds) * 1000)
        name = f"write to event, {watchers} watcher{'s' if watchers > 1 else ''}"
        compared(name, "ms", statistics.median(p50s[0]), statistics.median(p50s[1]), TIMES)


async def _both(pair: Pair, work: Callable[[Server], Awaitable[None]]) -> None:
    await asyncio.gather(*map(work, pair))


def _namespaces() -> list[str]:
    return [claims.split("/")[-2] for claims in (_CLAIMS, _LISTS)]


async def _prepare(server: Server) -> None:
    for name in _namespaces():
        await _once(server, "POST", "/api/v1/namespaces", {"metadata": {"name": name}})


async def _clean(server: Server) -> None:
    for claims, name in zip((_CLAIMS, _LISTS), _namespaces(), strict=True):
        await _once(server, "DELETE", claims, {})
        await _once(server, "DELETE", f"/api/v1/namespaces/{name}", {})


async def _release(server: Server) -> str:
    version = json.loads(await _once(server, "GET", "/version"))
    return f"kube-apiserver {version['gitVersion']}"


async def _once(server: Server, method: str, target: str, body: Any = None) -> bytes:
    answer = await ask(server, request(method, target, b"" if body is None else json.dumps(body).encode()))
    if answer.status >= 300 and answer.status not in (404, 409):
        raise RuntimeError(f"{answer.status} to {method} {target}: {answer.body[:300]!r}")
    return answer.body
