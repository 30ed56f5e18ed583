"""The controller of PodDisruptionBudgets counts healthy pods and allows evictions."""

from collections.abc import Iterator
from typing import Any

import pytest

from fakeapi import FakeAPI, StatusError
from fakeapi.machinery.golang.times import now_text
from tests.controllers.workloads.objects import (
    LABELS,
    Object,
    condition,
    get,
    messages,
    pods,
    run_all,
    set_phase,
    status,
    template,
    workload,
)

CONTROLLERS = ("deployment", "replicaset", "statefulset", "disruption")


@pytest.fixture
def api() -> Iterator[FakeAPI]:
    with FakeAPI(release="1.37", controllers=CONTROLLERS) as server:
        server.clock.freeze()
        yield server


def budget(name: str = "web", **spec: Any) -> Object:
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"selector": {"matchLabels": LABELS}, **spec},
    }


def numbers(api: FakeAPI, name: str = "web") -> tuple[int, int, int, int]:
    """Returns allowed disruptions, current healthy, desired healthy and expected pods of a budget."""
    found = status(api, "PodDisruptionBudget", name)
    return (
        found["disruptionsAllowed"],
        found["currentHealthy"],
        found["desiredHealthy"],
        found["expectedPods"],
    )


def evict(api: FakeAPI, pod: Object) -> None:
    api.settle()
    api.evict(pod["metadata"]["name"])


def allowed(api: FakeAPI) -> Object:
    found = condition(status(api, "PodDisruptionBudget"), "DisruptionAllowed")
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"minAvailable": 2}, (1, 3, 2, 3)),
        ({"minAvailable": "50%"}, (1, 3, 2, 3)),
        ({"maxUnavailable": 1}, (1, 3, 2, 3)),
        ({"maxUnavailable": "34%"}, (2, 3, 1, 3)),
        ({"minAvailable": 5}, (0, 3, 5, 3)),
        ({"maxUnavailable": 9}, (3, 3, 0, 3)),
        ({}, (0, 3, 0, 0)),
    ],
)
@pytest.mark.parametrize("kind", ["Deployment", "ReplicaSet", "StatefulSet"])
def test_a_budget_counts_the_pods_that_their_owners_want(
    api: FakeAPI, kind: str, spec: dict[str, Any], expected: tuple[int, int, int, int]
) -> None:
    api.create(workload(kind, replicas=3, **({"serviceName": "web"} if kind == "StatefulSet" else {})))
    run_all(api)
    api.create(budget(**spec))
    assert numbers(api) == expected
    assert status(api, "PodDisruptionBudget")["observedGeneration"] == 1


def test_an_unready_pod_counts_as_expected_but_not_as_healthy(api: FakeAPI) -> None:
    api.create(workload("ReplicaSet", replicas=3))
    run_all(api)
    api.create(budget(maxUnavailable=1))
    assert (allowed(api)["status"], allowed(api)["reason"]) == ("True", "SufficientPods")
    set_phase(api, pods(api)[0], "Pending")
    assert numbers(api) == (0, 2, 2, 3)
    assert (allowed(api)["status"], allowed(api)["reason"]) == ("False", "InsufficientPods")


def test_the_condition_keeps_its_time_while_its_status_stays(api: FakeAPI) -> None:
    api.create(workload("ReplicaSet", replicas=3))
    run_all(api)
    api.create(budget(minAvailable=1))
    before = allowed(api)
    api.clock.advance(60)
    api.patch("PodDisruptionBudget", "web", {"spec": {"minAvailable": 2}}, namespace="default")
    after = allowed(api)
    assert after["observedGeneration"] == 2
    assert after["lastTransitionTime"] == before["lastTransitionTime"]
    api.patch("PodDisruptionBudget", "web", {"spec": {"minAvailable": 3}}, namespace="default")
    assert allowed(api)["lastTransitionTime"] > before["lastTransitionTime"]


def test_evictions_are_allowed_until_the_budget_is_used_up(api: FakeAPI) -> None:
    api.create(workload("ReplicaSet", replicas=3))
    run_all(api)
    api.create(budget(minAvailable=2))
    first, second, _ = pods(api)
    evict(api, first)
    with pytest.raises(StatusError) as refused:
        evict(api, second)
    assert refused.value.code == 429
    run_all(api)
    assert numbers(api) == (1, 3, 2, 3)
    assert not status(api, "PodDisruptionBudget").get("disruptedPods")
    evict(api, second)


