"""The kubelet starts, stops and restarts the containers of pods, and writes their statuses."""

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("grpc", reason="the extra node is not installed")

from fakeapi import FakeAPI


@pytest.fixture
def api() -> Iterator[FakeAPI]:
    with FakeAPI(release="1.37", controllers="kubelet", frozen_at="2026-01-31T12:00:00Z") as server:
        server.settle()
        yield server


def create_pod(api: FakeAPI, **spec: Any) -> None:
    spec = {"nodeName": "node", "containers": [{"name": "c", "image": "i"}], **spec}
    api.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "pod"}, "spec": spec})
    api.settle()


def status(api: FakeAPI) -> dict[str, Any]:
    api.settle()
    pod_status: dict[str, Any] = api.get("Pod", "pod")["status"]
    return pod_status


def test_a_pod_with_many_init_containers_runs(api: FakeAPI) -> None:
    create_pod(api, initContainers=[{"name": f"i{number}", "image": "i"} for number in range(120)])
    pod_status = status(api)
    assert pod_status["phase"] == "Running"
    assert all(each["state"]["terminated"]["exitCode"] == 0 for each in pod_status["initContainerStatuses"])
