"""The controller of Deployments rolls out pod templates through ReplicaSets."""

from typing import Any

import pytest

from fakeapi import FakeAPI
from fakeapi.controllers.workloads.hashing import revision_hash
from tests.controllers.workloads.objects import (
    condition,
    get,
    messages,
    names,
    pods,
    run_all,
    set_phase,
    status,
    workload,
)

NEW_TEMPLATE = {"spec": {"template": {"metadata": {"annotations": {"version": "2"}}}}}
REVISION = "deployment.kubernetes.io/revision"


def sizes(api: FakeAPI) -> dict[str, int]:
    """Returns the replicas of the ReplicaSets by revision."""
    api.settle()
    sets = api.list("ReplicaSet", namespace="default")
    return {each["metadata"]["annotations"][REVISION]: each["spec"]["replicas"] for each in sets}


def change(api: FakeAPI, patch: dict[str, Any]) -> None:
    api.patch("Deployment", "web", patch, namespace="default")
    api.settle()


def test_a_new_deployment_creates_a_replicaset_and_becomes_available(api: FakeAPI) -> None:
    api.create(workload("Deployment", replicas=2))
    deployment = get(api, "Deployment")
    (replica_set,) = api.list("ReplicaSet", namespace="default")
    value = replica_set["metadata"]["labels"]["pod-template-hash"]
    assert replica_set["metadata"]["name"] == f"web-{value}"
    assert replica_set["spec"]["selector"]["matchLabels"]["pod-template-hash"] == value
    assert pods(api)[0]["metadata"]["labels"]["pod-template-hash"] == value
    assert deployment["metadata"]["annotations"][REVISION] == "1"
    available = condition(deployment["status"], "Available")
    assert available is not None
    assert available["reason"] == "MinimumReplicasUnavailable"
    progress = condition(deployment["status"], "Progressing")
    assert progress is not None
    assert (progress["status"], progress["reason"]) == ("True", "ReplicaSetUpdated")
    run_all(api)
    done = status(api, "Deployment")
    assert [
        done[name] for name in ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas")
    ] == 4 * [2]
    assert done["observedGeneration"] == 1
    progress = condition(done, "Progressing")
    assert progress is not None
    assert progress["reason"] == "NewReplicaSetAvailable"
    assert progress["message"] == f'ReplicaSet "web-{value}" has successfully progressed.'
    assert messages(api, "ScalingReplicaSet") == [f"Scaled up replica set web-{value} from 0 to 2"]


def test_a_rolling_update_keeps_within_surge_and_unavailable(api: FakeAPI) -> None:
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    api.create(workload("Deployment", replicas=3, strategy=strategy))
    run_all(api)
    change(api, NEW_TEMPLATE)
    assert sizes(api) == {"1": 3, "2": 1}
    waiting = [pod for pod in pods(api) if pod["status"]["phase"] == "Pending"]
    set_phase(api, waiting[0], "Running")
    assert sizes(api) == {"1": 2, "2": 2}
    run_all(api)
    assert sizes(api) == {"1": 0, "2": 3}
    assert len(pods(api)) == 3


def test_the_strategy_recreate_removes_old_pods_first(api: FakeAPI) -> None:
    api.create(workload("Deployment", replicas=2, strategy={"type": "Recreate"}))
    run_all(api)
    old = pods(api)
    for pod in old:
        held = {"metadata": {"finalizers": ["example.com/held"]}}
        api.patch("Pod", pod["metadata"]["name"], held, namespace="default")
    change(api, NEW_TEMPLATE)
    assert sizes(api) == {"1": 0}
    for pod in old:
        free = {"metadata": {"finalizers": None}}
        api.patch("Pod", pod["metadata"]["name"], free, namespace="default")
    assert sizes(api) == {"1": 0, "2": 2}


