"""Controllers remove the protection finalizers of volumes, volume claims and pod groups."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fakeapi import FakeAPI
from fakeapi.controllers.names import chosen

BETA = "scheduling.k8s.io/v1beta1"
NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}}
PROTECTION = (
    "namespace",
    "podgroup-protection",
    "persistentvolumeclaim-protection",
    "persistentvolume-protection",
    "volumeattributesclass-protection",
)


@pytest.fixture
def api() -> Iterator[FakeAPI]:
    gates = {"GenericWorkload": True}
    with FakeAPI(
        release="1.37",
        controllers=PROTECTION,
        feature_gates=gates,
        runtime_config=f"{BETA}=true",
    ) as server:
        server.create(NAMESPACE)
        server.settle()
        yield server


def pod(name: str = "p", node: str | None = "n", **spec: Any) -> dict[str, Any]:
    containers = [{"name": "c", "image": "i"}]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "team"},
        "spec": {"containers": containers, **({"nodeName": node} if node else {}), **spec},
    }


def claim(name: str = "data", **metadata: Any) -> dict[str, Any]:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": "team", **metadata},
        "spec": spec,
    }


def group() -> dict[str, Any]:
    return {
        "apiVersion": BETA,
        "kind": "PodGroup",
        "metadata": {"name": "g", "namespace": "team"},
        "spec": {"schedulingPolicy": {"basic": {}}},
    }


def volume(**spec: Any) -> dict[str, Any]:
    source = {"hostPath": {"path": "/data"}, "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"]}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": "v"},
        "spec": {**source, **spec},
    }


def exists(
    api: FakeAPI, kind: str, name: str, namespace: str | None = "team", api_version: str | None = None
) -> bool:
    api.settle()
    listed = api.list(kind, namespace=namespace, api_version=api_version)
    return name in [obj["metadata"]["name"] for obj in listed]


def test_a_namespace_with_podgroups_and_persistentvolumeclaims_goes(api: FakeAPI) -> None:
    api.create(group())
    api.create(claim())
    api.settle()
    api.delete("Namespace", "team")
    assert not exists(api, "Namespace", "team", None)


USED = [{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]


def test_a_persistentvolumeclaim_stays_while_a_scheduled_pod_uses_it(api: FakeAPI) -> None:
    api.create(claim())
    api.create(pod(volumes=USED))
    api.delete("PersistentVolumeClaim", "data", namespace="team")
    assert exists(api, "PersistentVolumeClaim", "data")
    api.delete("Pod", "p", namespace="team", options={"gracePeriodSeconds": 0})
    assert not exists(api, "PersistentVolumeClaim", "data")


def test_a_pod_that_is_not_scheduled_does_not_keep_a_persistentvolumeclaim(api: FakeAPI) -> None:
    api.create(claim())
    api.create(pod(node=None, volumes=USED))
    api.delete("PersistentVolumeClaim", "data", namespace="team")
    assert not exists(api, "PersistentVolumeClaim", "data")


def test_the_claim_of_an_ephemeral_volume_stays_only_for_the_pod_that_controls_it(api: FakeAPI) -> None:
    template = {"spec": claim()["spec"]}
    owner = api.create(pod(volumes=[{"name": "d", "ephemeral": {"volumeClaimTemplate": template}}]))
    reference = {"apiVersion": "v1", "kind": "Pod", "name": "p", "controller": True}
    for name, uid in (("p-d", owner["metadata"]["uid"]), ("p-e", "another")):
        api.create(claim(name, ownerReferences=[{**reference, "uid": uid}]))
        api.delete("PersistentVolumeClaim", name, namespace="team")
    assert exists(api, "PersistentVolumeClaim", "p-d")
    assert not exists(api, "PersistentVolumeClaim", "p-e")


def test_a_podgroup_stays_until_its_last_pod_has_ended(api: FakeAPI) -> None:
    api.create(group())
    api.create(pod(node=None, schedulingGroup={"podGroupName": "g"}))
    api.delete("PodGroup", "g", namespace="team", api_version=BETA)
    assert exists(api, "PodGroup", "g", api_version=BETA)
    api.patch("Pod", "p", {"status": {"phase": "Succeeded"}}, namespace="team", subresource="status")
    assert not exists(api, "PodGroup", "g", api_version=BETA)


def test_a_persistentvolume_stays_while_it_is_bound(api: FakeAPI) -> None:
    api.create(volume())
    api.patch("PersistentVolume", "v", {"status": {"phase": "Bound"}}, subresource="status")
    api.delete("PersistentVolume", "v")
    assert exists(api, "PersistentVolume", "v", None)
    api.patch("PersistentVolume", "v", {"status": {"phase": "Released"}}, subresource="status")
    assert not exists(api, "PersistentVolume", "v", None)


def test_a_volumeattributesclass_stays_while_a_volume_names_it(api: FakeAPI) -> None:
    fields = {"driverName": "d", "parameters": {"a": "b"}}
    api.create(
        {
            "apiVersion": "storage.k8s.io/v1",
            "kind": "VolumeAttributesClass",
            "metadata": {"name": "c"},
            **fields,
        }
    )
    source = {"hostPath": None, "csi": {"driver": "d", "volumeHandle": "h"}}
    api.create(volume(volumeAttributesClassName="c", **source))
    api.delete("VolumeAttributesClass", "c")
    assert exists(api, "VolumeAttributesClass", "c", None)
    api.delete("PersistentVolume", "v")
    assert not exists(api, "VolumeAttributesClass", "c", None)


def test_a_missing_finalizer_is_added(api: FakeAPI) -> None:
    api.create(claim())
    api.patch("PersistentVolumeClaim", "data", {"metadata": {"finalizers": None}}, namespace="team")
    api.settle()
    finalizers = api.get("PersistentVolumeClaim", "data", namespace="team")["metadata"]["finalizers"]
    assert finalizers == ["kubernetes.io/pvc-protection"]


def test_the_documents_name_every_controller() -> None:
    text = (Path(__file__).parents[2] / "docs/controllers.md").read_text(encoding="utf-8")
    assert [name for name in chosen("all") if f"`{name}`" not in text] == []
