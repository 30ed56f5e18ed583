"""Records the requests of test sessions, and changes the traces so that a replay finds differences."""

import contextlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from fakeapi import FakeAPI, StatusError
from fakeapi.traces.formats.native import TraceWriter
from fakeapi.traces.formats.open import open_trace
from fakeapi.traces.model import Exchange
from tests.traces.streams import CLAIMS, Watch, claim

RELEASE = "1.33"
NAMES = 3


def generated(prefix: str) -> dict[str, Any]:
    obj = claim("")
    obj["metadata"] = {"generateName": prefix}
    return obj


def play(api: FakeAPI) -> None:
    """Sends the requests of a session: creates, updates, a conflict, patches, lists, watches and deletes."""
    with Watch(api.url) as watch:
        for number in range(NAMES):
            created = api.create(claim(f"c{number}"))
            named = api.create(generated("g-"))
            created["metadata"]["labels"] = {"owner": named["metadata"]["uid"]}
            created["metadata"]["finalizers"] = ["example.com/held"]
            api.update(created)
            with contextlib.suppress(StatusError):  # the recorded 409
                api.update(created)
            patch = {"metadata": {"annotations": {"of": named["metadata"]["name"]}}}
            api.patch("ResourceClaim", named["metadata"]["name"], patch)
            api.delete("ResourceClaim", f"c{number}")
            stored = api.get("ResourceClaim", f"c{number}")
            stored["metadata"]["finalizers"] = []
            api.update(stored)
            api.delete("ResourceClaim", named["metadata"]["name"], options={"preconditions": _of(named)})
        api.request("GET", f"{CLAIMS}?resourceVersion={created['metadata']['resourceVersion']}")
        for _ in range(7 * NAMES):
            watch.line()


def _of(obj: dict[str, Any]) -> dict[str, str]:
    return {"uid": obj["metadata"]["uid"]}


def record(path: Path, session: Callable[[FakeAPI], None] = play, release: str = RELEASE) -> Path:
    """Records the requests of `session` to a new server of the release; returns the path of the trace."""
    with FakeAPI(release=release) as api:
        api.start_recording(path)
        session(api)
        return api.stop_recording()


def changed(source: Path, target: Path, change: Callable[[Exchange], Exchange | None]) -> Path:
    """Writes a copy of a trace in which `change` has replaced each exchange; returns the copy's path.

    If `change` returns None, the copy leaves out the exchange.
    """
    with open_trace(source) as reader, TraceWriter(target, reader.header) as writer:
        for exchange in reader:
            kept = change(exchange)
            if kept is not None:
                writer.append(kept)
    return target


def with_answer(exchange: Exchange, change: Callable[[Any], None]) -> Exchange:
    """Returns the exchange with another recorded response body.

    `change`: changes the decoded body in place.
    """
    assert exchange.response is not None
    value = json.loads(exchange.response.body)
    change(value)
    body = json.dumps(value, separators=(",", ":")).encode()
    return replace(exchange, response=replace(exchange.response, body=body))


def method(exchange: Exchange) -> str:
    return exchange.request.method
