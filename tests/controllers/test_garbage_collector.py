"""The garbage collector deletes the dependents of deleted owners. The tests use it over HTTP."""

from typing import Any

import pytest

from fakeapi import FakeAPI, StatusError

Object = dict[str, Any]


def config_map(name: str, *owners: Object, **metadata: Any) -> Object:
    references = [
        {
            "apiVersion": owner["apiVersion"],
            "kind": owner["kind"],
            "name": owner["metadata"]["name"],
            "uid": owner["metadata"]["uid"],
            "blockOwnerDeletion": True,
        }
        for owner in owners
    ]
    given = {"name": name, "ownerReferences": references, **metadata}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": given}


def names(api: FakeAPI) -> list[str]:
    found = [each["metadata"]["name"] for each in api.list("ConfigMap", namespace="default")]
    return [name for name in found if name != "kube-root-ca.crt"]


@pytest.mark.parametrize("policy", ["Background", "Foreground"])
def test_what_is_owned_goes_with_its_owner_however_deep(api: FakeAPI, policy: str) -> None:
    owner = api.create(config_map("a"))
    owned = api.create(config_map("b", owner))
    api.create(config_map("c", owned))
    api.settle()
    api.delete("ConfigMap", "a", options={"propagationPolicy": policy})
    api.settle()
    assert names(api) == []


def test_an_owned_object_whose_name_has_a_colon_is_deleted_with_its_owner(api: FakeAPI) -> None:
    def role(name: str, *references: Object) -> Object:
        metadata = {"name": name, "ownerReferences": references}
        return api.create(
            {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": metadata}
        )

    owner = role("team:owner")
    reference = {"apiVersion": owner["apiVersion"], "kind": "ClusterRole", "name": "team:owner"}
    role("team:owned", {**reference, "uid": owner["metadata"]["uid"]})
    api.settle()
    assert api.get("ClusterRole", "team:owned")
    api.delete("ClusterRole", "team:owner")
    api.settle()
    with pytest.raises(StatusError, match="not found"):
        api.get("ClusterRole", "team:owned")


def test_what_is_orphaned_stays_without_its_owner(api: FakeAPI) -> None:
    owner = api.create(config_map("a"))
    api.create(config_map("b", owner))
    api.settle()
    api.delete("ConfigMap", "a", options={"propagationPolicy": "Orphan"})
    api.settle()
    assert names(api) == ["b"]
    assert "ownerReferences" not in api.get("ConfigMap", "b")["metadata"]


def test_of_two_owners_one_that_is_gone_is_only_taken_away(api: FakeAPI) -> None:
    first, second = api.create(config_map("a")), api.create(config_map("b"))
    api.create(config_map("c", first, second))
    api.settle()
    api.delete("ConfigMap", "a")
    api.settle()
    assert names(api) == ["b", "c"]
    assert [each["name"] for each in api.get("ConfigMap", "c")["metadata"]["ownerReferences"]] == ["b"]


def test_an_owner_waits_for_dependents_that_a_finalizer_holds(api: FakeAPI) -> None:
    owner = api.create(config_map("a"))
    api.create(config_map("b", owner, finalizers=["example.com/hold"]))
    api.settle()
    api.delete("ConfigMap", "a", options={"propagationPolicy": "Foreground"})
    api.settle()
    assert names(api) == ["a", "b"]
    api.patch("ConfigMap", "b", {"metadata": {"finalizers": None}})
    api.settle()
    assert names(api) == []


def test_an_owner_of_another_uid_is_no_owner(api: FakeAPI) -> None:
    owner = api.create(config_map("a"))
    stranger = {**owner, "metadata": {**owner["metadata"], "uid": "11111111-2222-4333-8444-555555555555"}}
    api.create(config_map("b", stranger))
    api.settle()
    assert names(api) == ["a"]


def test_an_owner_of_a_kind_that_is_not_served_keeps_what_it_owns(api: FakeAPI) -> None:
    unknown = {"apiVersion": "example.com/v1", "kind": "Gone", "metadata": {"name": "x", "uid": "1"}}
    api.create(config_map("b", unknown))
    api.settle()
    assert names(api) == ["b"]


def test_kinds_that_come_later_are_collected_too(api: FakeAPI) -> None:
    owner = api.create(config_map("a"))
    role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role"}
    api.create({**role, "metadata": config_map("r", owner)["metadata"]})
    api.settle()
    api.delete("ConfigMap", "a")
    api.settle()
    assert api.list("Role", namespace="default") == []


def test_a_circle_of_owners_goes_with_one_of_them_in_the_foreground(api: FakeAPI) -> None:
    def made(name: str) -> str:
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}
        return str(api.create(body)["metadata"]["uid"])

    uids = {name: made(name) for name in "abc"}
    for name, owner in zip("abc", "cab", strict=True):
        reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": owner, "uid": uids[owner]}
        owners = [{**reference, "controller": True, "blockOwnerDeletion": True}]
        api.patch("ConfigMap", name, {"metadata": {"ownerReferences": owners}})
    api.settle()
    api.delete("ConfigMap", "a", options={"propagationPolicy": "Foreground"})
    api.settle()
    assert not {each["metadata"]["name"] for each in api.list("ConfigMap", namespace="default")} & set("abc")
