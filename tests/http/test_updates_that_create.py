"""PUT can create objects of some kinds. Updates of these kinds need a resourceVersion."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from fakeapi.testing.server import FakeAPI
from tests.http.asking import ask

LEASES = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
ELSEWHERE = "/apis/coordination.k8s.io/v1/namespaces/none/leases/made"


@pytest.fixture(scope="module")
def api() -> Iterator[FakeAPI]:
    with FakeAPI(release="1.33") as server:
        yield server


def lease(name: str, **metadata: Any) -> dict[str, Any]:
    return {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {"name": name, **metadata},
        "spec": {"holderIdentity": "a"},
    }


def test_a_put_creates_a_lease(api: FakeAPI) -> None:
    answer = ask(api, f"{LEASES}/made", "PUT", lease("made"))
    assert answer.code == 201
    created = answer.json()
    assert created["metadata"]["uid"]
    assert created["metadata"]["managedFields"][0]["operation"] == "Update"
    assert ask(api, f"{LEASES}/made").json() == created


def test_a_put_that_creates_may_name_any_version(api: FakeAPI) -> None:
    assert ask(api, f"{LEASES}/versioned", "PUT", lease("versioned", resourceVersion="5")).code == 201


@pytest.mark.parametrize("release", ["1.33", "1.34"])
@pytest.mark.parametrize(("query", "prefix"), [("", "/registry"), ("?dryRun=All", "")])
def test_a_put_of_an_absent_lease_may_not_name_a_uid(
    release: str, query: str, prefix: str, fakeapi_factory: Callable[..., FakeAPI]
) -> None:
    server = fakeapi_factory(release=release)
    answer = ask(server, f"{LEASES}/known{query}", "PUT", lease("known", uid="u"))
    assert answer.code == 409
    assert answer.json()["message"] == (
        'Operation cannot be fulfilled on leases.coordination.k8s.io "known": StorageError: invalid object, '
        f"Code: 4, Key: {prefix}/leases/default/known, ResourceVersion: 0, AdditionalErrorMsg: "
        "Precondition failed: UID in precondition: u, UID in object meta: "
    )


@pytest.mark.parametrize(("release", "code"), [("1.33", 409), ("1.34", 404)])
def test_a_put_with_a_uid_of_another_absent_object_is_answered_as_the_release_does(
    release: str, code: int, fakeapi_factory: Callable[..., FakeAPI]
) -> None:
    server = fakeapi_factory(release=release)
    body = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "known", "uid": "u"}}
    assert ask(server, "/api/v1/nodes/known", "PUT", body).code == code


def test_a_put_creates_nothing_in_a_namespace_that_does_not_exist(api: FakeAPI) -> None:
    assert ask(api, ELSEWHERE, "PUT", lease("made")).code == 404


def test_a_dry_run_of_a_put_that_creates_stores_nothing(api: FakeAPI) -> None:
    assert ask(api, f"{LEASES}/dry?dryRun=All", "PUT", lease("dry")).code == 201
    assert ask(api, f"{LEASES}/dry").code == 404


def test_an_update_of_a_lease_names_the_version_that_it_replaces(api: FakeAPI) -> None:
    response = ask(api, f"{LEASES}/updated", "PUT", lease("updated")).json()
    answer = ask(api, f"{LEASES}/updated", "PUT", lease("updated"))
    assert answer.code == 422
    assert answer.json()["message"] == (
        'leases.coordination.k8s.io "updated" is invalid: metadata.resourceVersion: '
        "Invalid value: 0x0: must be specified for an update"
    )
    response["spec"]["holderIdentity"] = "b"
    assert ask(api, f"{LEASES}/updated", "PUT", response).code == 200


def test_other_kinds_are_not_created_by_a_put(api: FakeAPI) -> None:
    path = "/apis/scheduling.k8s.io/v1/priorityclasses/none"
    body = {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": "none"},
        "value": 1,
    }
    assert ask(api, path, "PUT", body).code == 404
