"""Sessions that are recorded for tests, and changed so that a replay finds something."""

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
    found = claim("")
    found["metadata"] = {"generateName": prefix}
    return found


def play(api: FakeAPI) -> None:
    """Creates (with generated names too), conflicts, patches by uid, lists, watches and deletes."""
    with Watch(api.url) as watch:
        for number in range(NAMES):
            made = api.create(claim(f"c{number}"))
            named = api.create(generated("g-"))
            made["metadata"]["labels"] = {"owner": named["metadata"]["uid"]}
            made["metadata"]["finalizers"] = ["example.com/held"]
            api.update(made)
            with contextlib.suppress(StatusError):  # 409, and recorded as such
                api.update(made)
            patch = {"metadata": {"annotations": {"of": named["metadata"]["name"]}}}
            api.patch("ResourceClaim", named["metadata"]["name"], patch)
            api.delete("ResourceClaim", f"c{number}")
            held = api.get("ResourceClaim", f"c{number}")
            held["metadata"]["finalizers"] = []
            api.update(held)
            api.delete("ResourceClaim", named["metadata"]["name"], options={"preconditions": _of(named)})
        api.request("GET", f"{CLAIMS}?resourceVersion={made['metadata']['resourceVersion']}")
        for _ in range(7 * NAMES):
            watch.line()


def _of(obj: dict[str, Any]) -> dict[str, str]:
    return {"uid": obj["metadata"]["uid"]}


def record(path: Path, session: Callable[[FakeAPI], None] = play, release: str = RELEASE) -> Path:
    """A trace of a session with a server of its own."""
    with FakeAPI(release=release) as api:
        api.start_recording(path)
        session(api)
        return api.stop_recording()


def changed(source: Path, target: Path, change: Callable[[Exchange], Exchange | None]) -> Path:
    """A trace in which each exchange is what the function makes of it; None leaves it out."""
    with open_trace(source) as reader, TraceWriter(target, reader.header) as writer:
        for exchange in reader:
            kept = change(exchange)
            if kept is not None:
                writer.append(kept)
    return target


def with_answer(exchange: Exchange, change: Callable[[Any], None]) -> Exchange:
    """The exchange with its recorded answer changed in place."""
    assert exchange.response is not None
    value = json.loads(exchange.response.body)
    change(value)
    body = json.dumps(value, separators=(",", ":")).encode()
    return replace(exchange, response=replace(exchange.response, body=body))


def method(exchange: Exchange) -> str:
    return exchange.request.method
