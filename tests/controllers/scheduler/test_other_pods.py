"""Existing pods affect the scheduling of new pods: topology spread, inter-pod affinity, preemption."""

from collections.abc import Iterator
from typing import Any

import pytest

from fakeapi import FakeAPI
from fakeapi.controllers.event_series import NOTE_LENGTH_MAX

Object = dict[str, Any]


@pytest.fixture
def api() -> Iterator[FakeAPI]:
    with FakeAPI(release="1.36", controllers="scheduler") as server:
        for name, zone in (("a1", "a"), ("a2", "a"), ("b1", "b")):
            size = {"cpu": "4", "memory": "16Gi", "pods": "110"}
            metadata = {"name": name, "labels": {"kubernetes.io/hostname": name, "zone": zone}}
            node: Object = {"apiVersion": "v1", "kind": "Node", "metadata": metadata}
            server.create({**node, "status": {"capacity": size, "allocatable": size}})
            server.patch("Node", name, {"spec": {"taints": None}})
        for name, value in (("low", 10), ("high", 1000)):
            priority = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "value": value}
            server.create({**priority, "metadata": {"name": name}})
        server.settle()
        yield server


def add(api: FakeAPI, name: str, cpu: str = "100m", labels: Object | None = None, **spec: Any) -> str:
    """Creates a pod and waits for the scheduler; returns the name of the pod's node, "" if it has none."""
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}
    metadata = {"name": name, "labels": labels or {"app": "x"}}
    spec = {"containers": [container], "terminationGracePeriodSeconds": 0, **spec}
    api.create({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})
    api.settle()
    return str(api.get("Pod", name)["spec"].get("nodeName", ""))


def message(api: FakeAPI, pod: str) -> str:
    conditions = api.get("Pod", pod)["status"]["conditions"]
    return next(str(each["message"]) for each in conditions if each["type"] == "PodScheduled")


def on(node: str) -> Object:
    return {"nodeSelector": {"kubernetes.io/hostname": node}}


def spread(**more: Any) -> Object:
    constraint = {
        "maxSkew": 1,
        "topologyKey": "zone",
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "x"}},
        **more,
    }
    return {"topologySpreadConstraints": [constraint]}


