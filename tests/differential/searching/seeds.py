"""Objects and updates from which the search for error messages starts, in addition to `bases`."""

import gzip
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

FIXTURES = Path(__file__).parents[3] / "fixtures"
RECORDED = ("traces/conformance/world-1.36.jsonl.gz", "traces/conformance/1.37.jsonl.gz")
SAMPLES = ("kinds-*", "resource-1.37*", "lifecycle-1.37", "pods-1.37", "declared-1.37")


class Seed(NamedTuple):
    """An object, or an update of an object.

    - `fields`: the fields of the object.
    - `changes`: a merge patch for an update; None for a create.
    - `part`: the subresource of the update; "" for the object itself.
    """

    group: str
    resource: str
    fields: Mapping[str, Any]
    changes: Mapping[str, Any] | None = None
    part: str = ""


def read_seeds(path: Path = FIXTURES / "messages" / "seeds.jsonl") -> list[Seed]:
    """Returns the seeds in a file with one seed in each line."""
    return [Seed(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


SUBRESOURCE_OF_OPERATION = {
    "status": "status",
    "ephemeralcontainers": "ephemeralcontainers",
    "resize": "resize",
}
"""The subresource that a sample of `pods-*` updates; the other operations update the pod itself."""


@cache
def _updates() -> Mapping[tuple[str, str], list[tuple[str, dict[str, Any], dict[str, Any]]]]:
    """Returns the sampled updates by kind: one for each different reason and field of an error."""
    updates: dict[tuple[str, str], list[tuple[str, dict[str, Any], dict[str, Any]]]] = defaultdict(list)
    shown: set[tuple[str, ...]] = set()
    for sample in _samples():
        old, new = sample.get("old"), sample.get("new")
        if not (isinstance(old, dict) and isinstance(new, dict) and "kind" in new):
            continue
        kind = str(new["apiVersion"]), str(new["kind"])
        part = sample.get("subresource") or SUBRESOURCE_OF_OPERATION.get(sample.get("op", ""), "")
        errors = {(*kind, part, reason, field, body[-40:]) for reason, field, body in sample["errors"] or ()}
        if errors - shown:
            shown |= errors
            updates[kind].append((part, old, new))
    return updates


def recorded_updates(api_version: str, kind: str) -> list[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Returns sampled updates of a kind: (subresource, old object, new object)."""
    return _updates().get((api_version, kind), [])


def _samples() -> Iterator[dict[str, Any]]:
    for pattern in SAMPLES:
        for path in sorted((FIXTURES / "validation").glob(f"{pattern}.jsonl.gz")):
            yield from map(json.loads, gzip.decompress(path.read_bytes()).splitlines())


@cache
def _recorded() -> Mapping[tuple[str, str], list[dict[str, Any]]]:
    objects: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for name in RECORDED:
        for line in gzip.decompress((FIXTURES / name).read_bytes()).splitlines():
            for exchange in json.loads(line).get("exchanges", ()):
                _add(objects, exchange.get("body"))
    for sample in _samples():
        _add(objects, sample.get("new"))
    return objects


def _add(objects: dict[tuple[str, str], list[dict[str, Any]]], body: Any) -> None:
    if isinstance(body, dict) and isinstance(body.get("metadata"), dict) and "kind" in body:
        objects[str(body.get("apiVersion")), str(body["kind"])].append(body)


def recorded_objects(api_version: str, kind: str) -> list[dict[str, Any]]:
    """Returns the objects of a kind in the recordings and samples below `fixtures`."""
    return _recorded().get((api_version, kind), [])
