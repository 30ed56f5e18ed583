"""A gang that does not fit preempts pods of lower priority. A PodGroup may be preempted as a whole."""

from collections.abc import Iterator
from typing import Any

import pytest

from fakeapi import FakeAPI
from tests.controllers.workloads.groups import BETA, add_node, group, member, message_of, nodes_of, server
from tests.controllers.workloads.objects import Object, condition

NO_VICTIMS = "pod group preemption: No preemption victims found for incoming preemptor"


@pytest.fixture
def api() -> Iterator[FakeAPI]:
    with server() as running:
        for name, value in (("low", 10), ("high", 1000)):
            kind = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "value": value}
            running.create({**kind, "metadata": {"name": name}})
        for node in ("a", "b"):
            add_node(running, node, cpu="4")
        yield running


def pod(name: str, cpu: str, priority: str = "low", node: str = "", **more: Any) -> Object:
    container = {"name": "main", "image": "image", "resources": {"requests": {"cpu": cpu}}}
    spec: Object = {"containers": [container], "priorityClassName": priority, **more}
    if node:
        spec["affinity"] = _affinity(node)
    spec.setdefault("terminationGracePeriodSeconds", 0)
    metadata = {"name": name, "namespace": "default"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def _affinity(node: str) -> Object:
    field = {"key": "metadata.name", "operator": "In", "values": [node]}
    required = {"nodeSelectorTerms": [{"matchFields": [field]}]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}


def gang(name: str, count: int, priority: str, **spec: Any) -> Object:
    made = group(name, count)
    made["spec"] |= {"priorityClassName": priority, **spec}
    return made


def of(group_name: str, made: Object) -> Object:
    made["spec"]["schedulingGroup"] = {"podGroupName": group_name}
    return made


def names(api: FakeAPI) -> set[str]:
    api.settle()
    return {each["metadata"]["name"] for each in api.list("Pod", namespace="default")}


def group_condition(api: FakeAPI, name: str = "g") -> Object:
    api.settle()
    stored = api.get("PodGroup", name, namespace="default", api_version=BETA)
    found = condition(stored["status"], "PodGroupInitiallyScheduled")
    assert found is not None
    return found


def test_a_gang_preempts_only_the_pods_without_whose_deletion_it_does_not_fit(api: FakeAPI) -> None:
    for name, cpu, node in (("big-a", "3", "a"), ("small-a", "1", "a"), ("big-b", "3", "b")):
        api.create(pod(name, cpu, node=node))
    assert len(nodes_of(api)) == 3
    api.create(gang("g", 2, "high"))
    for name in ("x", "y"):
        api.create(of("g", pod(name, "3", "high")))
    assert names(api) == {"small-a", "x", "y"}
    assert sorted(each for name, each in nodes_of(api).items() if name in "xy") == ["a", "b"]
    assert group_condition(api)["status"] == "True"
    events = [each for each in api.list("Event", api_version="v1") if each["reason"] == "Preempted"]
    uid = api.get("PodGroup", "g", namespace="default", api_version=BETA)["metadata"]["uid"]
    assert {each["message"] for each in events} == {f"Preempted by podgroup {uid} on node cluster"}


def test_a_gang_waits_on_its_nominated_nodes_while_its_victims_end(api: FakeAPI) -> None:
    for node in ("a", "b"):
        api.create(pod(f"low-{node}", "4", node=node, terminationGracePeriodSeconds=30))
    assert len(nodes_of(api)) == 2
    api.create(gang("g", 2, "high"))
    for name in ("x", "y"):
        api.create(of("g", pod(name, "4", "high")))
    api.settle()
    waiting = [api.get("Pod", name, namespace="default")["status"] for name in ("x", "y")]
    assert sorted(status["nominatedNodeName"] for status in waiting) == ["a", "b"]
    message = group_condition(api)["message"]
    assert message.startswith("minCount (2) cannot be satisfied: 0 scheduled, 1 remaining, ")
    assert "preempting 2 victims" in message or "ongoing preemption on nominated nodes" in message
    api.create(pod("other", "4", "low"))
    for node in ("a", "b"):
        victim = api.get("Pod", f"low-{node}", namespace="default")
        target = condition(victim["status"], "DisruptionTarget")
        assert target is not None
        assert target["message"] == (
            "default-scheduler: preempting to accommodate a higher priority podgroup"
        )
        api.delete("Pod", f"low-{node}", namespace="default", options={"gracePeriodSeconds": 0})
    assert nodes_of(api).keys() == {"x", "y"}


def test_a_gang_that_fits_nowhere_deletes_no_pod(api: FakeAPI) -> None:
    api.create(pod("low", "4", node="a"))
    assert len(nodes_of(api)) == 1
    api.create(gang("g", 3, "high"))
    for name in ("x", "y", "z"):
        api.create(of("g", pod(name, "4", "high")))
    assert names(api) == {"low", "x", "y", "z"}
    assert "pod group preemption: minCount (3) cannot be satisfied" in group_condition(api)["message"]


@pytest.mark.parametrize(
    ("priority", "policy", "reason"),
    [
        ("low", "PreemptLowerPriority", NO_VICTIMS),
        ("high", "Never", "pod group preemption: not eligible due to preemptionPolicy=Never."),
    ],
)
def test_a_gang_may_be_unable_to_preempt(api: FakeAPI, priority: str, policy: str, reason: str) -> None:
    for node in ("a", "b"):
        api.create(pod(f"low-{node}", "4", node=node))
    assert len(nodes_of(api)) == 2
    if policy == "Never":
        kind = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "value": 1000}
        api.create({**kind, "metadata": {"name": "polite"}, "preemptionPolicy": policy})
        priority = "polite"
    api.create(gang("g", 2, priority))
    for name in ("x", "y"):
        api.create(of("g", pod(name, "4", priority)))
    assert names(api) == {"low-a", "low-b", "x", "y"}
    assert group_condition(api)["message"].endswith(f", {reason}")
    assert message_of(api, "y").startswith("minCount (2) cannot be satisfied")


@pytest.mark.parametrize(("mode", "left"), [("all", 0), ("single", 1)])
def test_a_pod_preempts_the_pods_of_a_group_together_if_its_disruption_mode_is_all(
    api: FakeAPI, mode: str, left: int
) -> None:
    api.create(gang("g", 2, "low", disruptionMode={mode: {}}))
    for name, node in (("x", "a"), ("y", "b")):
        api.create(of("g", pod(name, "4", node=node)))
    assert len(nodes_of(api)) == 2
    api.create(pod("urgent", "4", "high"))
    assert nodes_of(api)["urgent"] in {"a", "b"}
    assert len(names(api) & {"x", "y"}) == left


def test_the_priority_of_the_group_protects_its_pods(api: FakeAPI) -> None:
    api.create(gang("g", 2, "high"))
    for name, node in (("x", "a"), ("y", "b")):
        made = member(name, "g", cpu="4")
        made["spec"]["affinity"] = _affinity(node)
        api.create(made)
    assert len(nodes_of(api)) == 2
    api.create(pod("middle", "4", "low"))
    assert names(api) == {"x", "y", "middle"}
    assert "middle" not in nodes_of(api)