def near(kind: str, key: str = "zone", **more: Any) -> Object:
    term = {"topologyKey": key, "labelSelector": {"matchLabels": {"app": "x"}}, **more}
    return {"affinity": {kind: {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}}


def test_pods_are_spread_over_zones(api: FakeAPI) -> None:
    zones = [add(api, f"p{number}", **spread())[:1] for number in range(4)]
    assert sorted(zones[:2]) == sorted(zones[2:]) == ["a", "b"]


def test_a_pod_that_would_be_one_too_many_waits(api: FakeAPI) -> None:
    add(api, "one", **on("a1"))
    assert add(api, "two", **spread(nodeAffinityPolicy="Ignore"), **on("a2")) == ""
    assert message(api, "two").startswith(
        "0/3 nodes are available: 1 node(s) didn't match pod topology spread constraints, "
        "2 node(s) didn't match Pod's node affinity/selector."
    )
    add(api, "three", **on("b1"))
    assert api.get("Pod", "two")["spec"]["nodeName"] == "a2"


def test_too_few_domains_count_as_empty_ones(api: FakeAPI) -> None:
    assert add(api, "one", **spread(minDomains=3))
    assert add(api, "two", **spread(minDomains=3))
    assert add(api, "three", **spread(minDomains=3)) == ""
    assert "didn't match pod topology spread constraints" in message(api, "three")


def test_a_node_without_the_label_is_out(api: FakeAPI) -> None:
    assert add(api, "one", **spread(topologyKey="rack")) == ""
    assert message(api, "one").startswith(
        "0/3 nodes are available: 3 node(s) didn't match pod topology spread constraints "
        "(missing required label)."
    )


def test_a_pod_goes_where_those_are_that_it_wants(api: FakeAPI) -> None:
    assert add(api, "lonely", labels={"app": "y"}, **near("podAffinity")) == ""
    assert message(api, "lonely").startswith(
        "0/3 nodes are available: 3 node(s) didn't match pod affinity rules."
    )
    add(api, "one", **on("b1"))
    assert api.get("Pod", "lonely")["spec"]["nodeName"] == "b1"


def test_the_first_of_pods_that_want_each_other_goes_anywhere(api: FakeAPI) -> None:
    first = add(api, "one", **near("podAffinity"))
    assert first
    assert add(api, "two", **near("podAffinity"))[:1] == first[:1]


def test_pods_that_shun_each_other_are_kept_apart(api: FakeAPI) -> None:
    apart = near("podAntiAffinity", "kubernetes.io/hostname")
    nodes = {add(api, f"p{number}", **apart) for number in range(3)}
    assert nodes == {"a1", "a2", "b1"}
    assert add(api, "fourth", **apart) == ""
    assert message(api, "fourth").startswith(
        "0/3 nodes are available: 3 node(s) didn't match pod anti-affinity rules."
    )
    assert add(api, "innocent") == ""
    assert message(api, "innocent").startswith(
        "0/3 nodes are available: 3 node(s) didn't satisfy existing pods anti-affinity rules."
    )


def test_terms_are_about_the_namespaces_that_they_name(api: FakeAPI) -> None:
    api.create_namespace("team")
    api.patch("Namespace", "team", {"metadata": {"labels": {"of": "x"}}})
    wanted = near(
        "podAffinity",
        labelSelector={"matchLabels": {"app": "z"}},
        namespaceSelector={"matchLabels": {"of": "x"}},
    )
    add(api, "here", labels={"app": "z"}, **on("a1"))
    assert add(api, "wants", **wanted) == ""
    container = {"name": "c", "image": "i"}
    metadata = {"name": "there", "namespace": "team", "labels": {"app": "z"}}
    spec = {"containers": [container], **on("b1")}
    api.create({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})
    api.settle()
    assert api.get("Pod", "wants")["spec"]["nodeName"] == "b1"


def test_pods_of_low_priority_go_for_one_of_high_priority(api: FakeAPI) -> None:
    for node in ("a1", "a2"):
        add(api, f"high-{node}", "3", priorityClassName="high", **on(node))
    add(api, "low", "2", priorityClassName="low", **on("b1"))
    add(api, "small", "1", priorityClassName="low", **on("b1"))
    assert add(api, "urgent", "3", priorityClassName="high") == "b1"
    names = [each["metadata"]["name"] for each in api.list("Pod", namespace="default")]
    assert "low" not in names
    assert "small" in names
    events = api.list("Event", namespace="default", api_version="v1")
    [preempted] = [each for each in events if each["reason"] == "Preempted"]
    uid = api.get("Pod", "urgent")["metadata"]["uid"]
    assert preempted["involvedObject"]["name"] == "low"
    assert preempted["message"] == f"Preempted by pod {uid} on node b1"


def test_a_victim_with_grace_leaves_its_place_to_the_pod_it_goes_for(api: FakeAPI) -> None:
    add(api, "low", "4", priorityClassName="low", terminationGracePeriodSeconds=30, **on("b1"))
    assert add(api, "urgent", "4", priorityClassName="high", **on("b1")) == ""
    assert api.get("Pod", "urgent")["status"]["nominatedNodeName"] == "b1"
    victim = api.get("Pod", "low")
    assert "deletionTimestamp" in victim["metadata"]
    [condition] = [each for each in victim["status"]["conditions"] if each["type"] == "DisruptionTarget"]
    assert condition["reason"] == "PreemptionByScheduler"
    assert add(api, "other", "4", priorityClassName="low", **on("b1")) == ""
    api.delete("Pod", "low", options={"gracePeriodSeconds": 0})
    api.settle()
    assert api.get("Pod", "urgent")["spec"]["nodeName"] == "b1"
    assert "nodeName" not in api.get("Pod", "other")["spec"]


def protect(api: FakeAPI, app: str, allowed: int) -> None:
    """Creates a PodDisruptionBudget for pods with the label `app`, with its status."""
    spec = {"selector": {"matchLabels": {"app": app}}, "maxUnavailable": 0}
    kind = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": app}}
    stored = api.create({**kind, "spec": spec})
    counts = {"currentHealthy": 1, "desiredHealthy": 1, "expectedPods": 1, "disruptionsAllowed": allowed}
    api.update_status({**stored, "status": {**counts, "observedGeneration": 1}})
    api.settle()


def nominated(api: FakeAPI, pod: str) -> str:
    return str(api.get("Pod", pod)["status"].get("nominatedNodeName", ""))


def test_a_preemption_clears_the_nominations_of_pods_with_lower_priority(api: FakeAPI) -> None:
    kind = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "value": 100}
    api.create({**kind, "metadata": {"name": "medium"}})
    add(api, "low", "4", **on("a1"), priorityClassName="low", terminationGracePeriodSeconds=30)
    add(api, "medium", "4", **on("a1"), priorityClassName="medium")
    assert nominated(api, "medium") == "a1"
    add(api, "high", "4", **on("a1"), priorityClassName="high")
    assert (nominated(api, "medium"), nominated(api, "high")) == ("", "a1")


