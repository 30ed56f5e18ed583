"""Reduces large responses to the fields that the recordings of some scenarios contain."""

from collections.abc import Callable
from typing import Any

from tests.conformance.player import Exchange, Player

GROUP = "resource.k8s.io"


def play(
    player: Player, exchanges: list[Exchange], scenario: str, compare: Callable[[int, Any, Any], None]
) -> None:
    for number, exchange in enumerate(exchanges):
        actual = player.send(exchange)
        projected = {"status": actual["status"], "body": PROJECTIONS[scenario](actual["body"], exchange)}
        recorded = {"status": exchange["answer"]["status"], "body": exchange["answer"]["body"]}
        compare(number, recorded, projected)


def _versions(body: Any, exchange: Exchange) -> Any:
    return {"kind": body["kind"], "versions": body["versions"]}


def _group(body: Any, exchange: Exchange) -> Any:
    groups = [group for group in body["groups"] if group["name"] == GROUP]
    return {"kind": body["kind"], "apiVersion": body["apiVersion"], "group": groups}


def _aggregated(body: Any, exchange: Exchange) -> Any:
    items = body.get("items", []) if isinstance(body, dict) else []
    groups = [item for item in items if item["metadata"]["name"] == GROUP]
    return {"kind": body.get("kind"), "apiVersion": body.get("apiVersion"), "group": groups}


def _index(body: Any, exchange: Exchange) -> Any:
    paths = body["paths"] if isinstance(body, dict) else {}
    return {"has": any(path.startswith(f"apis/{GROUP}/") for path in paths)}


def _shape(body: Any, exchange: Exchange) -> Any:
    if not isinstance(body, dict):
        return body
    paths = {
        path: sorted(key for key in item if key != "parameters")
        for path, item in body["paths"].items()
        if "resourceclaims" in path
    }
    schemas = {name: item for name, item in body["components"]["schemas"].items() if ".resource." in name}
    return {"paths": paths, "schemas": _bare(schemas)}


def _bare(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: _bare(item)
            for key, item in value.items()
            if not (key == "description" and isinstance(item, str))
        }
    return [_bare(item) for item in value] if isinstance(value, list) else value


PROJECTIONS: dict[str, Callable[[Any, Exchange], Any]] = {
    "discovery.legacy_version_list": _versions,
    "discovery.group_is_listed": _group,
    "discovery.aggregated": _aggregated,
    "discovery.openapi_v3_index": _index,
    "discovery.openapi_v3_shape": _shape,
}
