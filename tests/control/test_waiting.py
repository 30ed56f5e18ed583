"""The control API groups the pods and claims that wait by their cause."""

from typing import Any

import pytest

from fakeapi import FakeAPI
from fakeapi.clients.control import ControlClient, ControlError
from fakeapi.control.handlers import attention, waiting
from tests.control.page_objects import CLAIM, new_pod, node


def new_claim(name: str, count: int = 1) -> dict[str, Any]:
    request = {"name": "a", "exactly": {"deviceClassName": "gpu", "count": count}}
    return {**CLAIM, "metadata": {"name": name}, "spec": {"devices": {"requests": [request]}}}


def test_pods_that_ask_for_the_same_and_have_the_same_message_are_one_group(
    api: FakeAPI, client: ControlClient
) -> None:
    messages = {
        "a-1": '0/5 nodes are available: 5 refuse, pod "default/a-1" waits for "c-a-1".',
        "a-2": '0/7 nodes are available: 7 refuse, pod "default/a-2" waits for "c-a-2".',
        "b-1": "0/5 nodes are available: 5 Insufficient cpu.",
    }
    for name, message in messages.items():
        api.create(new_claim(f"c-{name}"))
        pod = api.create(new_pod(name, f"c-{name}"))
        condition = {"type": "PodScheduled", "status": "False", "reason": "R", "message": message}
        api.update_status({**pod, "status": {"phase": "Pending", "conditions": [condition]}})
    for name in ("free-1", "free-2", "free-3", "free-4"):
        api.create(new_claim(name))
    found = client.get("/waiting", limit=1)
    assert [(each["kind"], each["number"]) for each in found["groups"]] == [
        ("pod", 2),
        ("pod", 1),
        ("claim", 4),
    ]
    assert [each["name"] for each in found["groups"][0]["pods"]] == ["a-1"]
    count = found["count"]
    assert (count["pods"], found["claims"], count["unusedClaims"], count["deletingClaims"]) == (3, 7, 4, 0)
    cause = found["groups"][0]["cause"]
    (group,) = client.get("/waiting", cause=cause)["groups"]
    assert [each["name"] for each in group["pods"]] == ["a-1", "a-2"]
    assert [each["number"] for each in client.get("/waiting", search="a-2")["groups"]] == [1]
    causes = {each["name"]: each["cause"] for each in client.get("/claims")["claims"]}
    assert causes["c-a-1"] == causes["c-a-2"] != causes["c-b-1"] != causes["free-1"] == causes["free-2"]
    with pytest.raises(ControlError, match="limit must be from 1 to 1000"):
        client.get("/waiting", limit=1001)


def test_pods_that_ask_for_other_devices_are_another_group(api: FakeAPI, client: ControlClient) -> None:
    for name, count in (("one", 1), ("other", 1), ("two", 2)):
        api.create_all([new_claim(name, count), new_pod(name, name)])
    groups = client.get("/waiting")["groups"]
    assert [[each["name"] for each in group["pods"]] for group in groups] == [["one", "other"], ["two"]]
    assert groups[0]["classes"] == ["gpu"]


def test_a_limited_number_of_groups_is_returned(
    api: FakeAPI, client: ControlClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "GROUPS_MAX", 2)
    for number in range(1, 6):
        api.create(new_claim(f"c-{number}", count=number))
    found = client.get("/waiting")
    assert (len(found["groups"]), found["moreGroups"]) == (2, 3)


def test_the_rows_of_a_group_are_in_natural_order(api: FakeAPI, client: ControlClient) -> None:
    for name in ("c-10", "c-9", "c-1"):
        api.create(new_claim(name))
    (group,) = client.get("/waiting")["groups"]
    assert [each["name"] for each in group["claims"]] == ["c-1", "c-9", "c-10"]
    assert [each["name"] for each in client.get("/claims")["claims"]] == ["c-1", "c-9", "c-10"]


def test_a_group_counts_the_pods_on_nodes_without_a_kubelet(api: FakeAPI, client: ControlClient) -> None:
    for name in ("a", "b"):
        api.create(new_pod(name, node="node-1"))
    api.create(new_pod("unscheduled"))
    assert [each["withoutKubelet"] for each in client.get("/waiting")["groups"]] == [2, 0]
    with FakeAPI(controllers="kubelet", nodes="node-1") as other, ControlClient(other.url) as of_other:
        other.settle()
        other.create(new_pod("missing-claim", node="node-1"))
        other.settle()
        assert [each["withoutKubelet"] for each in of_other.get("/waiting")["groups"]] == [0]


def test_the_nodes_over_the_limit_that_are_not_ready_are_counted(
    api: FakeAPI, client: ControlClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attention, "SILENT_NODES_MAX", 1)
    for name, status in (("n-10", "False"), ("n-9", "Unknown"), ("n-1", "True")):
        condition = {"type": "Ready", "status": status, "reason": "R", "message": f"message of {name}"}
        api.update_status({**api.create(node(name)), "status": {"conditions": [condition]}})
    pod = new_pod("train")
    api.create({**pod, "spec": {**pod["spec"], "nodeName": "n-9"}})
    assert client.get("/silent-nodes") == {
        "nodes": [{"name": "n-9", "isUnreachable": True, "reason": "message of n-9", "pods": 1}],
        "total": 2,
    }
