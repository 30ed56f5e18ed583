"""The ASGI application also runs under other servers: hypercorn and uvicorn."""

import asyncio
import json
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import hypercorn.asyncio
import hypercorn.config
import pytest
import uvicorn

from fakeapi.cluster import Cluster
from fakeapi.http.app import Application
from fakeapi.settings import Settings
from fakeapi.testing.server import FakeAPI

CLAIMS = "/apis/resource.k8s.io/v1beta1/namespaces/default/resourceclaims"
CLAIM = {
    "metadata": {"name": "gpu"},
    "spec": {"devices": {"requests": [{"name": "gpu", "deviceClassName": "gpu.example.com"}]}},
}
PATIENCE_SECONDS = 30.0


async def under_hypercorn(app: Any, listening: socket.socket, stop: asyncio.Event) -> None:
    config = hypercorn.config.Config()
    config.bind = [f"fd://{listening.detach()}"]
    config.errorlog = None
    await hypercorn.asyncio.serve(app, config, shutdown_trigger=stop.wait)


async def under_uvicorn(app: Any, listening: socket.socket, stop: asyncio.Event) -> None:
    server = uvicorn.Server(uvicorn.Config(app, lifespan="on", log_config=None))

    async def end() -> None:
        await stop.wait()
        server.should_exit = True

    ending = asyncio.create_task(end())
    await server.serve(sockets=[listening])
    await ending


Serve = Callable[[Any, socket.socket, asyncio.Event], Awaitable[None]]


@contextmanager
def served(serve: Serve, app: Application) -> Iterator[int]:
    """Runs the application with an ASGI server in a thread; yields its port.

    At the end of the block, raises the exception with which the server failed, if any.
    """
    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    failure: list[BaseException] = []
    stopping: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []
    running = threading.Event()

    async def run() -> None:
        stop = asyncio.Event()
        stopping.append((asyncio.get_running_loop(), stop))
        running.set()
        await serve(app, listening, stop)

    def target() -> None:
        try:
            asyncio.run(run())
        except BaseException as error:  # noqa: BLE001 - raised below
            failure.append(error)

    thread = threading.Thread(target=target, daemon=True)
    thread.start()
    assert running.wait(PATIENCE_SECONDS)
    try:
        yield port
    finally:
        loop, stop = stopping[0]
        loop.call_soon_threadsafe(stop.set)
        thread.join(PATIENCE_SECONDS)
    assert not thread.is_alive(), "the server did not stop"
    assert not failure, failure


@pytest.mark.parametrize("serve", [under_hypercorn, under_uvicorn])
def test_it_starts_answers_watches_and_stops_with_its_state_kept(serve: Serve, tmp_path: Path) -> None:
    database = tmp_path / "state.db"
    app = Application(Cluster(Settings(release="1.33", database=str(database))))
    with served(serve, app) as port:
        asking = HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
        watching = HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
        asking.request("GET", "/version")
        assert json.load(asking.getresponse())["gitVersion"].startswith("v1.33.")
        watching.request("GET", CLAIMS + "?watch=true")
        events = watching.getresponse()
        asking.request("POST", CLAIMS, json.dumps(CLAIM), {"Content-Type": "application/json"})
        created = asking.getresponse()
        assert created.status == 201
        made = json.load(created)
        event = json.loads(events.readline())
        assert (event["type"], event["object"]) == ("ADDED", made)
        asking.request("GET", CLAIMS + "/missing")
        missing = asking.getresponse()
        assert (missing.status, json.load(missing)["reason"]) == (404, "NotFound")
        watching.close()
        asking.close()
    with FakeAPI(release="1.33", database=database) as api:
        assert api.get("resourceclaims", "gpu")["metadata"]["uid"] == made["metadata"]["uid"]