def test_a_pod_that_lost_its_nomination_preempts_on_another_node(api: FakeAPI) -> None:
    kind = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "value": 100}
    api.create({**kind, "metadata": {"name": "medium"}})
    api.patch("Node", "b1", {"spec": {"unschedulable": True}})
    for node in ("a1", "a2"):
        add(api, f"low-{node}", "4", **on(node), priorityClassName="low", terminationGracePeriodSeconds=30)
    add(api, "medium", "4", priorityClassName="medium")
    lost = nominated(api, "medium")
    add(api, "high", "4", **on(lost), priorityClassName="high")
    assert {lost, nominated(api, "medium")} == {"a1", "a2"}
    assert nominated(api, "high") == lost


def test_a_pod_that_cannot_preempt_any_more_loses_its_nomination(api: FakeAPI) -> None:
    add(api, "low", "4", **on("a1"), priorityClassName="low", terminationGracePeriodSeconds=30)
    add(api, "high", "4", **on("a1"), priorityClassName="high")
    assert nominated(api, "high") == "a1"
    api.patch("Node", "a1", {"spec": {"unschedulable": True}})
    api.delete("Pod", "low", options={"gracePeriodSeconds": 0})
    api.settle()
    assert nominated(api, "high") == ""
    api.patch("Node", "a1", {"spec": {"unschedulable": None}})
    api.settle()
    assert api.get("Pod", "high")["spec"]["nodeName"] == "a1"


def test_a_pod_that_a_budget_protects_is_preempted_only_if_no_other_node_helps(api: FakeAPI) -> None:
    add(api, "high", "4", priorityClassName="high", **on("a1"))
    add(api, "guarded", "4", {"app": "guarded"}, priorityClassName="low", **on("a2"))
    add(api, "free", "4", {"app": "free"}, priorityClassName="low", **on("b1"))
    protect(api, "guarded", 0)
    protect(api, "free", 1)
    assert add(api, "first", "4", priorityClassName="high") == "b1"
    assert add(api, "second", "4", priorityClassName="high") == "a2"


def test_pods_that_a_budget_protects_are_reprieved_first(api: FakeAPI) -> None:
    add(api, "guarded", "2", {"app": "guarded"}, priorityClassName="low", **on("b1"))
    add(api, "free", "2", {"app": "free"}, priorityClassName="low", **on("b1"))
    protect(api, "guarded", 0)
    assert add(api, "urgent", "2", priorityClassName="high", **on("b1")) == "b1"
    names = {each["metadata"]["name"] for each in api.list("Pod", namespace="default")}
    assert names == {"guarded", "urgent"}


def test_a_pod_preempts_although_a_pod_that_somebody_deleted_is_ending(api: FakeAPI) -> None:
    add(api, "ending", "2", priorityClassName="low", terminationGracePeriodSeconds=30, **on("b1"))
    add(api, "low", "2", priorityClassName="low", terminationGracePeriodSeconds=30, **on("b1"))
    api.delete("Pod", "ending")
    add(api, "urgent", "4", priorityClassName="high", **on("b1"))
    assert api.get("Pod", "urgent")["status"]["nominatedNodeName"] == "b1"
    assert "deletionTimestamp" in api.get("Pod", "low")["metadata"]


def test_a_pod_that_never_preempts_says_so(api: FakeAPI) -> None:
    add(api, "low", "4", priorityClassName="low", **on("b1"))
    polite = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "value": 2000}
    api.create({**polite, "metadata": {"name": "polite"}, "preemptionPolicy": "Never"})
    assert add(api, "waits", "4", priorityClassName="polite", **on("b1")) == ""
    assert message(api, "waits").endswith("preemption: not eligible due to preemptionPolicy=Never.")
    assert api.get("Pod", "low")["spec"]["nodeName"] == "b1"


def test_a_long_message_is_whole_in_the_condition_and_truncated_in_the_event(api: FakeAPI) -> None:
    amounts = {f"{'x' * 50}.example.com/{number}": "1" for number in range(20)}
    container = {"name": "c", "image": "i", "resources": {"requests": amounts, "limits": amounts}}
    assert add(api, "p", containers=[container]) == ""
    whole = message(api, "p")
    assert len(whole) > NOTE_LENGTH_MAX
    [event] = api.list("Event", namespace="default", api_version="events.k8s.io/v1")
    assert event["note"] == f"{whole[:1020]} ..."
