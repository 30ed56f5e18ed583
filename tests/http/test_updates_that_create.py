"""A PUT creates objects of some kinds, and of some it must name the version that it replaces."""

from collections.abc import Iterator
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
    made = answer.json()
    assert made["metadata"]["uid"]
    assert made["metadata"]["managedFields"][0]["operation"] == "Update"
    assert ask(api, f"{LEASES}/made").json() == made


def test_a_put_that_creates_may_name_any_version_but_no_uid(api: FakeAPI) -> None:
    assert ask(api, f"{LEASES}/versioned", "PUT", lease("versioned", resourceVersion="5")).code == 201
    assert ask(api, f"{LEASES}/known", "PUT", lease("known", uid="u")).code in (404, 409)


def test_a_put_creates_nothing_in_a_namespace_that_does_not_exist(api: FakeAPI) -> None:
    assert ask(api, ELSEWHERE, "PUT", lease("made")).code == 404


def test_a_dry_run_of_a_put_that_creates_stores_nothing(api: FakeAPI) -> None:
    assert ask(api, f"{LEASES}/dry?dryRun=All", "PUT", lease("dry")).code == 201
    assert ask(api, f"{LEASES}/dry").code == 404


def test_an_update_of_a_lease_names_the_version_that_it_replaces(api: FakeAPI) -> None:
    made = ask(api, f"{LEASES}/updated", "PUT", lease("updated")).json()
    answer = ask(api, f"{LEASES}/updated", "PUT", lease("updated"))
    assert answer.code == 422
    assert answer.json()["message"] == (
        'leases.coordination.k8s.io "updated" is invalid: metadata.resourceVersion: '
        "Invalid value: 0x0: must be specified for an update"
    )
    made["spec"]["holderIdentity"] = "b"
    assert ask(api, f"{LEASES}/updated", "PUT", made).code == 200


def test_other_kinds_are_not_created_by_a_put(api: FakeAPI) -> None:
    path = "/apis/scheduling.k8s.io/v1/priorityclasses/none"
    body = {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": "none"},
        "value": 1,
    }
    assert ask(api, path, "PUT", body).code == 404
