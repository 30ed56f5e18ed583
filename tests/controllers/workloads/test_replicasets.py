"""The controller of ReplicaSets keeps the desired number of pods."""

import pytest

from fakeapi import FakeAPI
from tests.controllers.workloads.objects import (
    LABELS,
    condition,
    get,
    messages,
    names,
    pods,
    run_all,
    set_phase,
    status,
    template,
    workload,
)

COST = "controller.kubernetes.io/pod-deletion-cost"


@pytest.mark.parametrize(
    ("kind", "api_version", "selector"),
    [("ReplicaSet", "apps/v1", {"matchLabels": LABELS}), ("ReplicationController", "v1", LABELS)],
)
def test_missing_pods_are_created(
    api: FakeAPI, kind: str, api_version: str, selector: dict[str, str]
) -> None:
    api.create(workload(kind, api_version=api_version, replicas=3, selector=selector))
    created = pods(api)
    assert len(created) == 3
    (reference,) = created[0]["metadata"]["ownerReferences"]
    assert (reference["kind"], reference["name"], reference["controller"]) == (kind, "web", True)
    assert reference["blockOwnerDeletion"]
    assert created[0]["metadata"]["generateName"] == "web-"
    assert created[0]["metadata"]["labels"] == LABELS
    assert sorted(messages(api, "SuccessfulCreate")) == [f"Created pod: {name}" for name in names(created)]
    counts = status(api, kind)
    assert (counts["replicas"], counts["fullyLabeledReplicas"], counts["observedGeneration"]) == (3, 3, 1)
    assert not counts.get("readyReplicas")


def test_pods_that_have_ended_or_are_deleted_are_replaced(api: FakeAPI) -> None:
    api.create(workload("ReplicaSet", replicas=2))
    failed, deleted = pods(api)
    set_phase(api, failed, "Failed")
    api.delete("Pod", deleted["metadata"]["name"], namespace="default")
    now = pods(api)
    assert len(now) == 3
    assert failed["metadata"]["name"] in names(now)
    assert status(api, "ReplicaSet")["replicas"] == 2


def test_a_ready_pod_is_available_after_min_ready_seconds(api: FakeAPI) -> None:
    api.create(workload("ReplicaSet", replicas=1, minReadySeconds=30))
    run_all(api)
    counts = status(api, "ReplicaSet")
    assert (counts["readyReplicas"], counts.get("availableReplicas", 0)) == (1, 0)
    api.clock.advance(31)
    assert status(api, "ReplicaSet")["availableReplicas"] == 1


def test_surplus_pods_are_deleted_unready_and_cheap_ones_first(api: FakeAPI) -> None:
    api.create(workload("ReplicaSet", replicas=4))
    run_all(api)
    first, second, third, fourth = pods(api)
    set_phase(api, second, "Pending")
    cheap = {"metadata": {"annotations": {COST: "-5"}}}
    api.patch("Pod", third["metadata"]["name"], cheap, namespace="default")
    api.patch("ReplicaSet", "web", {"spec": {"replicas": 2}}, namespace="default")
    assert names(pods(api)) == names([first, fourth])
    assert len(messages(api, "SuccessfulDelete")) == 2


def test_matching_orphans_are_adopted_and_other_pods_are_released(api: FakeAPI) -> None:
    orphan = {"apiVersion": "v1", "kind": "Pod", **template()}
    orphan["metadata"] = {"name": "orphan", "namespace": "default", "labels": LABELS}
    api.create(orphan)
    api.create(workload("ReplicaSet", replicas=1))
    (adopted,) = pods(api)
    assert adopted["metadata"]["name"] == "orphan"
    assert adopted["metadata"]["ownerReferences"][0]["kind"] == "ReplicaSet"
    api.patch("Pod", "orphan", {"metadata": {"labels": {"app": "other"}}}, namespace="default")
    released = get(api, "Pod", "orphan")
    assert "ownerReferences" not in released["metadata"]
    assert len(pods(api)) == 2


def test_refused_pods_are_reported_in_a_condition_and_an_event(api: FakeAPI) -> None:
    quota = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "q", "namespace": "default"},
        "spec": {"hard": {"pods": "1"}},
        "status": {"hard": {"pods": "1"}, "used": {"pods": "0"}},
    }
    api.update_status(api.create(quota) | {"status": quota["status"]})
    api.create(workload("ReplicaSet", replicas=5))
    assert len(pods(api)) == 1
    failure = condition(status(api, "ReplicaSet"), "ReplicaFailure")
    assert failure is not None
    assert (failure["status"], failure["reason"]) == ("True", "FailedCreate")
    assert "exceeded quota" in failure["message"]
    assert messages(api, "FailedCreate")[0].startswith("Error creating: pods ")


def test_pods_of_a_deleted_replicaset_are_deleted_or_orphaned(api: FakeAPI) -> None:
    api.create(
        workload(
            "ReplicaSet",
            "kept",
            replicas=1,
            selector={"matchLabels": {"app": "kept"}},
            template=template({"app": "kept"}),
        )
    )
    api.create(workload("ReplicaSet", replicas=1))
    api.settle()
    api.delete("ReplicaSet", "kept", namespace="default", options={"propagationPolicy": "Orphan"})
    api.delete("ReplicaSet", "web", namespace="default")
    (left,) = pods(api)
    assert left["metadata"]["labels"] == {"app": "kept"}
    assert "ownerReferences" not in left["metadata"]
