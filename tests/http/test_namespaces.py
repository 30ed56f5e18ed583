"""Deleted namespaces have the phase Terminating until their finalizers are removed."""

from typing import Any

import pytest

from fakeapi.testing.server import FakeAPI, StatusError
from tests.http.malformed.case import CLAIMS, claim
from tests.http.watching import told, watch

NAMESPACE = "/api/v1/namespaces/team"
TEAM = {"metadata": {"name": "team"}}
MERGE = "application/merge-patch+json"
TEAM_CLAIMS = CLAIMS.replace("/default/", "/team/")

pytestmark = pytest.mark.fakeapi(release="1.31")


@pytest.fixture
def server(fakeapi: FakeAPI) -> FakeAPI:
    fakeapi.request("POST", "/api/v1/namespaces", TEAM)
    return fakeapi


def refused(server: FakeAPI, method: str, path: str, body: Any = None, **more: Any) -> StatusError:
    with pytest.raises(StatusError) as caught:
        server.request(method, path, body, **more)
    return caught.value


def finalize(server: FakeAPI, *finalizers: str) -> Any:
    return server.request("PUT", f"{NAMESPACE}/finalize", {**TEAM, "spec": {"finalizers": finalizers}})


def test_a_deleted_namespace_is_terminating_and_keeps_what_is_in_it(server: FakeAPI) -> None:
    server.create(claim({"name": "a"}), namespace="team")
    going = server.request("DELETE", NAMESPACE)
    assert going["status"] == {"phase": "Terminating"}
    assert going["spec"] == {"finalizers": ["kubernetes"]}
    assert going["metadata"]["deletionTimestamp"]
    assert "deletionGracePeriodSeconds" not in going["metadata"]
    assert server.request("GET", NAMESPACE) == going
    assert server.request("DELETE", NAMESPACE) == going
    assert server.request("GET", f"{TEAM_CLAIMS}/a")["metadata"]["name"] == "a"


@pytest.mark.parametrize(
    ("metadata", "name"), [({"name": "b"}, "b"), ({"generateName": "b-"}, "b-"), ({}, "Unknown")]
)
def test_nothing_is_created_in_a_terminating_namespace(
    server: FakeAPI, metadata: dict[str, str], name: str
) -> None:
    server.request("DELETE", NAMESPACE)
    body = {**claim(), "metadata": metadata}
    error = refused(server, "POST", TEAM_CLAIMS, body, query={"dryRun": "All"})
    assert (error.code, error.reason) == (403, "Forbidden")
    assert error.message == (
        f'resourceclaims.resource.k8s.io "{name}" is forbidden: '
        "unable to create new content in namespace team because it is being terminated"
    )
    assert error.status["details"] == {
        "name": name,
        "group": "resource.k8s.io",
        "kind": "resourceclaims",
        "causes": [
            {
                "reason": "NamespaceTerminating",
                "message": "namespace team is being terminated",
                "field": "metadata.namespace",
            }
        ],
    }


def test_an_apply_creates_nothing_there_either(server: FakeAPI) -> None:
    server.request("DELETE", NAMESPACE)
    error = refused(
        server,
        "PATCH",
        f"{TEAM_CLAIMS}/b",
        claim({"name": "b"}),
        query={"fieldManager": "m"},
        content_type="application/apply-patch+yaml",
    )
    assert error.status["details"]["causes"][0]["reason"] == "NamespaceTerminating"


def test_what_is_in_a_terminating_namespace_may_change_and_go(server: FakeAPI) -> None:
    server.create(claim({"name": "a"}), namespace="team")
    server.request("DELETE", NAMESPACE)
    labels = {"metadata": {"labels": {"x": "y"}}}
    changed = server.request("PATCH", f"{TEAM_CLAIMS}/a", labels, content_type=MERGE)
    assert changed["metadata"]["labels"] == {"x": "y"}
    server.request("DELETE", f"{TEAM_CLAIMS}/a")
    assert server.request("GET", TEAM_CLAIMS)["items"] == []


