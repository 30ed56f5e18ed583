"""The quota controller, over HTTP."""

from collections.abc import Iterator
from typing import Any

import pytest

from fakeapi import FakeAPI, StatusError


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
    found: dict[str, str] = api.get("ResourceQuota", "q")["status"]["used"]
    return found


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
