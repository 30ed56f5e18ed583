"""The handlers of objects and histories return what the storage has, within their limits."""

import pytest

from fakeapi import FakeAPI
from fakeapi.clients.control import ControlClient


def test_the_history_of_an_object_has_its_versions_and_its_deletion() -> None:
    with FakeAPI() as api, ControlClient(api.url) as client:
        created = api.create(
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"a": "1"}}
        )
        api.update({**created, "data": {"a": "2"}})
        api.delete("ConfigMap", "a")
        answer = client.get("/history", resource="configmaps", namespace="default", name="a")
    assert [each["change"] for each in answer["versions"]] == ["ADDED", "MODIFIED", "DELETED"]
    assert answer["versions"][0]["object"]["data"] == {"a": "1"}
    assert answer["forgotten"] is False


def test_a_version_older_than_the_history_has_the_change_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fakeapi.control.handlers.objects.VERSIONS_MAX", 2)
    with FakeAPI() as api, ControlClient(api.url) as client:
        created = api.create(
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"a": "1"}}
        )
        client.post("/compaction")
        query = {"resource": "configmaps", "namespace": "default", "name": "a"}
        answer = client.get("/history", **query)
        assert ([each["change"] for each in answer["versions"]], answer["forgotten"]) == (["STORED"], True)
        for value in ("2", "3"):
            created = api.update({**created, "data": {"a": value}})
        answer = client.get("/history", **query)
    assert [each["object"]["data"]["a"] for each in answer["versions"]] == ["2", "3"]


def test_objects_are_searched_by_namespace_and_name_and_come_in_pages() -> None:
    with FakeAPI() as api, ControlClient(api.url) as client:
        for name in ("a1", "a2", "b1"):
            api.create_namespace(name)
        first = client.get("/objects", resource="namespaces", search="a", limit=1)
        assert ([each["name"] for each in first["objects"]], first["more"] > 0) == (["a1"], True)
        rest = client.get("/objects", resource="namespaces", search="a", after="a1", limit=1)
        assert [each["name"] for each in rest["objects"]] == ["a2"]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/objects?resource=none", "none is not served"),
        ("/objects?resource=none&group=g", "none.g is not served"),
        ("/objects?resource=namespaces&limit=0", "limit: 0 is not from 1 to 500"),
        ("/objects", "resource"),
        ("/history?resource=namespaces&name=none", "does not exist"),
        ("/history?resource=namespaces&name=none&version=v9", "not served"),
    ],
)
def test_an_unknown_resource_or_object_is_refused_with_one_line(path: str, message: str) -> None:
    with FakeAPI() as api, ControlClient(api.url) as client:
        with pytest.raises(Exception, match=message) as refusal:
            client.get(path)
        assert "\n" not in str(refusal.value)


def test_a_search_examines_a_limited_number_of_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fakeapi.control.handlers.objects.SEARCHED_MAX", 2)
    with FakeAPI() as api, ControlClient(api.url) as client:
        answer = client.get("/objects", resource="namespaces", search="kube-system")
    assert (answer["objects"], answer["more"]) == ([], 2)
