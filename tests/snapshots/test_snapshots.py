"""A running server restores snapshots: the objects after a restore, and what clients receive."""

import threading
from pathlib import Path

import pytest

from fakeapi import FakeAPI, Snapshot, SnapshotError, StatusError

DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "pools.example.com"},
    "spec": {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"plural": "pools", "singular": "pool", "kind": "Pool", "listKind": "PoolList"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": {"type": "object"}},
            }
        ],
    },
}


def config_map(name: str, **data: str) -> dict[str, object]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def names(api: FakeAPI, kind: str = "ConfigMap") -> list[str]:
    """Returns the names of the kind's objects in the namespace `default`.

    If the kind is cluster-scoped, returns the names of all objects.
    """
    found = (each["metadata"] for each in api.list(kind))
    return [each["name"] for each in found if each.get("namespace", "default") == "default"]


def test_a_restore_brings_back_what_was_deleted_and_takes_away_what_came() -> None:
    with FakeAPI() as api:
        kept = api.create(config_map("kept", a="1"))
        snapshot = api.snapshot()
        api.delete("ConfigMap", "kept")
        api.create(config_map("new"))
        api.restore(snapshot)
        assert names(api) == ["kept"]
        assert api.get("ConfigMap", "kept") == kept


def test_a_restored_object_is_updated_with_the_version_that_it_had() -> None:
    with FakeAPI() as api:
        kept = api.create(config_map("kept", a="1"))
        snapshot = api.snapshot()
        api.update({**kept, "data": {"a": "2"}})
        api.restore(snapshot)
        again = api.update({**kept, "data": {"a": "3"}})
        assert int(again["metadata"]["resourceVersion"]) > int(kept["metadata"]["resourceVersion"]) + 1


def test_versions_from_before_a_restore_are_expired() -> None:
    with FakeAPI() as api:
        snapshot = api.snapshot()
        version = api.create(config_map("new"))["metadata"]["resourceVersion"]
        api.restore(snapshot)
        query = {"watch": "true", "resourceVersion": version, "timeoutSeconds": "1"}
        event = api.request("GET", "/api/v1/namespaces/default/configmaps", query=query)
    assert (event["type"], event["object"]["code"]) == ("ERROR", 410)


def test_a_restore_that_rewinds_repeats_uids_and_versions_of_a_seeded_server() -> None:
    with FakeAPI(frozen_at="2026-01-31T12:00:00Z") as api:
        snapshot = api.snapshot()
        versions = []
        for _ in range(2):
            api.restore(snapshot, rewind=True)
            versions.append(api.create(config_map("new"))["metadata"]["resourceVersion"])
    assert versions[0] == versions[1]


def _is_refused_by_a_restore(api: FakeAPI) -> bool:
    """Watches ConfigMaps until the watch ends. Returns True if a restore refuses the watch instead."""
    try:
        api.request("GET", "/api/v1/configmaps", query={"watch": "true", "timeoutSeconds": "300"})
    except StatusError as error:
        if error.code != 503:
            raise
        return True
    return False


def test_an_open_watch_ends_at_a_restore() -> None:
    with FakeAPI() as api:
        snapshot = api.snapshot("base")
        began, ended = threading.Event(), threading.Event()

        def watch() -> None:
            began.set()
            try:
                while _is_refused_by_a_restore(api):
                    pass
            finally:
                ended.set()

        thread = threading.Thread(target=watch)
        thread.start()
        began.wait(60)
        while not ended.is_set():  # the watch may open only after the first restore
            api.restore(snapshot)
            ended.wait(0.2)
        thread.join(60)
    assert not thread.is_alive()


def test_bootstrap_objects_are_made_after_a_restore_as_if_they_had_not_been() -> None:
    with FakeAPI() as api:
        snapshot = api.snapshot()
        first = api.get("PriorityClass", "system-node-critical")
        api.restore(snapshot)
        again = api.get("PriorityClass", "system-node-critical")
    assert first["metadata"]["uid"] != again["metadata"]["uid"]


