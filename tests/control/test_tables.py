"""The table of a kind has the rows and columns of `kubectl get`, and can return only the changes."""

from typing import Any

import pytest

from fakeapi import FakeAPI
from fakeapi.clients.control import ControlClient


def configmap(name: str, **labels: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "labels": labels}}


def names(table: dict[str, Any]) -> list[str]:
    return [row["name"] for row in table["rows"]]


def test_a_table_has_the_columns_and_cells_that_the_api_prints(api: FakeAPI, client: ControlClient) -> None:
    spec = {"containers": [{"name": "a", "image": "a"}]}
    api.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "train"}, "spec": spec})
    table = client.get("/table", resource="pods")
    usual = [column["name"] for column in table["columns"] if column["priority"] == 0]
    assert usual == ["Name", "Ready", "Status", "Restarts", "Age"]
    assert table["rows"][0]["cells"][:3] == ["train", "0/1", "Pending"]
    assert (table["rows"][0]["place"], table["rows"][0]["namespace"]) == ("default/train", "default")


def test_selectors_and_the_namespace_filter_a_table(api: FakeAPI, client: ControlClient) -> None:
    api.create_all([configmap("a", app="train"), configmap("b", app="infer")])
    assert names(
        client.get("/table", resource="configmaps", namespace="default", labelSelector="app=train")
    ) == ["a"]
    assert (
        names(client.get("/table", resource="configmaps", namespace="kube-system", labelSelector="app")) == []
    )
    assert names(client.get("/table", resource="configmaps", fieldSelector="metadata.name=b")) == ["b"]


def test_a_long_table_comes_in_pages(api: FakeAPI, client: ControlClient) -> None:
    api.create_all([configmap(name, app="x") for name in "abc"])
    query = {"resource": "configmaps", "namespace": "default", "labelSelector": "app"}
    first = client.get("/table", **query, limit=2)
    assert (names(first), first["next"], first["complete"]) == (["a", "b"], "default/b", True)
    last = client.get("/table", **query, after=first["next"])
    assert (names(last)[0], last["next"]) == ("c", "")


def test_the_changes_of_a_table_are_changed_and_deleted_rows(api: FakeAPI, client: ControlClient) -> None:
    api.create_all([configmap(name, app="x") for name in "abc"])
    query = {"resource": "configmaps", "namespace": "default", "labelSelector": "app=x"}
    version = client.get("/table", **query)["resourceVersion"]
    api.create(configmap("d", app="x"))
    api.delete("ConfigMap", "a")
    api.patch("ConfigMap", "b", {"metadata": {"labels": {"app": "other"}}})
    changes = client.get("/table", **query, since=version)
    assert (names(changes), sorted(changes["deleted"])) == (["d"], ["default/a", "default/b"])
    assert changes["complete"] is False
    none = client.get("/table", **query, since=changes["resourceVersion"])
    assert (none["rows"], none["deleted"], none["complete"]) == ([], [], False)


def test_a_table_is_complete_again_if_the_history_lost_the_changes(
    api: FakeAPI, client: ControlClient
) -> None:
    api.create(configmap("a"))
    version = client.get("/table", resource="configmaps")["resourceVersion"]
    api.create(configmap("b"))
    client.post("/compaction")
    table = client.get("/table", resource="configmaps", namespace="default", since=version)
    assert table["complete"] is True
    assert {"a", "b"} <= set(names(table))
    assert client.get("/table", resource="configmaps", since="99999999")["complete"] is True


def test_reading_a_table_is_not_in_the_journal_and_uses_up_no_fault(
    api: FakeAPI, client: ControlClient
) -> None:
    fault = api.faults.forbidden("list pods")
    before = len(list(api.requests))
    client.get("/table", resource="pods")
    assert (fault.matched, len(list(api.requests))) == (0, before)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/table?resource=none", "none is not served"),
        ("/table?resource=pods&limit=0", "limit: 0 is not from 1 to 5000"),
        ("/table?resource=pods&labelSelector=a%20b", "selector: "),
        ("/table?resource=pods&fieldSelector=spec.nothing=a", "selector: "),
        ("/table?resource=pods&since=x", "since: 'x' is not a resourceVersion"),
    ],
)
def test_a_wrong_query_of_a_table_is_refused_in_one_line(
    client: ControlClient, path: str, message: str
) -> None:
    with pytest.raises(Exception, match=message) as refusal:
        client.get(path)
    assert "\n" not in str(refusal.value)


def test_all_served_kinds_can_be_listed(api: FakeAPI, client: ControlClient) -> None:
    kinds = {
        (kind["group"], kind["resource"]): kind["objects"] for kind in client.get("/kinds", served="true")
    }
    assert kinds["", "namespaces"] == 4
    assert kinds["resource.k8s.io", "resourceclaims"] == 0
    assert ("authorization.k8s.io", "subjectaccessreviews") not in kinds
    assert len(client.get("/kinds")) < len(kinds)


def test_manifests_are_read_with_their_paths(api: FakeAPI, client: ControlClient) -> None:
    text = """
        {apiVersion: v1, kind: Namespace, metadata: {name: kube-system}}
        ---
        {apiVersion: v1, kind: Pod, metadata: {generateName: a-}}
        """.replace("        ", "")
    namespace, pod = client.post("/manifests", {"text": text, "namespace": "team-a"})
    assert (namespace["path"], namespace["exists"]) == ("/api/v1/namespaces/kube-system", True)
    assert (pod["path"], pod["collection"]) == (
        "/api/v1/namespaces/team-a/pods",
        "/api/v1/namespaces/team-a/pods",
    )
    assert (pod["exists"], pod["object"]["metadata"]) == (False, {"generateName": "a-"})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the text has no object"),
        ("a: [", "YAML"),
        ("- 1", "a Kubernetes object is a mapping"),
        ("kind: Pod", "needs an apiVersion and a kind"),
        ("{apiVersion: v1, kind: Nothing}", "does not serve the kind 'Nothing'"),
        ("{apiVersion: v1, kind: Pod, metadata: {name: a/b}}", "metadata.name: 'a/b' is not a name"),
    ],
)
def test_a_wrong_manifest_is_refused_in_one_line(client: ControlClient, text: str, message: str) -> None:
    with pytest.raises(Exception, match=message) as refusal:
        client.post("/manifests", {"text": text})
    assert "\n" not in str(refusal.value)


def test_manifests_over_the_limit_are_refused(client: ControlClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fakeapi.control.handlers.manifests.TEXT_MAX", 10)
    with pytest.raises(Exception, match="the text is longer than 10 characters"):
        client.post("/manifests", {"text": "kind: Pod #" + "x" * 10})