def test_a_rollback_uses_the_old_replicaset_again(api: FakeAPI) -> None:
    api.create(workload("Deployment", replicas=1))
    run_all(api)
    (first,) = names(api.list("ReplicaSet", namespace="default"))
    change(api, NEW_TEMPLATE)
    run_all(api)
    change(api, {"spec": {"template": {"metadata": {"annotations": {"version": None}}}}})
    run_all(api)
    assert sizes(api) == {"2": 0, "3": 1}
    again = get(api, "ReplicaSet", first)
    assert again["spec"]["replicas"] == 1
    assert again["metadata"]["annotations"]["deployment.kubernetes.io/revision-history"] == "1"
    assert get(api, "Deployment")["metadata"]["annotations"][REVISION] == "3"


def test_a_rollout_without_progress_times_out(api: FakeAPI) -> None:
    api.create(workload("Deployment", replicas=1, progressDeadlineSeconds=60))
    api.settle()
    api.clock.advance(59)
    progress = condition(status(api, "Deployment"), "Progressing")
    assert progress is not None
    assert progress["status"] == "True"
    api.clock.advance(3)
    progress = condition(status(api, "Deployment"), "Progressing")
    assert progress is not None
    assert (progress["status"], progress["reason"]) == ("False", "ProgressDeadlineExceeded")


def test_a_paused_deployment_scales_and_does_not_roll_out(api: FakeAPI) -> None:
    api.create(workload("Deployment", replicas=1))
    run_all(api)
    change(api, {"spec": {"paused": True}})
    change(api, NEW_TEMPLATE)
    change(api, {"spec": {"replicas": 2}})
    assert sizes(api) == {"1": 2}
    progress = condition(status(api, "Deployment"), "Progressing")
    assert progress is not None
    assert (progress["status"], progress["reason"]) == ("Unknown", "DeploymentPaused")
    change(api, {"spec": {"paused": False}})
    run_all(api)
    assert sizes(api) == {"1": 0, "2": 2}


def test_scaling_during_a_rollout_is_proportional(api: FakeAPI) -> None:
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 3, "maxUnavailable": 2}}
    api.create(workload("Deployment", replicas=10, strategy=strategy))
    run_all(api)
    change(api, NEW_TEMPLATE)
    assert sizes(api) == {"1": 8, "2": 5}
    change(api, {"spec": {"replicas": 15}})
    assert sizes(api) == {"1": 11, "2": 7}


def test_old_replicasets_above_the_history_limit_are_deleted(api: FakeAPI) -> None:
    api.create(workload("Deployment", replicas=1, revisionHistoryLimit=1))
    for version in ("1", "2", "3", "4"):
        change(api, {"spec": {"template": {"metadata": {"annotations": {"version": version}}}}})
        run_all(api)
    assert sorted(sizes(api)) == ["4", "5"]


def test_a_failure_of_a_replicaset_appears_in_the_deployment(api: FakeAPI) -> None:
    quota = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "q", "namespace": "default"},
        "spec": {"hard": {"pods": "0"}},
    }
    api.update_status(api.create(quota) | {"status": {"hard": {"pods": "0"}, "used": {"pods": "0"}}})
    api.create(workload("Deployment", replicas=1))
    failure = condition(status(api, "Deployment"), "ReplicaFailure")
    assert failure is not None
    assert failure["reason"] == "FailedCreate"


def test_pods_and_replicasets_are_deleted_with_the_deployment(api: FakeAPI) -> None:
    api.create(workload("Deployment", replicas=2))
    api.settle()
    api.delete("Deployment", "web", namespace="default")
    assert pods(api) == []
    assert api.list("ReplicaSet", namespace="default") == []


@pytest.mark.parametrize("release", ["1.28", "1.34"])
def test_older_releases_roll_out_too(release: str) -> None:
    with FakeAPI(release=release, controllers=("deployment", "replicaset")) as api:
        api.create(workload("Deployment", replicas=2))
        run_all(api)
        done = status(api, "Deployment")
        assert done["availableReplicas"] == 2
        assert "terminatingReplicas" not in done


def test_hashes_of_revisions_agree_with_kubernetes() -> None:
    # FNV-1 of the empty text is its basis, 2166136261.
    assert revision_hash({}, None) != revision_hash({}, 1)
    assert revision_hash({}, None).isalnum()
