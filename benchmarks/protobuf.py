"""Measures requests for Deployments in JSON and in protobuf, the form that client-go uses by default."""

from collections.abc import Sequence
from typing import Any

from benchmarks.claims import Make, encoded
from benchmarks.load import Server, checked, request
from benchmarks.tables import compared
from benchmarks.verbs import CONNECTIONS, always, in_turn
from fakeapi.http.protobuf import encode_body

JSON = "application/json"
PROTOBUF = "application/vnd.kubernetes.protobuf"
LISTED = 400
TIMES = 2
_DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"


async def bench_protobuf(pair: Sequence[Server], count: int) -> None:
    """Prints two rows for each verb.

    `pair`: the other server and fakeapi. `count`: the number of requests.
    """
    for server in pair:
        await checked(server, _creates("s", JSON), max(count, LISTED), CONNECTIONS)
    for media_type in (JSON, PROTOBUF):
        for name, make in _verbs(media_type, count).items():
            number = 100 if name.startswith("list") else count
            theirs, ours = await in_turn(pair, make, number, connections=0)
            row_name = f"Deployment in {'JSON' if media_type == JSON else 'protobuf'}: {name}"
            compared(row_name, "ms", theirs.p50 * 1000, ours.p50 * 1000, TIMES)


def _verbs(media_type: str, count: int) -> dict[str, Make]:
    prefix = "j" if media_type == JSON else "p"

    def update(number: int) -> bytes:
        body = _body(_deployment(f"s{number}", **{prefix: str(number)}), media_type)
        return request("PUT", f"{_DEPLOYMENTS}/s{number}", body, media_type, media_type)

    return {
        "get": lambda n: request("GET", f"{_DEPLOYMENTS}/s{n % count}", accept=media_type),
        "create": _creates(prefix, media_type),
        "update": update,
        f"list of {LISTED}": always(request("GET", f"{_DEPLOYMENTS}?limit={LISTED}", accept=media_type)),
    }


def _creates(prefix: str, media_type: str) -> Make:
    def make(number: int) -> bytes:
        body = _body(_deployment(f"{prefix}{number}"), media_type)
        return request("POST", _DEPLOYMENTS, body, media_type, media_type)

    return make


def _body(deployment: dict[str, Any], media_type: str) -> bytes:
    body = encoded(deployment)
    return body if media_type == JSON else encode_body(body)


def _deployment(name: str, **labels: str) -> dict[str, Any]:
    container = {
        "name": "main",
        "image": "registry.example.com/app:1",
        "env": [{"name": f"VARIABLE_{number}", "value": "x" * 20} for number in range(10)],
        "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}},
        "ports": [{"containerPort": 8080, "name": "http", "protocol": "TCP"}],
    }
    template = {"metadata": {"labels": {"app": "bench"}}, "spec": {"containers": [container]}}
    spec = {"replicas": 0, "selector": {"matchLabels": {"app": "bench"}}, "template": template}
    metadata = {"name": name, "namespace": "default", "labels": {"app": "bench", **labels}}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec}
