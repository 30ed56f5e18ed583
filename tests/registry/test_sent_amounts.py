"""Quantities in atomic lists: which texts Go keeps, and how they change the owners of the lists."""

from collections.abc import Callable
from typing import Any

import pytest

from fakeapi.registry.requests.sent_amounts import amount_names, keeps_text
from fakeapi.releases import load_release
from fakeapi.testing.server import FakeAPI

MERGE = "application/merge-patch+json"


@pytest.mark.parametrize(
    "text", ["0", "1", "100", "1500m", "1k", "1Gi", "10k", "12345678901234567", "-5", "7Mi"]
)
def test_go_keeps_the_text_of_a_small_canonical_quantity(text: str) -> None:
    assert keeps_text(text)


@pytest.mark.parametrize(
    "text", ["8Gi", "16Mi", "512Mi", "9223372036854775808", "1.5", "1000", "0.5", "1234567890123Gi"]
)
def test_go_does_not_keep_the_text_of_other_quantities(text: str) -> None:
    assert not keeps_text(text)


def test_only_some_kinds_have_quantities_in_atomic_lists() -> None:
    kinds = load_release("1.37").kinds
    names = {(kind.api_version, kind.kind): amount_names(kind.schema) for kind in kinds}
    assert names["autoscaling/v2", "HorizontalPodAutoscaler"] == {"value", "averageValue"}
    assert "divisor" in names["v1", "Pod"]
    assert "default" in names["resource.k8s.io/v1", "ResourceSlice"]
    assert not any(names["v1", kind] for kind in ("ConfigMap", "Node", "Service"))


@pytest.mark.parametrize(
    ("amount", "sent", "owner"),
    [
        ("1500m", "1500m", "m1"),
        ("1500m", "1.5", "m2"),
        ("1Gi", "1Gi", "m1"),
        ("8Gi", "8Gi", "m2"),
        ("9223372036854775808", "9223372036854775808", "m2"),
    ],
)
def test_a_metric_that_is_sent_back_changes_its_owner_if_go_compares_another_text(
    amount: str, sent: str, owner: str, fakeapi_factory: Callable[..., FakeAPI]
) -> None:
    api = fakeapi_factory(release="1.34")
    path = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers"
    target = {"kind": "Deployment", "name": "a", "apiVersion": "apps/v1"}
    kind = {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "a"}}
    api.request("POST", path, {**kind, "spec": {"scaleTargetRef": target, "maxReplicas": 3}})

    def metrics(value: str) -> list[dict[str, Any]]:
        current = {"metric": {"name": "a"}, "current": {"averageValue": value}}
        return [{"type": "Pods", "pods": current}]

    changes = {"status": {"currentMetrics": metrics(amount)}}
    manager = {"fieldManager": "m1"}
    shown = api.request("PATCH", f"{path}/a/status", changes, query=manager, content_type=MERGE)
    status = {**shown["status"], "currentMetrics": metrics(sent), "observedGeneration": 9}
    again = api.request("PUT", f"{path}/a/status", {**shown, "status": status}, query={"fieldManager": "m2"})
    owners = [
        entry["manager"]
        for entry in again["metadata"]["managedFields"]
        if "f:currentMetrics" in entry["fieldsV1"].get("f:status", {})
    ]
    assert owners == [owner]
    assert again["status"]["currentMetrics"] == metrics(amount)


@pytest.mark.parametrize(("sent", "owner"), [("8Gi", "m1"), ("8192Mi", "m2")])
def test_a_capacity_of_a_device_changes_its_owner_only_if_its_text_changes(
    sent: str, owner: str, fakeapi_factory: Callable[..., FakeAPI]
) -> None:
    api = fakeapi_factory(release="1.34")
    path = "/apis/resource.k8s.io/v1/resourceslices"
    kind = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "a"}}
    pool = {"name": "p", "resourceSliceCount": 1, "generation": 1}

    def spec(value: str) -> dict[str, Any]:
        devices = [{"name": "d", "capacity": {"c": {"value": value}}}]
        return {"driver": "d.example.com", "nodeName": "n", "pool": pool, "devices": devices}

    shown = api.request("POST", path, {**kind, "spec": spec("8Gi")}, query={"fieldManager": "m1"})
    pool["generation"] = 2
    again = api.request("PUT", f"{path}/a", {**shown, "spec": spec(sent)}, query={"fieldManager": "m2"})
    entries = again["metadata"]["managedFields"]
    owners = [entry["manager"] for entry in entries if "f:devices" in entry["fieldsV1"]["f:spec"]]
    assert owners == [owner]