def test_an_evicted_pod_that_is_not_deleted_counts_again_after_two_minutes(api: FakeAPI) -> None:
    api.create(workload("ReplicaSet", replicas=3))
    run_all(api)
    api.create(budget(minAvailable=2))
    name = pods(api)[0]["metadata"]["name"]
    stored = get(api, "PodDisruptionBudget")
    evicted = {**stored["status"], "disruptionsAllowed": 0, "disruptedPods": {name: _now(api)}}
    api.update_status({**stored, "status": evicted})
    assert numbers(api) == (0, 2, 2, 3)
    assert list(status(api, "PodDisruptionBudget")["disruptedPods"]) == [name]
    api.clock.advance(122)
    assert numbers(api) == (1, 3, 2, 3)
    assert "disruptedPods" not in status(api, "PodDisruptionBudget")
    assert messages(api, "NotDeleted") == [
        "Pod was expected by PDB default/default to be deleted but it wasn't"
    ]


def _now(api: FakeAPI) -> str:
    return now_text(api.clock.now())


def test_pods_without_an_owner_count_for_a_number_but_not_for_a_percentage(api: FakeAPI) -> None:
    pod = {"apiVersion": "v1", "kind": "Pod", **template()}
    pod["metadata"] = {"name": "alone", "namespace": "default", "labels": LABELS}
    api.create(pod)
    run_all(api)
    api.create(budget(minAvailable=1))
    assert numbers(api) == (0, 1, 1, 1)
    api.create(budget("percent", minAvailable="50%"))
    assert numbers(api, "percent") == (0, 1, 0, 0)
    (message,) = messages(api, "UnmanagedPods")
    assert "(selector: &LabelSelector{MatchLabels:map[string]string{app: web,}," in message
    api.patch("Pod", "alone", {"metadata": {"annotations": {"a": "b"}}})
    assert messages(api, "MultiplePodDisruptionBudgets") == [
        'Pod "default"/"alone" matches multiple PodDisruptionBudgets.  Chose "web" arbitrarily.'
    ]


def test_a_budget_of_pods_whose_owner_has_no_scale_allows_nothing_and_says_why(api: FakeAPI) -> None:
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "job", "namespace": "default"},
        "spec": {"template": template(restartPolicy="Never")},
    }
    owner = api.create(job)
    reference = {"apiVersion": "batch/v1", "kind": "Job", "name": "job", "uid": owner["metadata"]["uid"]}
    pod = {"apiVersion": "v1", "kind": "Pod", **template()}
    pod["metadata"] = {
        "name": "pod",
        "namespace": "default",
        "labels": LABELS,
        "ownerReferences": [{**reference, "controller": True}],
    }
    api.create(pod)
    api.create(budget(maxUnavailable=1))
    failed = allowed(api)
    assert (failed["status"], failed["reason"]) == ("False", "SyncFailed")
    assert failed["message"] == "jobs.batch does not implement the scale subresource"
    assert messages(api, "CalculateExpectedPodCountFailed") == [
        "Failed to calculate the number of expected pods: jobs.batch does not implement the scale subresource"
    ]


def test_a_custom_owner_is_asked_for_its_scale(api: FakeAPI) -> None:
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema},
        "subresources": {
            "status": {},
            "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"},
        },
    }
    names = {"plural": "sets", "singular": "set", "kind": "Set", "listKind": "SetList"}
    api.create(
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "sets.example.com"},
            "spec": {"group": "example.com", "names": names, "scope": "Namespaced", "versions": [version]},
        }
    )
    owner = api.create(
        {
            "apiVersion": "example.com/v1",
            "kind": "Set",
            "metadata": {"name": "set", "namespace": "default"},
            "spec": {"replicas": 4},
        }
    )
    reference = {"apiVersion": "example.com/v1", "kind": "Set", "name": "set", "controller": True}
    pod = {"apiVersion": "v1", "kind": "Pod", **template()}
    pod["metadata"] = {
        "name": "pod",
        "namespace": "default",
        "labels": LABELS,
        "ownerReferences": [{**reference, "uid": owner["metadata"]["uid"]}],
    }
    api.create(pod)
    run_all(api)
    api.create(budget(maxUnavailable=1))
    assert numbers(api) == (0, 1, 3, 4)


def test_a_budget_without_pods_reports_that(api: FakeAPI) -> None:
    api.create(budget(minAvailable=1))
    assert numbers(api) == (0, 0, 1, 0)
    assert messages(api, "NoPods") == ["No matching pods found"]


def test_a_disruption_target_that_was_not_deleted_is_cleared_after_two_minutes(api: FakeAPI) -> None:
    api.create(budget(minAvailable=1))
    api.create(workload("ReplicaSet", replicas=1))
    run_all(api)
    (pod,) = pods(api)
    target = {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}
    conditions = [{**target, "lastTransitionTime": _now(api)}]
    body = {"status": {"conditions": conditions}}
    name = pod["metadata"]["name"]
    api.patch("Pod", name, body, type="strategic", subresource="status")
    api.clock.advance(60)
    found = condition(get(api, "Pod", name)["status"], "DisruptionTarget")
    assert found is not None
    assert found["status"] == "True"
    api.clock.advance(61)
    found = condition(get(api, "Pod", name)["status"], "DisruptionTarget")
    assert found is not None
    assert found["status"] == "False"
    assert "reason" not in found
