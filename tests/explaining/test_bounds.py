"""Explanations end within their limits."""

import asyncio
from typing import Any

import pytest

from fakeapi import FakeAPI
from fakeapi.clients.target import TargetError
from fakeapi.clients.verbs import Reader
from fakeapi.explaining import (
    change_plans,
    combinations,
    device_changes,
    dropped,
    memo,
    refused_writes,
    remote_objects,
    stored_objects,
    trial,
)
from fakeapi.explaining.model import Reference
from tests.explaining.manifests import claim, device, device_class, node, pod, request, resource_slice


@pytest.fixture
def api() -> Any:
    with FakeAPI(release="1.34", controllers="scheduler,resourceclaim") as server:
        yield server


def _full_node(api: FakeAPI, devices: int) -> None:
    node(api, "a")
    device_class(api)
    resource_slice(api, "a", [device(f"gpu-{number}") for number in range(devices)])
    for number in range(devices):
        claim(api, f"used-{number}")
        pod(api, f"user-{number}", f"used-{number}")
        api.settle()
    claim(api, "gpu")
    pod(api, "train", "gpu")
    api.settle()


def test_the_newest_events_of_an_object_are_read(api: FakeAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_objects, "EVENTS_MAX", 1)
    node(api, "a")
    created = pod(api, "train", nodeName="a")
    involved = {"kind": "Pod", "name": "train", "namespace": "default", "uid": created["metadata"]["uid"]}
    for minute, message in ((2, "new"), (1, "old")):
        api.create({
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": message, "namespace": "default"},
            "involvedObject": involved,
            "reason": "FailedPrepareDynamicResources",
            "message": message,
            "lastTimestamp": f"2030-01-01T00:0{minute}:00Z",
        })  # fmt: skip
    assert api.explain("pod", "train").summary == "a driver on node a could not prepare the claims: new"


def _refuse(api: FakeAPI, image: str) -> None:
    with pytest.raises(Exception, match="Invalid value"):
        pod(api, "train", containers=[{"name": image, "image": "i"}])


def test_refused_writes_are_searched_in_the_last_requests(
    api: FakeAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    _refuse(api, "A")
    assert api.explain("pod", "train").verdict == "refused"
    monkeypatch.setattr(refused_writes, "ENTRIES_MAX", 1)
    api.get("Namespace", "default")
    assert api.explain("pod", "train").verdict == "missing"


def test_the_newest_refused_writes_are_kept(api: FakeAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refused_writes, "REFUSED_MAX", 1)
    _refuse(api, "A")
    _refuse(api, "B")
    reasons = api.explain("pod", "train").reasons
    assert len(reasons) == 1
    assert '"B"' in reasons[0].text


def test_trials_end_at_their_limit(api: FakeAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    _full_node(api, 1)
    assert any(change.sufficient for change in api.explain("pod", "train").reasons[0].changes)
    monkeypatch.setattr(trial.Trial.__init__, "__defaults__", (0,))
    assert not any(change.sufficient for change in api.explain("pod", "train").reasons[0].changes)


def test_a_limited_number_of_claims_is_tried(api: FakeAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    _full_node(api, 3)
    monkeypatch.setattr(device_changes, "CLAIMS_MAX", 2)
    changes = api.explain("pod", "train").reasons[0].changes
    assert len([change for change in changes if change.action == "delete"]) == 2


def test_a_limited_number_of_constraints_is_tried(api: FakeAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    node(api, "a")
    device_class(api)
    resource_slice(api, "a", [device("gpu-0", numa=0), device("gpu-1", numa=1)])
    same = [{"matchAttribute": "gpu.example.com/model"}, {"matchAttribute": "gpu.example.com/numa"}]
    claim(api, "gpu", request(count=2), constraints=same)
    pod(api, "train", "gpu")
    api.settle()
    assert api.explain("pod", "train").reasons[0].code == "ConstraintNotMet"
    monkeypatch.setattr(combinations, "PAIRS_MAX", 1)
    assert api.explain("pod", "train").reasons[0].code == "ConstraintsNotMet"


def test_the_values_of_a_limited_number_of_devices_are_read(
    api: FakeAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dropped, "DISSECTED_MAX", 2)
    node(api, "a")
    device_class(api)
    resource_slice(api, "a", [device(f"gpu-{number}") for number in range(5)])
    claim(api, "gpu", request("gpu", 'device.attributes["gpu.example.com"].model == "h100"'))
    pod(api, "train", "gpu")
    api.settle()
    reason = api.explain("pod", "train").reasons[0]
    assert [seen.devices for seen in reason.seen] == [2]
    assert "none of 5 devices" in reason.text
    assert "the values of 3 devices were not read" in reason.details


def test_a_full_memory_of_results_is_cleared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memo, "RESULTS_MAX", 2)
    evaluated = []

    def matcher(expression: str, driver: str, device: dict[str, Any]) -> bool:
        evaluated.append(expression)
        return True

    matches = memo.remembering(matcher)
    device = {"name": "a"}
    for expression in ("a", "a", "b", "c", "a"):
        assert matches(expression, "d", device)
    assert evaluated == ["a", "b", "c", "a"]


def test_a_change_has_a_limited_number_of_steps(api: FakeAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    node(api, "a")
    device_class(api)
    resource_slice(api, "a", [device("gpu-0")])
    claim(api, "gpu", request("one", count=2), request("two", count=2))
    pod(api, "train", "gpu")
    api.settle()
    first = api.explain("pod", "train").reasons[0].changes[0]
    assert (first.action, len(first.steps)) == ("all", 2)
    monkeypatch.setattr(change_plans, "STEPS_MAX", 1)
    assert not any(change.steps for change in api.explain("pod", "train").reasons[0].changes)


class _Endless(Reader):
    async def request(self, method: str, path: str, body: Any = None, **_: Any) -> dict[str, Any]:
        if path == "/version":
            return {"major": "1", "minor": "34"}
        if path == "/apis/resource.k8s.io":
            return {"versions": []}
        return {"items": [{"metadata": {"name": "a"}}], "metadata": {"continue": "more"}}


def test_a_cluster_with_too_many_objects_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_objects, "OBJECTS_MAX", 3)
    with pytest.raises(TargetError, match="more than 3 objects"):
        asyncio.run(remote_objects.read_objects(_Endless(), Reference("Pod", "train", "team"), 0.0))
