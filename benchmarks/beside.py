"""The rows of this server beside those of another one, such as kube-apiserver with etcd, in one run.

The other one is anywhere; it is asked with a bearer token, and not verified. What is made there is in a
namespace of its own, which is deleted in the end.
"""

import json
import ssl
from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from benchmarks.load import Connection, Server, Timing, drive, request

CONNECTIONS = 16
LISTED = 400
NAMESPACE = "fakeapi-bench"

Make = Callable[[int], bytes]


def server_of(url: str, token: str) -> Server:
    """The server at a URL, which speaks HTTP or HTTPS."""
    parts = urlsplit(url)
    tls = None
    if parts.scheme == "https":
        tls = ssl.create_default_context()
        tls.check_hostname, tls.verify_mode = False, ssl.CERT_NONE
    return Server(parts.port or (443 if tls else 80), parts.hostname or "127.0.0.1", tls, token)


async def measure(
    server: Server, rows: Callable[[str], dict[str, Make]], create: Callable[[str], Make], count: int
) -> dict[str, float]:
    """Milliseconds (p50), or answers per second, by row. `rows` and `create` make requests for claims at a
    path.
    """
    group = "/apis/resource.k8s.io/v1alpha3"
    claims = f"{group}/namespaces/{NAMESPACE}/resourceclaims"
    await _once(server, "POST", "/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
    found: dict[str, float] = {}
    try:
        await _checked(server, create(claims), 2 * count, CONNECTIONS)
        found["get, per s at 16"] = (await _checked(server, rows(claims)["get"], count, CONNECTIONS)).rate
        later = create(claims)
        made = await _checked(server, lambda n: later(n + 10 * count), count, CONNECTIONS)
        found["create, per s at 16"] = made.rate
        for name, make in rows(claims).items():
            found[f"{name}, p50 ms"] = (await _checked(server, make, count, 1)).percentile(0.5) * 1000
        limited = f"{claims}?limit={LISTED}"
        for name, accept in (("list of 400", "application/json"), ("list of 400 as Table", TABLE)):
            asked = request("GET", limited, accept=accept)
            timing = await _checked(server, partial(_always, asked), 50, 1)
            found[f"{name}, p50 ms"] = timing.percentile(0.5) * 1000
    finally:
        await _once(server, "DELETE", claims, {})
        await _once(server, "DELETE", f"/api/v1/namespaces/{NAMESPACE}", {})
    return found


TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"


def _always(asked: bytes, number: int) -> bytes:
    return asked


async def _checked(server: Server, make: Make, count: int, connections: int) -> Timing:
    timing = await drive(server, make, count, connections)
    assert not timing.bad, f"{timing.bad} answers were not successes: {timing.refusal}"
    return timing


async def _once(server: Server, method: str, target: str, body: Any) -> None:
    connection = await Connection.open(server)
    answer = await connection.send(request(method, target, json.dumps(body).encode()))
    connection.close()
    if answer.status >= 300 and answer.status not in (404, 409):
        raise RuntimeError(f"{answer.status} to {method} {target}: {answer.body[:300]!r}")
