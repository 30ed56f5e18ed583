"""An operator written with kopf works: handlers, finalizers, status, events, peering."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from typing import Any, Self

import pytest

from fakeapi.testing.server import FakeAPI
from tests.http.watching import watch
from tests.registry.custom.world import DEFINITIONS, WIDGETS, definition, version, widget

kopf = pytest.importorskip("kopf", reason="kopf is not installed")

PEERINGS = "/apis/kopf.dev/v1/namespaces/default/kopfpeerings"
EVENTS = "/api/v1/namespaces/default/events"
SECONDS = 20
PEERING_DEFINITION = definition(
    "kopfpeerings",
    "KopfPeering",
    group="kopf.dev",
    versions=[
        {
            "name": "v1",
            "served": True,
            "storage": True,
            "schema": {
                "openAPIV3Schema": {
                    "type": "object",
                    "properties": {
                        "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
                    },
                }
            },
        }
    ],
)


def widgets() -> dict[str, Any]:
    """Defines Widgets with any fields in their status, where kopf keeps its progress."""
    open_status = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    crd_version = version(subresources={"status": {}})
    crd_version["schema"]["openAPIV3Schema"]["properties"]["status"] = open_status
    return definition(versions=[crd_version])


class Operator:
    """An operator in its own thread. `seen`: the handlers that ran; `changed` is notified of each."""

    def __init__(self, server: FakeAPI) -> None:
        self.seen: list[str] = []
        self.changed = threading.Condition()
        self._server = server
        self._registry = kopf.OperatorRegistry()
        self._stop = threading.Event()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._register()

    def _register(self) -> None:
        registry = self._registry

        def login(**_: Any) -> Any:
            return kopf.ConnectionInfo(server=self._server.url)

        def quiet(settings: Any, **_: Any) -> None:
            settings.posting.level = 20
            settings.peering.name = "default"
            settings.peering.namespaced = True

        def create(spec: Any, body: Any, patch: Any, **_: Any) -> dict[str, int]:
            patch.status["ready"] = True
            kopf.info(body, reason="Made", message="the widget is made")
            self.note("create")
            return {"size": spec["size"]}

        def update(old: Any, new: Any, **_: Any) -> None:
            self.note(f"update {old} to {new}")

        def delete(**_: Any) -> None:
            self.note("delete")

        kopf.on.login(registry=registry)(login)
        kopf.on.startup(registry=registry)(quiet)
        kopf.on.create("example.com", "v1", "widgets", id="create", registry=registry)(create)
        kopf.on.update("example.com", "v1", "widgets", id="update", field="spec.size", registry=registry)(
            update
        )
        kopf.on.delete("example.com", "v1", "widgets", id="delete", registry=registry)(delete)

    def note(self, what: str) -> None:
        with self.changed:
            self.seen.append(what)
            self.changed.notify_all()

    def wait(self, what: str) -> None:
        with self.changed:
            assert self.changed.wait_for(lambda: what in self.seen, SECONDS), f"{what!r} not in {self.seen}"

    def _run(self) -> None:
        asyncio.run(
            kopf.operator(
                registry=self._registry,
                namespaces=["default"],
                standalone=False,
                peering_name="default",
                stop_flag=self._stop,
                ready_flag=self._ready,
            )
        )

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(SECONDS)
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(SECONDS)


@pytest.fixture
def server() -> Iterator[FakeAPI]:
    with FakeAPI(release="1.33") as made:
        made.request("POST", DEFINITIONS, PEERING_DEFINITION)
        peering = {"apiVersion": "kopf.dev/v1", "kind": "KopfPeering", "metadata": {"name": "default"}}
        made.request("POST", PEERINGS, peering)
        made.request("POST", DEFINITIONS, widgets())
        yield made


def until(server: FakeAPI, path: str, wanted: Callable[[Any], bool]) -> Any:
    """Returns the first event of a watch for which `wanted` is true."""
    with watch(server.url, "resourceVersion=0", path=path) as stream:
        while not wanted(event := stream.next()):
            pass
    return event


@pytest.mark.timeout(120)
def test_an_operator_creates_updates_and_deletes(server: FakeAPI) -> None:
    with Operator(server) as operator:
        server.request("POST", WIDGETS, widget(spec={"size": 2}))
        operator.wait("create")
        made = until(server, WIDGETS, lambda event: "create" in event[1].get("status", {}))[1]
        assert (made["status"]["ready"], made["status"]["create"]) == (True, {"size": 2})
        assert made["metadata"]["finalizers"] == ["kopf.zalando.org/KopfFinalizerMarker"]
        until(server, EVENTS, lambda event: event[1]["reason"] == "Made")
        peering = server.request("GET", f"{PEERINGS}/default")
        assert len(peering["status"]) == 1, "the operator tells others that it is there"
        server.request(
            "PATCH", f"{WIDGETS}/w", {"spec": {"size": 5}}, content_type="application/merge-patch+json"
        )
        operator.wait("update 2 to 5")
        with watch(server.url, "resourceVersion=0", path=WIDGETS) as stream:
            server.request("DELETE", f"{WIDGETS}/w")
            operator.wait("delete")
            while stream.next()[0] != "DELETED":
                pass
