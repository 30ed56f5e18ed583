"""Subresources can have their own kind, verbs and handler functions."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from fakeapi.clients.errors import StatusError
from fakeapi.kinds import definition_of
from fakeapi.machinery.json_types import Object
from fakeapi.registry.requests.options import (
    DeleteOptions,
    ObjectReference,
    WriteResult,
)
from fakeapi.registry.server_write import ServerWrite
from fakeapi.registry.verbs import deleting
from fakeapi.releases import load_release
from tests.http.conftest import SmallServer

PODS = "/api/v1/namespaces/default/pods"
POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "a"},
    "spec": {"containers": [{"name": "c", "image": "example.com/app"}]},
}
EVICTION = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "a"}}


async def evict(request: ServerWrite, body: Object) -> WriteResult:
    """Handles a POST to `eviction`: deletes the pod if the uid in the body's preconditions matches."""
    assert (body["kind"], body["apiVersion"]) == ("Eviction", "policy/v1")
    wanted = body.get("deleteOptions", {}).get("preconditions", {}).get("uid")
    pod = ObjectReference(request.target.namespace, request.target.name)
    return await deleting.delete(request.server, request.resource, pod, DeleteOptions(uid=wanted))


@pytest.fixture
def server(with_history: Callable[[int], SmallServer]) -> SmallServer:
    """Runs a server in which the function `evict` handles the subresource `eviction` of pods."""
    started = with_history(1000)
    release = load_release("1.31")
    pods = release.kind("", "v1", "pods")

    async def serve() -> None:
        definition = replace(definition_of(pods), actions={"eviction": evict}, connections={})
        catalogue = started.cluster.catalogue
        served = catalogue.find("", "v1", "pods")
        assert served is not None
        catalogue.remove(served)
        started.cluster.registry.serve([pods], release, definition)

    started.runner.call(serve)
    return started


def test_a_post_to_a_subresource_takes_its_own_kind(server: SmallServer) -> None:
    created = server.create(POD)
    other = {**EVICTION, "deleteOptions": {"preconditions": {"uid": "other"}}}
    with pytest.raises(StatusError, match=r"UID in the precondition \(other\) does not match"):
        server.request("POST", f"{PODS}/a/eviction", other)
    wanted = {"preconditions": {"uid": created["metadata"]["uid"]}}
    server.request("POST", f"{PODS}/a/eviction", {**EVICTION, "deleteOptions": wanted})
    with pytest.raises(StatusError) as gone:
        server.request("GET", f"{PODS}/a")
    assert gone.value.code == 404


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (POD, "cannot be handled as a Eviction"),
        ({**EVICTION, "apiVersion": "policy/v9"}, 'no kind "Eviction" is registered for version "policy/v9"'),
    ],
)
def test_another_kind_is_refused(server: SmallServer, body: Object, message: str) -> None:
    server.create(POD)
    with pytest.raises(StatusError, match=message) as refused:
        server.request("POST", f"{PODS}/a/eviction", body)
    assert refused.value.code == 400


@pytest.mark.parametrize(
    ("method", "subresource", "code"),
    [
        ("GET", "eviction", 405),
        ("PUT", "eviction", 405),
        ("POST", "binding", 404),
        ("POST", "status", 405),
        ("GET", "log", 404),
    ],
)
def test_other_verbs_are_not_allowed_and_subresources_without_rules_not_found(
    server: SmallServer, method: str, subresource: str, code: int
) -> None:
    server.create(POD)
    with pytest.raises(StatusError) as refused:
        server.request(method, f"{PODS}/a/{subresource}", EVICTION if method != "GET" else None)
    assert refused.value.code == code


def test_discovery_names_the_kind_and_the_verbs_of_a_subresource(server: SmallServer) -> None:
    resources = {each["name"]: each for each in server.request("GET", "/api/v1")["resources"]}
    assert resources["pods/eviction"] == {
        "name": "pods/eviction",
        "singularName": "",
        "namespaced": True,
        "group": "policy",
        "version": "v1",
        "kind": "Eviction",
        "verbs": ["create"],
    }