def test_a_namespace_goes_with_the_last_finalizer_of_its_spec(server: FakeAPI) -> None:
    with watch(server.url, "fieldSelector=metadata.name%3Dteam", path="/api/v1/namespaces") as stream:
        server.request("DELETE", NAMESPACE)
        assert finalize(server, "kubernetes", "example.com/x")["status"] == {"phase": "Terminating"}
        error = refused(server, "POST", "/api/v1/namespaces", TEAM)
        assert error.message == 'object is being deleted: namespaces "team" already exists'
        assert finalize(server)["spec"] == {}
        kinds = [kind for kind, _ in told(stream.take(4))]
    assert kinds == ["ADDED", "MODIFIED", "MODIFIED", "DELETED"]
    assert refused(server, "GET", NAMESPACE).code == 404
    assert server.request("POST", "/api/v1/namespaces", TEAM)["status"] == {"phase": "Active"}


def test_a_namespace_without_finalizers_goes_when_it_is_deleted_again(server: FakeAPI) -> None:
    finalize(server)
    assert server.request("DELETE", NAMESPACE)["status"] == {"phase": "Terminating"}
    server.request("DELETE", NAMESPACE)
    assert refused(server, "GET", NAMESPACE).code == 404


def test_finalizers_of_the_metadata_hold_it_too(server: FakeAPI) -> None:
    body = {"metadata": {"finalizers": ["example.com/x"]}}
    server.request("PATCH", NAMESPACE, body, content_type=MERGE)
    server.request("DELETE", NAMESPACE)
    finalize_keeping = {"metadata": {"name": "team", "finalizers": ["example.com/x"]}, "spec": {}}
    server.request("PUT", f"{NAMESPACE}/finalize", finalize_keeping)
    assert server.request("GET", NAMESPACE)["spec"] == {}
    server.request("PATCH", NAMESPACE, {"metadata": {"finalizers": None}}, content_type=MERGE)
    assert refused(server, "GET", NAMESPACE).code == 404


@pytest.mark.parametrize(
    ("options", "finalizers"),
    [
        ({}, None),
        ({"propagationPolicy": "Background"}, None),
        ({"propagationPolicy": "Foreground"}, ["foregroundDeletion"]),
        ({"propagationPolicy": "Orphan"}, ["orphan"]),
        ({"orphanDependents": True}, ["orphan"]),
        ({"orphanDependents": False}, ["foregroundDeletion"]),
    ],
)
def test_the_options_say_what_a_garbage_collector_is_to_do(
    server: FakeAPI, options: dict[str, Any], finalizers: list[str] | None
) -> None:
    assert server.request("DELETE", NAMESPACE, options)["metadata"].get("finalizers") == finalizers


@pytest.mark.parametrize(
    ("preconditions", "called"),
    [
        ({"uid": "x"}, "UID in precondition: x"),
        ({"resourceVersion": "1"}, "ResourceVersion in precondition: 1"),
    ],
)
def test_preconditions_hold_or_nothing_is_deleted(
    server: FakeAPI, preconditions: dict[str, str], called: str
) -> None:
    error = refused(server, "DELETE", NAMESPACE, {"preconditions": preconditions})
    assert (error.code, error.reason) == (409, "Conflict")
    assert error.message.startswith(
        f'Operation cannot be fulfilled on namespaces "team": Precondition failed: {called}, '
    )
    assert server.request("GET", NAMESPACE)["status"] == {"phase": "Active"}


def test_a_dry_run_leaves_it_active(server: FakeAPI) -> None:
    shown = server.request("DELETE", NAMESPACE, query={"dryRun": "All"})
    assert shown["status"] == {"phase": "Terminating"}
    assert server.request("GET", NAMESPACE)["status"] == {"phase": "Active"}


def test_finalize_takes_a_put_alone(server: FakeAPI) -> None:
    for method in ("GET", "PATCH", "DELETE"):
        body = "{}" if method == "PATCH" else None
        assert refused(server, method, f"{NAMESPACE}/finalize", body, content_type=MERGE).code == 405


def test_finalizers_are_named_with_their_place(server: FakeAPI) -> None:
    with pytest.raises(StatusError) as caught:
        finalize(server, "kubernetes", "plain")
    assert [cause["field"] for cause in caught.value.status["details"]["causes"]] == ["spec.finalizers[1]"]
