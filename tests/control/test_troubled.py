"""The control API lists pods that crash, pods that wait for finalizers, and workloads that lack pods."""

from typing import Any

from fakeapi import FakeAPI
from fakeapi.clients.control import ControlClient
from tests.control.page_objects import CLAIM, new_pod
from tests.control.troubled_objects import CRASH, crash, keep, workload

QUOTA = {
    "apiVersion": "v1",
    "kind": "ResourceQuota",
    "metadata": {"name": "few"},
    "spec": {"hard": {"pods": "1"}},
}
NOTHING = {
    "pods": 0,
    "crashing": 0,
    "workloads": {},
    "unusedClaims": 0,
    "deletingPods": 0,
    "deletingClaims": 0,
    "deletingNamespaces": 0,
}


def groups(client: ControlClient, kind: str, **query: Any) -> list[dict[str, Any]]:
    return [group for group in client.get("/waiting", **query)["groups"] if group["kind"] == kind]


def test_crashing_pods_with_the_same_message_are_one_group(api: FakeAPI, client: ControlClient) -> None:
    crash(api, "gnu-1")
    crash(api, "gnu-2", restarts=1)
    crash(api, "yak", message="out of memory")
    found = groups(client, "crashing")
    assert [[pod["name"] for pod in group["pods"]] for group in found] == [["gnu-1", "gnu-2"], ["yak"]]
    assert (found[0]["pods"][0]["reason"], found[0]["pods"][0]["message"]) == ("CrashLoopBackOff", CRASH)
    assert [group["number"] for group in groups(client, "crashing", search="ACCEL0")] == [2]
    (one,) = client.get("/waiting", cause=found[1]["cause"])["groups"]
    assert [pod["name"] for pod in one["pods"]] == ["yak"]
    assert client.get("/pending") == NOTHING | {"crashing": 3}


def test_a_deleted_pod_names_the_finalizers_that_it_waits_for(api: FakeAPI, client: ControlClient) -> None:
    keep(api, "fox", "Succeeded")
    keep(api, "pending", "Pending")
    (group,) = groups(client, "deletingPod")
    assert [(pod["name"], pod["message"]) for pod in group["pods"]] == [
        ("fox", "waits for finalizer example.com/keep")
    ]
    assert client.get("/pending") == NOTHING | {"pods": 1, "deletingPods": 1}


def test_the_numbers_of_all_views_are_the_sums_of_the_groups(api: FakeAPI, client: ControlClient) -> None:
    for name in ("kept", "unused"):
        finalizers = ["example.com/keep"] if name == "kept" else []
        api.create({**CLAIM, "metadata": {"name": name, "finalizers": finalizers}})
    api.delete("ResourceClaim", "kept")
    api.create({**CLAIM, "metadata": {"name": "used"}})
    api.create(new_pod("train", "used"))
    crash(api, "gnu")
    keep(api, "fox", "Succeeded")
    api.create_namespace("old")
    api.delete("Namespace", "old")
    waiting = client.get("/waiting")
    expected = NOTHING | {
        "pods": 1,
        "crashing": 1,
        "unusedClaims": 1,
        "deletingPods": 1,
        "deletingClaims": 1,
        "deletingNamespaces": 1,
    }
    assert client.get("/pending") == waiting["count"] == client.get("/figures")["attention"] == expected
    assert sum(group["number"] for group in waiting["groups"]) == 5
    assert sum(group["number"] for group in client.get("/figures")["waiting"]) == 6


def test_workloads_that_lack_pods_have_the_message_of_their_condition_or_event() -> None:
    with (
        FakeAPI(
            release="1.36",
            controllers="deployment,replicaset,statefulset,job,resourcequota",
        ) as api,
        ControlClient(api.url) as client,
    ):
        api.create(QUOTA)
        api.settle()
        api.create(workload("Deployment", "cart", replicas=3))
        api.settle()
        api.create(workload("StatefulSet", "db", serviceName="db", replicas=2))
        api.create(workload("Job", "load", parallelism=2, completions=4))
        api.create(workload("ReplicaSet", "none", replicas=0))
        api.settle()
        found = [view for group in groups(client, "workload") for view in group["workloads"]]
        numbers = {(view["kind"], view["name"]): (view["pods"], view["wanted"]) for view in found}
        assert numbers == {
            ("Deployment", "cart"): (1, 3),
            ("StatefulSet", "db"): (0, 2),
            ("Job", "load"): (0, 2),
        }
        assert all("exceeded quota: few" in view["message"] for view in found)
        expected = {"Deployment": 1, "StatefulSet": 1, "Job": 1}
        assert client.get("/pending")["workloads"] == expected
        assert [view["summary"] for view in found if view["kind"] == "Deployment"] == [
            "2 of 3 pods are missing: ResourceQuota few allows 1 pod, and 1 exists"
        ]
        assert [
            view["name"] for group in groups(client, "workload", search="cart") for view in group["workloads"]
        ] == ["cart"]


def test_a_workload_whose_quota_was_raised_waits_for_its_controller() -> None:
    with (
        FakeAPI(release="1.36", controllers="deployment,replicaset,resourcequota") as api,
        ControlClient(api.url) as client,
    ):
        api.create(QUOTA)
        api.settle()
        api.create(workload("Deployment", "cart", replicas=3))
        api.settle()
        for _ in range(14):  # now the back-off of the controller is longer than a minute
            api.clock.advance(60)
            api.settle()
        api.patch("ResourceQuota", "few", {"spec": {"hard": {"pods": "5"}}})
        api.settle()
        (group,) = groups(client, "workload")
        assert group["workloads"][0]["summary"] == (
            "2 of 3 pods are missing: ResourceQuota few allows them now (pods 5, 1 used); "
            "its controller tries again after its back-off"
        )


def test_a_workload_without_a_message_is_not_listed(api: FakeAPI, client: ControlClient) -> None:
    created = api.create(workload("Deployment", "web", replicas=2))
    assert groups(client, "workload") == []
    failure = {"type": "ReplicaFailure", "status": "True", "message": "no room"}
    api.update_status({**created, "status": {"replicas": 1, "conditions": [failure]}})
    assert [group["workloads"][0]["message"] for group in groups(client, "workload")] == ["no room"]
    status = {"replicas": 2, "readyReplicas": 2, "conditions": [failure]}
    api.patch("Deployment", "web", {"status": status}, subresource="status")
    assert groups(client, "workload") == []
