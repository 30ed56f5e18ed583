"""Explanations of a running server decode an object once, and again only after it has changed."""

from collections.abc import Iterator

import pytest

from fakeapi import FakeAPI
from fakeapi.explaining import kept_objects
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.object_forms import ObjectForms
from fakeapi.registry.offloading import turns
from fakeapi_storage import Entry
from tests.explaining.manifests import claim, device, device_class, node, pod, resource_slice


@pytest.fixture
def api() -> Iterator[FakeAPI]:
    with FakeAPI(release="1.36") as server:
        for name in ("a", "b"):
            node(server, name)
            pod(server, f"pod-{name}")
        yield server


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Returns the list of the nodes that the server decodes from now on, by storage key."""
    keys: list[str] = []
    decode = ObjectForms.decode

    def noting(forms: ObjectForms, entry: Entry) -> Object:
        if forms.kind.resource == "nodes":
            keys.append(entry.key)
        return decode(forms, entry)

    monkeypatch.setattr(ObjectForms, "decode", noting)
    return keys


def test_several_explanations_decode_an_object_once(api: FakeAPI, decoded: list[str]) -> None:
    for name in ("pod-a", "pod-b", "pod-a"):
        assert api.explain("pod", name).verdict == "pending"
    assert sorted(decoded) == ["/core/nodes/a", "/core/nodes/b"]


def test_an_object_is_decoded_again_after_a_change(api: FakeAPI, decoded: list[str]) -> None:
    assert len(api.explain("pod", "pod-a").nodes) == 2
    decoded.clear()
    api.patch("Node", "b", {"spec": {"unschedulable": True}})
    (cordoned,) = (one for one in api.explain("pod", "pod-a").nodes if one.name == "b")
    assert not cordoned.feasible
    assert set(decoded) == {"/core/nodes/b"}
    api.delete("Node", "b")
    assert [one.name for one in api.explain("pod", "pod-a").nodes] == ["a"]


def test_an_object_of_the_same_name_and_version_is_decoded_again_after_a_reset() -> None:
    versions = []
    with FakeAPI(release="1.36") as api:
        for key in ("first", "second"):
            api.reset()
            taints = [{"key": key, "effect": "NoSchedule"}]
            created = {
                "apiVersion": "v1",
                "kind": "Node",
                "metadata": {"name": "a"},
                "spec": {"taints": taints},
            }
            versions.append(api.create(created)["metadata"]["resourceVersion"])
            facts = api.explain("node", "a").details
            assert [fact for fact in facts if key in fact]
    assert versions[0] == versions[1]


def test_the_objects_of_a_large_cluster_are_decoded_for_each_explanation(
    api: FakeAPI, decoded: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_objects, "KEPT_MAX", 3)
    for _ in range(2):
        api.explain("pod", "pod-a")
    assert len(decoded) == 4


def test_decoded_objects_are_dropped_some_time_after_the_last_explanation(
    api: FakeAPI, decoded: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_objects, "KEPT_SECONDS", 0.0)
    for _ in range(2):
        api.explain("pod", "pod-a")
    assert len(decoded) == 4


def test_dropping_the_objects_of_an_unfinished_explanation_does_not_change_it(
    api: FakeAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [api.explain("pod", "pod-a").text]
    monkeypatch.setattr(kept_objects, "KEPT_SECONDS", 0.0)
    monkeypatch.setattr(turns, "TURN_SECONDS", 0.0)
    texts += [api.explain("pod", "pod-a").text for _ in range(2)]
    assert len(set(texts)) == 1


def test_an_explanation_after_another_reads_its_own_events(api: FakeAPI) -> None:
    device_class(api)
    resource_slice(api, "a", [device("gpu-0")])
    for name in ("one", "two"):
        claim(api, name)
        created = pod(api, name, name, nodeName="a")
        involved = {"kind": "Pod", "name": name, "namespace": "default", "uid": created["metadata"]["uid"]}
        api.create({
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": name, "namespace": "default"},
            "involvedObject": involved,
            "reason": "FailedPrepareDynamicResources",
            "message": f"failure of {name}",
            "lastTimestamp": "2030-01-01T00:00:00Z",
        })  # fmt: skip
    for name in ("one", "two", "one"):
        assert f"failure of {name}" in api.explain("pod", name).text
