"""Runs a kopf operator, and a server with the CustomResourceDefinitions for the operator."""

import asyncio
import threading
from collections.abc import Iterator
from typing import Any, Self

import pytest

from fakeapi.testing.server import FakeAPI
from tests.registry.custom.world import DEFINITIONS, definition, version

kopf = pytest.importorskip("kopf", reason="kopf is not installed")

PEERINGS = "/apis/kopf.dev/v1/namespaces/default/kopfpeerings"

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
    """Returns a CustomResourceDefinition of widgets whose status accepts any field.

    kopf stores its progress in the status.
    """
    open_status = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    made = version(subresources={"status": {}})
    made["schema"]["openAPIV3Schema"]["properties"]["status"] = open_status
    return definition(versions=[made])


class Operator:
    """A kopf operator that runs in its own thread.

    `seen`: the handlers that have run. `changed`: a threading.Condition, notified after each handler.
    """

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
def kopf_server() -> Iterator[FakeAPI]:
    with FakeAPI(release="1.33") as made:
        made.request("POST", DEFINITIONS, PEERING_DEFINITION)
        peering = {"apiVersion": "kopf.dev/v1", "kind": "KopfPeering", "metadata": {"name": "default"}}
        made.request("POST", PEERINGS, peering)
        made.request("POST", DEFINITIONS, widgets())
        yield made
