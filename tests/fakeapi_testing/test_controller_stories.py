"""Controllers in other threads do their work, and tests wait for it without sleeping."""

from collections.abc import Callable
from typing import Any

import pytest

from fakeapi import FakeAPI, StatusError
from fakeapi.testing.client import Client
from fakeapi.testing.objects import claim, config_map, deployment, device_class, pod, resource_slice
from tests.fakeapi_testing.code_under_test import code_under_test


def follow(client: Client, kind: str, react: Callable[[dict[str, Any]], object], count: int) -> None:
    """Calls `react` for the first changes of a kind in the namespace default."""
    for event in client.watch(kind, namespace="default", count=count):
        react(event.object)


def test_it_retries_after_a_conflict(fakeapi: FakeAPI) -> None:
    def mark(client: Client) -> None:
        while True:
            obj = client.get("ConfigMap", "state")
            obj["data"] = {"seen": "true"}
            try:
                client.update(obj)
            except StatusError as error:
                if not error.is_conflict:
                    raise
            else:
                return

    fakeapi.create(config_map("state"))
    fakeapi.faults.conflict("configmaps", times=2)
    with code_under_test(fakeapi, mark):
        fakeapi.requests.verify("update configmaps", times=2, code=409, within=5)
        fakeapi.wait_for("ConfigMap", "state", until=".data.seen=true")


def test_it_reacts_to_each_new_object(fakeapi: FakeAPI) -> None:
    def react(client: Client) -> None:
        follow(client, "Pod", lambda each: client.create(config_map(each["metadata"]["name"])), 3)

    with code_under_test(fakeapi, react):
        for name in "abc":
            fakeapi.create(pod(name))
        fakeapi.eventually(lambda: len(fakeapi.list("ConfigMap", namespace="default")) == 3)


def test_it_removes_its_finalizer(fakeapi: FakeAPI) -> None:
    def release(client: Client) -> None:
        def react(each: dict[str, Any]) -> None:
            if "deletionTimestamp" in each["metadata"]:
                client.patch("ConfigMap", "held", {"metadata": {"finalizers": None}})

        follow(client, "ConfigMap", react, 2)

    held = config_map("held")
    held["metadata"]["finalizers"] = ["example.com/cleanup"]
    fakeapi.create(held)
    with code_under_test(fakeapi, release):
        fakeapi.requests.verify("watch configmaps", within=5)
        fakeapi.delete("ConfigMap", "held")
        fakeapi.wait_for("ConfigMap", "held", gone=True)


def test_it_survives_an_expired_watch(fakeapi: FakeAPI) -> None:
    names: list[str] = []
    fakeapi.faults.expire("pods", after=1)
    with code_under_test(
        fakeapi, lambda client: follow(client, "Pod", lambda each: names.append(each["metadata"]["name"]), 3)
    ):
        fakeapi.requests.verify("watch pods", within=5)
        for name in "abc":
            fakeapi.create(pod(name))
        fakeapi.eventually(lambda: names == ["a", "b", "c"])
    fakeapi.requests.verify("list pods", times=2)


def test_it_reports_ready_by_a_condition(fakeapi: FakeAPI) -> None:
    fakeapi.create(pod("train"))
    with code_under_test(
        fakeapi, lambda client: client.set_condition("Pod", "train", "Ready", reason="Warm")
    ):
        ready = fakeapi.wait_for("Pod", "train", until="Ready")
    assert ready["status"]["conditions"][-1]["reason"] == "Warm"


def test_it_scales_and_watches_the_replicas(fakeapi: FakeAPI) -> None:
    fakeapi.create(deployment("web"))
    with code_under_test(fakeapi, lambda client: client.scale("Deployment", "web", 5)):
        fakeapi.wait_for("Deployment", "web", until=".spec.replicas=5")
    fakeapi.requests.verify("patch deployments/scale default/web", user="kubernetes-admin")


def test_two_managers_apply_their_own_fields(fakeapi: FakeAPI) -> None:
    def apply(client: Client) -> None:
        client.apply(config_map("shared", {"theirs": "1"}), manager="other")

    fakeapi.apply(config_map("shared", {"mine": "1"}), manager="me")
    with code_under_test(fakeapi, apply):
        both = fakeapi.wait_for("ConfigMap", "shared", until=".data.theirs")
    assert both["data"] == {"mine": "1", "theirs": "1"}


@pytest.mark.fakeapi(controllers=["scheduler", "resourceclaim"])
def test_a_claim_is_allocated_after_its_driver_publishes_a_slice(fakeapi: FakeAPI) -> None:
    fakeapi.ready_node("node")
    fakeapi.create_all([device_class(), claim("gpu"), pod("train", claims=["gpu"])])
    fakeapi.wait_for("Pod", "train", until="PodScheduled=False")
    with code_under_test(fakeapi, lambda client: client.create(resource_slice(devices=2))):
        allocated = fakeapi.wait_for("ResourceClaim", "gpu", until=".status.allocation")
    assert allocated["status"]["allocation"]["devices"]["results"][0]["pool"] == "node"
    assert fakeapi.wait_for("Pod", "train", until="PodScheduled")["spec"]["nodeName"] == "node"


def test_it_renews_its_lease_when_the_clock_moves(fakeapi: FakeAPI) -> None:
    fakeapi.clock.freeze()
    lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "leader"}}
    fakeapi.create({**lease, "spec": {"holderIdentity": "a", "leaseDurationSeconds": 15}})

    def take_over(client: Client) -> None:
        client.patch("Lease", "leader", {"spec": {"holderIdentity": "b"}})

    fakeapi.clock.advance(16)
    with code_under_test(fakeapi, take_over):
        fakeapi.wait_for("Lease", "leader", until=".spec.holderIdentity=b")


@pytest.mark.fakeapi(authorization="rbac")
def test_it_stops_when_its_role_is_missing(fakeapi: FakeAPI) -> None:
    errors: list[StatusError] = []

    def work(client: Client) -> None:
        driver = client.as_user("system:serviceaccount:team:driver")
        try:
            driver.list("ResourceClaim")
        except StatusError as error:
            errors.append(error)

    with code_under_test(fakeapi, work):
        fakeapi.requests.verify("list resourceclaims", code=403, within=5)
        fakeapi.eventually(lambda: [error.reason for error in errors] == ["Forbidden"])
