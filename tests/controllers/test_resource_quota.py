"""The quota controller sets the usage in the status of ResourceQuotas. The tests use it over HTTP."""

from collections.abc import Iterator
from typing import Any

import pytest

from fakeapi import FakeAPI, StatusError
from fakeapi.controllers.quota_replenishment import replenishes
from fakeapi.machinery.json_types import Object


@pytest.fixture
def api() -> Iterator[FakeAPI]:
    with FakeAPI(release="1.36", controllers="resourcequota") as server:
        yield server


def config_map(name: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}


def quota(api: FakeAPI, **spec: Any) -> None:
    api.create({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"}, "spec": spec})
    api.settle()


def used(api: FakeAPI) -> dict[str, str]:
    api.settle()
    amounts: dict[str, str] = api.get("ResourceQuota", "q")["status"]["used"]
    return amounts


def test_a_new_quota_counts_what_is_there_and_holds(api: FakeAPI) -> None:
    api.create(config_map("a"))
    quota(api, hard={"configmaps": "2", "pods": "1"})
    assert api.get("ResourceQuota", "q")["status"] == {
        "hard": {"configmaps": "2", "pods": "1"},
        "used": {"configmaps": "1", "pods": "0"},
    }
    api.create(config_map("b"))
    with pytest.raises(StatusError, match="exceeded quota: q"):
        api.create(config_map("c"))


def test_what_goes_is_given_back(api: FakeAPI) -> None:
    quota(api, hard={"configmaps": "1"})
    api.create(config_map("a"))
    assert used(api) == {"configmaps": "1"}
    api.delete("ConfigMap", "a")
    assert used(api) == {"configmaps": "0"}
    api.create(config_map("b"))


def test_a_quota_that_changes_is_counted_anew(api: FakeAPI) -> None:
    quota(api, hard={"configmaps": "1"})
    api.create(config_map("a"))
    api.patch("ResourceQuota", "q", {"spec": {"hard": {"configmaps": None, "count/configmaps": "9"}}})
    assert used(api) == {"count/configmaps": "1"}


def test_a_pod_that_ends_uses_nothing_any_more(api: FakeAPI) -> None:
    quota(api, hard={"pods": "1", "count/pods": "5"}, scopes=["NotTerminating"])
    spec = {"containers": [{"name": "c", "image": "x"}]}
    api.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": spec})
    assert used(api) == {"count/pods": "1", "pods": "1"}
    api.patch("Pod", "a", {"status": {"phase": "Succeeded"}}, subresource="status")
    assert used(api) == {"count/pods": "1", "pods": "0"}


POD: Object = {"spec": {}, "status": {"phase": "Running"}}
LATE: Object = {**POD, "spec": {"activeDeadlineSeconds": 1}}
ENDED: Object = {**POD, "status": {"phase": "Failed"}}
RUNNING: Object = {"name": "c", "resources": {"requests": {}}}
SIZED: Object = {**POD, "status": {"phase": "Running", "containerStatuses": [RUNNING]}}
BALANCED: Object = {"spec": {"type": "LoadBalancer"}}
CLAIM: Object = {"spec": {}}
GROWN: Object = {"spec": {}, "status": {"allocatedResources": {"storage": "1Gi"}}}


@pytest.mark.parametrize(
    ("plural", "old", "new", "counted_again"),
    [
        ("pods", None, POD, False),
        ("pods", POD, None, True),
        ("pods", POD, {**POD, "metadata": {"labels": {"a": "b"}}}, False),
        ("pods", POD, LATE, True),
        ("pods", POD, ENDED, True),
        ("pods", POD, SIZED, True),
        ("services", {"spec": {"type": "ClusterIP"}}, BALANCED, True),
        ("services", BALANCED, {"spec": {"type": "LoadBalancer", "ports": []}}, False),
        ("persistentvolumeclaims", CLAIM, GROWN, True),
        ("configmaps", {"data": {}}, {"data": {"a": "b"}}, False),
        ("configmaps", {"data": {}}, None, True),
    ],
)
def test_quotas_are_counted_again_after_what_can_give_something_back(
    plural: str, old: Object | None, new: Object | None, *, counted_again: bool
) -> None:
    assert replenishes("", plural, old, new) is counted_again


def test_what_was_charged_and_not_written_is_given_back_after_five_minutes() -> None:
    with FakeAPI(release="1.36", controllers="resourcequota", frozen_at="2026-01-31T12:00:00Z") as api:
        quota(api, hard={"configmaps": "1"})
        status = {"status": {"hard": {"configmaps": "1"}, "used": {"configmaps": "1"}}}
        api.patch("ResourceQuota", "q", status, subresource="status")
        assert used(api) == {"configmaps": "1"}
        api.clock.advance(300)
        assert used(api) == {"configmaps": "0"}
