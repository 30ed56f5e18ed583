"""The worked example in CONTRIBUTING.md adds a kind to a running server and removes it again."""

import gc
import re
import weakref
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from fakeapi.clients.errors import StatusError
from fakeapi.cluster import Cluster
from fakeapi.http.app import Application
from fakeapi.registry.model.definition import KindDefinition
from fakeapi.registry.model.resource import Resource
from fakeapi.releases import Kind, load_release
from fakeapi.releases.release import ReleaseKinds
from fakeapi.releases.tables import ReleaseTables
from fakeapi.serving.runner import Runner
from fakeapi.settings import Settings
from fakeapi.testing.client import Client
from tests.http.asking import ask
from tests.http.watching import told, watch

GROUP, VERSION, RESOURCE = "scheduling.k8s.io", "v1", "priorityclasses"
PATH = f"/apis/{GROUP}/{VERSION}/{RESOURCE}"
HIGH = {"apiVersion": f"{GROUP}/{VERSION}", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 5}
RELEASE = load_release("1.33")
ROUNDS = 200
SETTLED = 20
"""The round after which the test first measures memory. By then all permanent caches are full."""


class ChangingServer(Client):
    """A client of a 1.33 server without PriorityClasses. A test can add them to the server as a new kind."""

    def __init__(self) -> None:
        self.cluster = Cluster(Settings(release="1.33", runtime_config=f"{GROUP}/{VERSION}=false"))
        self._runner = Runner(Application(self.cluster))
        self._runner.start()
        self.url = f"http://127.0.0.1:{self._runner.port}"
        super().__init__(self.url)

    def add(self, kind: Kind, definition: KindDefinition) -> None:
        async def serve() -> None:
            self.cluster.registry.serve([kind], RELEASE, definition)

        self._runner.call(serve)

    def remove(self) -> None:
        async def withdraw() -> None:
            self.cluster.catalogue.remove(self.resource())

        self._runner.call(withdraw)

    def resource(self) -> Resource:
        resource = self.cluster.catalogue.find(GROUP, VERSION, RESOURCE)
        assert resource is not None
        return resource

    def stop(self) -> None:
        self.close()
        self._runner.stop()


@pytest.fixture
def server() -> Iterator[ChangingServer]:
    started = ChangingServer()
    yield started
    started.stop()


@pytest.fixture(scope="module")
def definition() -> KindDefinition:
    """Executes the Python module in CONTRIBUTING.md; returns the definition of the kind that it contains."""
    text = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text()
    [source] = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    module = ModuleType("priority_class")
    exec(compile(source, "CONTRIBUTING.md", "exec"), module.__dict__)
    found: KindDefinition = module.__dict__["PRIORITY_CLASS"]
    return found


def priority_class() -> Kind:
    """Returns the kind PriorityClass with a new schema, which nothing else references."""
    kinds = ReleaseKinds(ReleaseTables("1.33")).of_version(GROUP, VERSION)
    return next(kind for kind in kinds if kind.resource == RESOURCE)


def test_a_kind_of_a_module_and_the_tables_is_served(
    server: ChangingServer, definition: KindDefinition
) -> None:
    server.add(priority_class(), definition)
    assert server.create(HIGH)["value"] == 5
    with pytest.raises(StatusError, match="value: Invalid value: 6: field is immutable"):
        server.request("PATCH", f"{PATH}/high", {"value": 6}, content_type="application/merge-patch+json")
    applied = server.request(
        "PATCH",
        f"{PATH}/high?fieldManager=m",
        {**HIGH, "description": "d"},
        content_type="application/apply-patch+yaml",
    )
    assert (applied["description"], applied["metadata"]["managedFields"][0]["manager"]) == ("d", "m")
    table = ask(server, PATH, accept="application/json;as=Table;v=v1;g=meta.k8s.io").json()
    names = [column["name"] for column in table["columnDefinitions"]]
    assert names == ["Name", "Value", "Global-Default", "Age", "PreemptionPolicy"]
    assert table["rows"][0]["cells"][:3] == ["high", 5, False]


def test_discovery_openapi_and_watches_follow(server: ChangingServer, definition: KindDefinition) -> None:
    def groups() -> set[str]:
        return {group["name"] for group in server.request("GET", "/apis")["groups"]}

    before = groups()
    server.add(priority_class(), definition)
    assert groups() - before == {GROUP}
    assert PATH + "/{name}" in server.request("GET", f"/openapi/v3/apis/{GROUP}/{VERSION}")["paths"]
    version = server.request("GET", PATH)["metadata"]["resourceVersion"]
    with watch(server.url, f"resourceVersion={version}", path=PATH) as stream:
        server.create(HIGH)
        assert told([stream.next()]) == [("ADDED", "high")]
        server.remove()
        assert (stream.rest(), stream.ended) == ([], True)
    assert groups() == before
    with pytest.raises(StatusError) as refused:
        server.request("GET", PATH)
    assert refused.value.code == 404


def test_a_kind_that_comes_and_goes_leaves_nothing_behind(
    server: ChangingServer, definition: KindDefinition
) -> None:
    sizes: list[int] = []
    resources: list[weakref.ref[Resource]] = []
    for number in range(ROUNDS):
        server.add(priority_class(), definition)
        resources.append(weakref.ref(server.resource()))
        server.create({**HIGH, "metadata": {"name": "high"}})
        server.request(
            "PATCH", f"{PATH}/high?fieldManager=m", HIGH, content_type="application/apply-patch+yaml"
        )
        server.request("GET", f"/openapi/v3/apis/{GROUP}/{VERSION}")
        server.request("GET", "/apis")
        server.request("DELETE", f"{PATH}/high")
        server.remove()
        if number in (SETTLED, ROUNDS - 1):
            gc.collect()
            sizes.append(len(gc.get_objects()))
    assert [ref for ref in resources if ref() is not None] == []
    history = 3 * (ROUNDS - SETTLED)  # for watches from older versions
    assert sizes[1] - sizes[0] < 4 * history, "the history of changes is all that grows"
