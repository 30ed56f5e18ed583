"""The controller of DaemonSets keeps a pod on every suitable node."""

from typing import Any

from fakeapi import FakeAPI
from fakeapi.controllers.daemonset.placement import target_node
from tests.controllers.workloads.objects import (
    get,
    messages,
    node,
    pods,
    run_all,
    set_phase,
    status,
    template,
    workload,
)

NEW_TEMPLATE = {"spec": {"template": {"metadata": {"annotations": {"version": "2"}}}}}


def create_nodes(api: FakeAPI, *nodes: str) -> None:
    """Creates nodes without the taint that admission adds to new nodes."""
    for name in nodes:
        api.create(node(name))
        api.patch("Node", name, {"spec": {"taints": None}})


def targets(api: FakeAPI) -> list[str]:
    """Returns the target nodes of the pods."""
    return sorted(str(target_node(pod)) for pod in pods(api))


def revisions(api: FakeAPI) -> list[int]:
    return sorted(each["revision"] for each in api.list("ControllerRevision", namespace="default"))


def update_strategy(**values: Any) -> dict[str, Any]:
    return {"type": "RollingUpdate", "rollingUpdate": values}


def test_every_node_gets_a_pod_that_selects_it(api: FakeAPI) -> None:
    create_nodes(api, "a", "b")
    api.create(workload("DaemonSet"))
    assert targets(api) == ["a", "b"]
    pod = pods(api)[0]
    keys = {(each["key"], each["effect"]) for each in pod["spec"]["tolerations"]}
    assert ("node.kubernetes.io/not-ready", "NoExecute") in keys
    assert ("node.kubernetes.io/unschedulable", "NoSchedule") in keys
    (revision,) = api.list("ControllerRevision", namespace="default")
    value = revision["metadata"]["labels"]["controller-revision-hash"]
    assert pod["metadata"]["labels"]["controller-revision-hash"] == value
    assert revision["metadata"]["name"] == f"web-{value}"
    run_all(api)
    counts = status(api, "DaemonSet")
    names = ("desiredNumberScheduled", "currentNumberScheduled", "numberReady", "numberAvailable")
    assert [counts[name] for name in names] == 4 * [2]
    assert (counts["updatedNumberScheduled"], counts["observedGeneration"]) == (2, 1)


def test_the_keys_of_a_revision_are_sorted_as_clients_compare_its_bytes(api: FakeAPI) -> None:
    api.create(workload("DaemonSet"))
    api.settle()
    (revision,) = api.list("ControllerRevision", namespace="default")
    patch = revision["data"]["spec"]["template"]
    assert patch["$patch"] == "replace"
    for keys in (patch, patch["spec"], patch["spec"]["containers"][0]):
        assert list(keys) == sorted(keys)


def test_a_new_node_gets_a_pod_and_a_changed_node_may_lose_it(api: FakeAPI) -> None:
    create_nodes(api, "a")
    api.create(workload("DaemonSet", template=template(nodeSelector={"name": "a"})))
    assert targets(api) == ["a"]
    create_nodes(api, "b")
    assert targets(api) == ["a"]
    api.patch("Node", "b", {"metadata": {"labels": {"name": "a"}}})
    assert targets(api) == ["a", "b"]
    api.patch("Node", "a", {"metadata": {"labels": {"name": "c"}}})
    assert targets(api) == ["b"]


def test_only_taints_with_no_execute_remove_pods(api: FakeAPI) -> None:
    create_nodes(api, "a")
    api.create(workload("DaemonSet"))
    assert targets(api) == ["a"]
    api.patch("Node", "a", {"spec": {"taints": [{"key": "x", "effect": "NoSchedule"}]}})
    assert targets(api) == ["a"]
    assert status(api, "DaemonSet")["numberMisscheduled"] == 1
    api.patch("Node", "a", {"spec": {"taints": [{"key": "x", "effect": "NoExecute"}]}})
    assert targets(api) == []


def test_failed_pods_are_replaced_with_growing_delays(api: FakeAPI) -> None:
    create_nodes(api, "a")
    api.create(workload("DaemonSet"))
    (first,) = pods(api)
    set_phase(api, first, "Failed")
    (second,) = pods(api)
    assert second["metadata"]["uid"] != first["metadata"]["uid"]
    set_phase(api, second, "Failed")
    (same,) = pods(api)
    assert same["metadata"]["uid"] == second["metadata"]["uid"]
    api.clock.advance(1.5)
    (third,) = pods(api)
    assert third["metadata"]["uid"] != second["metadata"]["uid"]
    name = first["metadata"]["name"]
    text = f"Found failed daemon pod default/{name} on node a, will try to kill it"
    assert messages(api, "FailedDaemonPod")[0] == text


def test_a_rolling_update_replaces_as_many_pods_as_may_be_unavailable(api: FakeAPI) -> None:
    create_nodes(api, "a", "b", "c")
    api.create(workload("DaemonSet", updateStrategy=update_strategy(maxUnavailable=1)))
    run_all(api)
    api.patch("DaemonSet", "web", NEW_TEMPLATE, namespace="default")
    counts = status(api, "DaemonSet")
    assert (counts["updatedNumberScheduled"], counts["numberReady"]) == (1, 2)
    run_all(api)
    counts = status(api, "DaemonSet")
    assert (counts["updatedNumberScheduled"], counts["numberReady"]) == (3, 3)
    assert revisions(api) == [1, 2]


def test_with_surge_a_new_pod_is_ready_before_the_old_one_is_deleted(api: FakeAPI) -> None:
    create_nodes(api, "a")
    strategy = update_strategy(maxSurge=1, maxUnavailable=0)
    api.create(workload("DaemonSet", updateStrategy=strategy))
    run_all(api)
    (old,) = pods(api)
    api.patch("DaemonSet", "web", NEW_TEMPLATE, namespace="default")
    assert len(pods(api)) == 2
    run_all(api)
    (new,) = pods(api)
    assert new["metadata"]["uid"] != old["metadata"]["uid"]


def test_the_strategy_on_delete_keeps_old_pods_until_they_are_deleted(api: FakeAPI) -> None:
    create_nodes(api, "a")
    api.create(workload("DaemonSet", updateStrategy={"type": "OnDelete"}))
    run_all(api)
    (old,) = pods(api)
    api.patch("DaemonSet", "web", NEW_TEMPLATE, namespace="default")
    assert [pod["metadata"]["uid"] for pod in pods(api)] == [old["metadata"]["uid"]]
    api.delete("Pod", old["metadata"]["name"], namespace="default")
    (new,) = pods(api)
    assert new["metadata"]["annotations"]["version"] == "2"


def test_old_revisions_above_the_history_limit_are_deleted(api: FakeAPI) -> None:
    create_nodes(api, "a")
    api.create(workload("DaemonSet", revisionHistoryLimit=1))
    run_all(api)
    for version in ("2", "3", "4"):
        patch = {"spec": {"template": {"metadata": {"annotations": {"version": version}}}}}
        api.patch("DaemonSet", "web", patch, namespace="default")
        run_all(api)
    api.settle()
    assert revisions(api) == [3, 4]


def test_pods_for_nodes_that_do_not_exist_any_more_are_deleted(api: FakeAPI) -> None:
    create_nodes(api, "a", "b")
    api.create(workload("DaemonSet"))
    assert targets(api) == ["a", "b"]
    api.delete("Node", "b")
    assert targets(api) == ["a"]
    assert get(api, "DaemonSet")["status"]["desiredNumberScheduled"] == 1