def test_definitions_are_served_or_not_as_they_were() -> None:
    pool = {"apiVersion": "example.com/v1", "kind": "Pool", "metadata": {"name": "a"}}
    with FakeAPI() as api:
        before = api.snapshot()
        api.create(DEFINITION)
        api.create(pool)
        with_pools = api.snapshot()
        api.restore(before)
        with pytest.raises(Exception, match="404"):
            api.request("GET", "/apis/example.com/v1/pools")
        api.restore(with_pools)
        assert names(api, "Pool") == ["a"]


def test_the_snapshot_of_a_database_in_a_file_is_restored_there(tmp_path: Path) -> None:
    database = tmp_path / "state.db"
    with FakeAPI(database=database) as api:
        api.create(config_map("kept"))
        snapshot = api.snapshot()
        api.delete("ConfigMap", "kept")
        api.restore(snapshot)
    with FakeAPI(database=database) as api:
        assert names(api) == ["kept"]


def test_a_snapshot_goes_to_another_server_through_a_file(tmp_path: Path) -> None:
    for name in ("state.jsonl", "state.jsonl.gz"):
        with FakeAPI(release="1.33") as api:
            kept = api.create(config_map("kept", a="é\x00"))
            path = api.snapshot().save(tmp_path / name)
        with FakeAPI(release="1.33") as other:
            other.restore(Snapshot.load(path))
            assert other.get("ConfigMap", "kept") == kept


def test_objects_that_the_server_does_not_serve_are_refused_and_nothing_changes() -> None:
    with FakeAPI(release="1.27") as api:
        context = {
            "apiVersion": "resource.k8s.io/v1alpha2",
            "kind": "PodSchedulingContext",
            "metadata": {"name": "a"},
            "spec": {},
        }
        api.create(context)
        snapshot = api.snapshot()
    with FakeAPI(release="1.33") as newer:
        newer.create(config_map("kept"))
        with pytest.raises(SnapshotError, match=r"of release 1.27, has objects of podschedulingcontexts"):
            newer.restore(snapshot)
        assert names(newer) == ["kept"]


def test_snapshots_are_kept_by_name_until_they_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fakeapi.snapshots.kept.SNAPSHOTS_MAX", 2)
    with FakeAPI() as api:
        api.snapshot("a")
        api.create(config_map("new"))
        api.snapshot("b")
        api.snapshot("b")
        with pytest.raises(SnapshotError, match="the server keeps 2 snapshots already: delete one first"):
            api.snapshot("c")
        api.restore("a")
        assert names(api) == []
        assert list(api.snapshots) == ["a", "b"]
        api.snapshots.delete("a")
        with pytest.raises(SnapshotError, match="no snapshot is named 'a'; the server has b"):
            api.restore("a")
        with pytest.raises(SnapshotError, match=r"invalid name '\.\./a'"):
            api.snapshot("../a")


def test_a_difference_names_the_object_and_the_fields() -> None:
    with FakeAPI() as api:
        api.create(config_map("changed", a="1", b="2"))
        api.create(config_map("removed"))
        old = api.snapshot()
        api.patch("ConfigMap", "changed", {"data": {"a": "9", "b": None}})
        api.delete("ConfigMap", "removed")
        api.create(config_map("added"))
        differences = old.diff(api.snapshot())
    assert [str(each) for each in differences] == [
        "added configmaps default/added",
        'changed configmaps default/changed\n    data.a: "1" -> "9"\n    data.b: "2" -> (none)',
        "removed configmaps default/removed",
    ]
    assert old.diff(old) == []


def test_controllers_go_on_with_what_was_restored() -> None:
    with FakeAPI(controllers="namespace") as api:
        api.create_namespace("work")
        api.settle()
        snapshot = api.snapshot()
        api.delete("Namespace", "work")
        api.settle()
        api.restore(snapshot)
        api.delete("Namespace", "work")
        api.settle()
        assert "work" not in names(api, "Namespace")
