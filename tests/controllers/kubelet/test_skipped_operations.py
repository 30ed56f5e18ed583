"""The kubelet skips node operations that the devices of a claim do not need (DRAOptionalNodeOperations)."""

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("grpc", reason="the extra node is not installed")

from fakeapi import FakeAPI
from fakeapi.controllers.kubelet.prepared import skipped_operations
from tests.controllers.kubelet.cluster_objects import NAME, create_pod, create_template, publish_class
from tests.controllers.kubelet.python_driver import PythonDriver

PREPARE, UNPREPARE, ALL = "NodePrepareResources", "NodeUnprepareResources", "*"
GATE = "DRAOptionalNodeOperations"
DECLARED = ["ExtendWebSocketsToKubelet", "InPlacePodLevelResourcesVerticalScaling"]


@pytest.fixture
def api() -> Iterator[FakeAPI]:
    with FakeAPI(release="1.37", feature_gates={GATE: True}, controllers="all") as server:
        server.settle()
        yield server


def publish(api: FakeAPI, *skipped: str) -> None:
    publish_class(api, "v1")
    create_template(api, "v1")
    pool = {"name": "node", "generation": 1, "resourceSliceCount": 1}
    spec: dict[str, Any] = {"driver": NAME, "nodeName": "node", "pool": pool, "devices": [{"name": "gpu-0"}]}
    if skipped:
        spec["skipNodeOperations"] = list(skipped)
    api.create(
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceSlice",
            "metadata": {"name": "node-gpu"},
            "spec": spec,
        }
    )


def phase(api: FakeAPI) -> str:
    api.settle()
    return str(api.get("Pod", "pod")["status"]["phase"])


def test_a_pod_runs_without_a_driver_if_its_devices_skip_all_node_operations(api: FakeAPI) -> None:
    publish(api, ALL)
    create_pod(api)
    assert phase(api) == "Running"
    api.delete("Pod", "pod")
    api.settle()
    assert api.list("Pod") == []


@pytest.mark.parametrize("skipped", [(), (UNPREPARE,)])
def test_a_pod_whose_devices_must_be_prepared_waits_for_the_driver(
    api: FakeAPI, skipped: tuple[str, ...]
) -> None:
    publish(api, *skipped)
    create_pod(api)
    assert phase(api) == "Pending"
    [event] = [each for each in api.list("Event") if each["reason"] == "FailedPrepareDynamicResources"]
    assert f"DRA driver {NAME} is not registered" in event["message"]


@pytest.mark.parametrize(
    ("skipped", "prepared", "unprepared"), [((), 1, 1), ((UNPREPARE,), 1, 0), ((PREPARE, UNPREPARE), 0, 0)]
)
def test_a_registered_driver_is_called_only_for_operations_that_its_devices_do_not_skip(
    api: FakeAPI, skipped: tuple[str, ...], prepared: int, unprepared: int
) -> None:
    with PythonDriver(api.node()) as driver:
        assert driver.registered.wait(10)
        publish(api, *skipped)
        create_pod(api)
        assert phase(api) == "Running"
        assert len(driver.prepared) == prepared
        api.delete("Pod", "pod")
        api.settle()
        assert api.list("Pod") == []
        assert len(driver.unprepared) == unprepared


def test_an_operation_is_skipped_only_if_all_devices_of_the_driver_skip_it() -> None:
    def skipped(*of_devices: list[str]) -> list[str]:
        results = [{"driver": "d", "skipNodeOperations": each} for each in of_devices]
        claim = {"status": {"allocation": {"devices": {"results": results}}}}
        return skipped_operations(claim).get("d", [])

    assert skipped([ALL], [ALL]) == [ALL]
    assert skipped([ALL], [UNPREPARE]) == [UNPREPARE]
    assert skipped([PREPARE, UNPREPARE], [UNPREPARE]) == [UNPREPARE]
    assert skipped([ALL], []) == []


@pytest.mark.parametrize(
    ("release", "gates", "declared"),
    [
        ("1.35", {}, None),
        ("1.35", {"NodeDeclaredFeatures": True}, ["GuaranteedQoSPodCPUResize"]),
        ("1.37", {GATE: True}, [GATE, *DECLARED, *["InPlacePodVerticalScalingInitContainers"]]),
    ],
)
def test_a_kubelet_declares_the_features_whose_gates_are_on(
    release: str, gates: dict[str, bool], declared: list[str] | None
) -> None:
    with FakeAPI(release=release, feature_gates=gates, controllers="kubelet") as api:
        api.settle()
        assert api.get("Node", "node")["status"].get("declaredFeatures") == (
            None if declared is None else [*declared, *_restarts(release)]
        )


def _restarts(release: str) -> list[str]:
    return ["RestartAllContainersOnContainerExits"] if release == "1.37" else []
