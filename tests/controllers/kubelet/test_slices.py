"""The kubelet deletes ResourceSlices of missing DRA drivers. The kubelet of 1.30 also publishes slices."""

import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("grpc", reason="the extra node is not installed")

from fakeapi import FakeAPI
from fakeapi.clock.adjustable import AdjustableClock
from fakeapi.clock.clocks import SeededClockAndNames
from tests.controllers.kubelet.python_driver import PythonDriver, publish

VERSIONS = {
    "1.31": ("v1alpha3", "1.0.0"),
    "1.33": ("v1beta2", "v1beta1.DRAPlugin"),
    "1.36": ("v1", "v1.DRAPlugin"),
}
DELAYS = {"1.31": 0.0, "1.33": 30.0, "1.36": 30.0}


class Stage:
    """A server of a release with a frozen clock and with the kubelet of a cluster node."""

    def __init__(self, release: str) -> None:
        self.clock = AdjustableClock(frozen_at=1_800_000_000)
        self.version, self.service = VERSIONS[release]
        self.delay = DELAYS[release]
        self.api = FakeAPI(
            release=release,
            feature_gates={"DynamicResourceAllocation": True},
            controllers="kubelet",
            clock=SeededClockAndNames(1, self.clock),
        )

    def slices(self) -> list[str]:
        self.api.settle()
        return [each["metadata"]["name"] for each in self.api.list("ResourceSlice")]

    def unregister(self, driver: PythonDriver) -> None:
        driver.crash()
        node = self.api.node()
        for _ in range(1000):
            if driver.name not in node.drivers:
                return
            threading.Event().wait(0.01)
        raise AssertionError("the kubelet did not see that the driver went")


@pytest.fixture(params=VERSIONS)
def stage(request: pytest.FixtureRequest) -> Iterator[Stage]:
    stage = Stage(request.param)
    with stage.api:
        stage.api.settle()
        yield stage


def test_slices_go_some_time_after_their_driver(stage: Stage) -> None:
    publish(stage.api, stage.version)
    with PythonDriver(stage.api.node(), stage.service) as driver:
        assert driver.registered.wait(10)
        assert stage.slices() == ["node-gpu"]
        stage.unregister(driver)
        if stage.delay:
            assert stage.slices() == ["node-gpu"]
            stage.clock.advance(stage.delay - 1)
            assert stage.slices() == ["node-gpu"]
            stage.clock.advance(1)
        assert stage.slices() == []


@pytest.mark.parametrize("stage", ["1.36"], indirect=True)
def test_slices_stay_when_their_driver_comes_back_in_time(stage: Stage) -> None:
    publish(stage.api, stage.version)
    with PythonDriver(stage.api.node(), stage.service) as driver:
        assert driver.registered.wait(10)
        stage.api.settle()
        stage.unregister(driver)
    stage.clock.advance(20)
    with PythonDriver(stage.api.node(), stage.service) as driver:
        assert driver.registered.wait(10)
        stage.api.settle()
        stage.clock.advance(40)
        assert stage.slices() == ["node-gpu"]


@pytest.mark.parametrize("stage", ["1.36"], indirect=True)
def test_slices_of_other_drivers_and_nodes_stay(stage: Stage) -> None:
    publish(stage.api, stage.version)
    other: Any = stage.api.list("ResourceSlice")[0]
    for name, change in (("other-driver", {"driver": "b.example.com"}), ("other-node", {"nodeName": "b"})):
        spec = {**other["spec"], **change}
        stage.api.create(
            {
                "apiVersion": "resource.k8s.io/v1",
                "kind": "ResourceSlice",
                "metadata": {"name": name},
                "spec": spec,
            }
        )
    with PythonDriver(stage.api.node(), stage.service) as driver:
        assert driver.registered.wait(10)
        stage.api.settle()
        stage.unregister(driver)
    stage.api.settle()
    stage.clock.advance(30)
    assert stage.slices() == ["other-driver", "other-node"]


def test_a_kubelet_deletes_all_slices_of_its_node_when_it_starts() -> None:
    with tempfile.TemporaryDirectory(prefix="fa") as folder:
        path = Path(folder, "state.db")
        with FakeAPI(release="1.36", database=path) as api:
            publish(api, "v1")
            own = api.list("ResourceSlice")[0]
            spec = {**own["spec"], "nodeName": "b"}
            metadata = {"name": "b-gpu"}
            version = "resource.k8s.io/v1"
            api.create({"apiVersion": version, "kind": "ResourceSlice", "metadata": metadata, "spec": spec})
        with FakeAPI(release="1.36", database=path, controllers="kubelet") as api:
            api.settle()
            assert [each["metadata"]["name"] for each in api.list("ResourceSlice")] == ["b-gpu"]
