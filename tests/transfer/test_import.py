"""`fakeapi import` creates the objects of manifests in a running server."""

from pathlib import Path

import pytest

from fakeapi import FakeAPI, StatusError
from fakeapi.transfer.importing import merge_patch
from tests.transfer.seeding import TEAM, failing, run, seed

OLD = "11111111-1111-1111-1111-111111111111"
OWNED = f"""
apiVersion: v1
kind: ConfigMap
metadata: {{name: part, ownerReferences: [{{apiVersion: v1, kind: ConfigMap, name: whole, uid: {OLD}}}]}}
---
apiVersion: v1
kind: ConfigMap
metadata: {{name: whole, uid: {OLD}, resourceVersion: "7"}}
"""
OWNERLESS = """
apiVersion: v1
kind: ConfigMap
metadata: {name: part, ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: nobody}]}
"""
TWICE = """
apiVersion: v1
kind: Pod
metadata: {name: twice}
spec:
  containers: [{name: c, image: nginx, env: [{name: A, value: "1"}, {name: A, value: "2"}]}]
"""


def imported(api: FakeAPI, text: str, directory: Path, *arguments: str) -> str:
    file = directory / "objects.yaml"
    file.write_text(text, encoding="utf-8")
    result = run("import", "--server", api.url, str(file), *arguments)
    assert result.exit_code == 0, result.output
    return result.output


def test_manifests_are_put_into_a_server_and_again_change_nothing(tmp_path: Path) -> None:
    with FakeAPI(release="1.33") as api:
        first = imported(api, TEAM, tmp_path)
        assert first.startswith("imported 6 objects: ")
        claim = api.get("ResourceClaim", "web-gpu", namespace="team")
        imported(api, TEAM, tmp_path)
        assert api.get("ResourceClaim", "web-gpu", namespace="team") == claim


def test_owners_come_first_and_references_get_their_new_uids(fakeapi: FakeAPI, tmp_path: Path) -> None:
    imported(fakeapi, OWNED, tmp_path)
    whole = fakeapi.get("ConfigMap", "whole")["metadata"]["uid"]
    (owner,) = fakeapi.get("ConfigMap", "part")["metadata"]["ownerReferences"]
    assert owner["uid"] == whole != OLD


def test_an_owner_that_is_in_the_server_already_is_found(fakeapi: FakeAPI, tmp_path: Path) -> None:
    whole = fakeapi.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "nobody"}})
    imported(fakeapi, OWNERLESS, tmp_path)
    (owner,) = fakeapi.get("ConfigMap", "part")["metadata"]["ownerReferences"]
    assert owner["uid"] == whole["metadata"]["uid"]


def test_a_status_is_written_if_it_is_asked_for_with_the_uids_in_it(tmp_path: Path) -> None:
    with FakeAPI(release="1.33") as first, FakeAPI(release="1.33") as second:
        seed(first)
        file = str(tmp_path / "state.yaml")
        run("export", "--server", first.url, "--status", "-o", file)
        run("import", "--server", second.url, file)
        assert not second.get("ResourceClaim", "web-gpu", namespace="team").get("status")
        result = run("import", "--server", second.url, "--status", file)
        assert "statuses" in result.output
        pod = second.get("Pod", "web", namespace="team")
        (consumer,) = second.get("ResourceClaim", "web-gpu", namespace="team")["status"]["reservedFor"]
        assert consumer == {"resource": "pods", "name": "web", "uid": pod["metadata"]["uid"]}


def test_an_object_that_can_only_be_created_is_created(fakeapi: FakeAPI, tmp_path: Path) -> None:
    imported(fakeapi, TWICE, tmp_path)
    assert len(fakeapi.get("Pod", "twice")["spec"]["containers"][0]["env"]) == 2


def test_a_dry_run_changes_nothing(fakeapi: FakeAPI, tmp_path: Path) -> None:
    assert imported(fakeapi, OWNED, tmp_path, "--dry-run") == "would import 2 objects: configmaps 2\n"
    assert fakeapi.list("ConfigMap", namespace="default") == []


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a: [", "objects.yaml: not YAML"),
        ("kind: ConfigMap\n", "objects.yaml: not a Kubernetes object, because it has no apiVersion"),
        (OWNED + "---\n" + OWNED, "is in"),
        (OWNED.replace("resourceVersion", "resourceVersions"), "resourceVersions"),
        (
            OWNED + "---\n{apiVersion: a.b/v1, kind: Foo, metadata: {name: a}}",
            "the server has no Foo in a.b/v1",
        ),
        (OWNED + "---\n{apiVersion: v1, kind: Pod, metadata: {name: a}}", "Pod a: 422 Invalid"),
    ],
)
def test_bad_manifests_are_one_line_and_nothing_is_there(
    fakeapi: FakeAPI, tmp_path: Path, text: str, why: str
) -> None:
    file = tmp_path / "objects.yaml"
    file.write_text(text, encoding="utf-8")
    assert why in failing("import", "--server", fakeapi.url, str(file))
    assert fakeapi.list("ConfigMap", namespace="default") == []


def test_an_owner_that_is_nowhere_is_told(fakeapi: FakeAPI, tmp_path: Path) -> None:
    file = tmp_path / "objects.yaml"
    file.write_text(OWNERLESS, encoding="utf-8")
    words = "ConfigMap part: its owner ConfigMap nobody does not exist"
    assert failing("import", "--server", fakeapi.url, str(file)) == f"Error: {file}: {words}"


def test_nothing_is_imported_into_what_is_no_fakeapi(tmp_path: Path) -> None:
    file = tmp_path / "objects.yaml"
    file.write_text(OWNED, encoding="utf-8")
    with FakeAPI(control=False) as cluster:
        assert "is not a fakeapi server" in failing("import", "--server", cluster.url, str(file))
        with pytest.raises(StatusError):
            cluster.get("ConfigMap", "whole")


def test_what_makes_no_sense_together_is_refused(tmp_path: Path) -> None:
    assert run("import").exit_code == 2
    assert run("import", str(tmp_path), "-n", "a").exit_code == 2
    assert run("import", str(tmp_path), "--from-cluster", "x").exit_code == 2
    assert "No such file or directory" in failing("import", str(tmp_path / "none"))


def test_a_merge_patch_makes_the_new_of_the_old() -> None:
    old = {"a": 1, "b": {"c": 1, "d": 2}, "e": [1]}
    new = {"b": {"c": 1, "d": 3}, "e": [2], "f": {}}
    assert merge_patch(old, new) == {"a": None, "b": {"d": 3}, "e": [2], "f": {}}
    assert merge_patch(new, new) == {}
