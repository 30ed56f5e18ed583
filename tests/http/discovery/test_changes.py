"""Discovery, OpenAPI and watches reflect kinds that are added or removed while the server runs."""

from collections.abc import Callable
from typing import Any

import pytest

from fakeapi.clients.errors import StatusError
from fakeapi.releases import Kind
from tests.http.asking import ask
from tests.http.conftest import SmallServer
from tests.http.watching import told, watch

PATH = "/api/v1/namespaces/default/configmaps"
AGGREGATED = "application/json;v=v2;g=apidiscovery.k8s.io;as=APIGroupDiscoveryList"
CONFIG_MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}


@pytest.fixture
def server(with_history: Callable[..., SmallServer]) -> SmallServer:
    return with_history(1000, runtime_config="/v1/configmaps=false")


def config_map(server: SmallServer) -> Kind:
    release = server.cluster.catalogue.primary
    return next(kind for kind in release.all_kinds.of_version("", "v1") if kind.resource == "configmaps")


def add(server: SmallServer) -> None:
    async def serve() -> None:
        server.cluster.registry.serve([config_map(server)], server.cluster.catalogue.primary)

    server.runner.call(serve)


def remove(server: SmallServer) -> None:
    async def withdraw() -> None:
        catalogue = server.cluster.catalogue
        resource = catalogue.find("", "v1", "configmaps")
        assert resource is not None
        catalogue.remove(resource)

    server.runner.call(withdraw)


def documents(server: SmallServer) -> dict[str, Any]:
    """Returns data that changes when a kind is added to the core group, from four documents.

    - `resources`: the names of the resources in the discovery document of the core group
    - `aggregated`: the ETag of the aggregated discovery document
    - `openapi`: the URL of the group's OpenAPI v3 document
    - `swagger`: whether the OpenAPI v2 document has the path of the added kind
    """
    index = ask(server, "/openapi/v3").json()["paths"]  # the body is text
    return {
        "resources": {each["name"] for each in server.request("GET", "/api/v1")["resources"]},
        "aggregated": ask(server, "/api", accept=AGGREGATED).headers["etag"],
        "openapi": index["api/v1"]["serverRelativeURL"],
        "swagger": PATH.replace("default", "{namespace}") in server.request("GET", "/openapi/v2")["paths"],
    }


def test_a_kind_that_is_added_is_in_every_document_with_the_next_request(server: SmallServer) -> None:
    before = documents(server)
    add(server)
    after = documents(server)
    assert after["resources"] - before["resources"] == {"configmaps"}
    assert (before["swagger"], after["swagger"]) == (False, True)
    assert all(before[name] != after[name] for name in ("aggregated", "openapi"))
    assert server.create(CONFIG_MAP)["metadata"]["name"] == "a"


def test_a_kind_that_is_removed_is_in_no_document_and_its_path_is_not_found(server: SmallServer) -> None:
    before = documents(server)
    add(server)
    server.create(CONFIG_MAP)
    remove(server)
    assert documents(server) == before
    with pytest.raises(StatusError) as refused:
        server.request("GET", PATH)
    assert (refused.value.code, refused.value.reason) == (404, "NotFound")


def test_the_watches_of_a_removed_kind_end_and_those_of_others_go_on(server: SmallServer) -> None:
    add(server)
    with watch(server.url, path=PATH) as gone, watch(server.url, path="/api/v1/namespaces") as stays:
        stays.take(4)
        server.create(CONFIG_MAP)
        assert told([gone.next()]) == [("ADDED", "a")]
        remove(server)
        assert (gone.rest(), gone.ended) == ([], True)
        server.create_namespace("later")
        assert told([stays.next()]) == [("ADDED", "later")]


def test_a_kind_that_comes_again_finds_its_objects(server: SmallServer) -> None:
    add(server)
    created = server.create(CONFIG_MAP)
    remove(server)
    add(server)
    assert server.request("GET", f"{PATH}/a") == created
