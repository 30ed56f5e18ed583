"""fakeapi's kubelet calls a DRA driver over gRPC to prepare and unprepare the claims of pods."""

import asyncio
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("grpc", reason="the extra node is not installed")

from fakeapi import FakeAPI
from fakeapi.controllers.kubelet.registrations import Registrations
from fakeapi.releases import load_release
from tests.controllers.kubelet.python_driver import NAME, PythonDriver, create_pod, create_template, publish

VERSIONS: dict[str | None, tuple[str, str]] = {
    None: ("v1", "v1.DRAPlugin"),  # serves all API versions
    "1.31": ("v1alpha3", "1.0.0"),
    "1.33": ("v1beta2", "v1beta1.DRAPlugin"),
    "1.36": ("v1", "v1.DRAPlugin"),
    "1.37": ("v1", "v1beta1.DRAPlugin"),
}
NOW = {"gracePeriodSeconds": 0}


@pytest.fixture(params=["1.36"])
def api(request: pytest.FixtureRequest) -> Iterator[FakeAPI]:
    gates = {"DynamicResourceAllocation": True}
    with FakeAPI(release=request.param, feature_gates=gates, controllers="all") as server:
        server.settle()
        yield server


def register(driver: PythonDriver) -> None:
    assert driver.registered.wait(10)


def phase(api: FakeAPI, name: str = "pod") -> str:
    return str(api.get("Pod", name)["status"]["phase"])


def test_a_driver_that_sees_the_directory_of_its_node_as_that_of_a_kubelet_is_reached(api: FakeAPI) -> None:
    publish(api, "v1")
    create_template(api, "v1")
    driver = PythonDriver(api.node())
    driver.announced = Path("/var/lib/kubelet/plugins", f"{NAME}.sock")
    with driver:
        register(driver)
        create_pod(api)
        api.settle()
        assert phase(api) == "Running"


class Directory:
    """A fake cluster node that has only directories and no kubelet."""

    def __init__(self) -> None:
        self._temporary = tempfile.TemporaryDirectory(prefix="fa")  # a socket's path must be short
        self.directory = Path(self._temporary.name)
        self.registry = self.directory / "plugins_registry"
        self.registry.mkdir()
        (self.directory / "plugins").mkdir()

    def remove(self) -> None:
        self._temporary.cleanup()


@pytest.mark.parametrize(
    ("release", "left"), [("1.32", []), ("1.33", [f"{NAME}.sock"]), ("1.37", [f"{NAME}.sock"])]
)
def test_when_the_newer_instance_of_a_driver_goes_the_older_is_called_from_1_33_on(
    release: str, left: list[str]
) -> None:
    node = Directory()
    quirks = load_release(release).quirks
    seen = []

    async def story() -> None:
        found = Registrations(
            node.registry,
            tuple(VERSIONS["1.37"][1:]),
            asyncio.ensure_future,
            lambda name: seen.append([Path(each.description).name for each in found.drivers.values()]),
            pytest.fail,
            keeps_instances=quirks.kubelet_keeps_driver_instances,
        )
        with PythonDriver(node, VERSIONS["1.37"][1]):
            await found.look()
            with PythonDriver(node, VERSIONS["1.37"][1], instance="-new"):
                await found.look()
            await found.look()

    asyncio.run(story())
    node.remove()
    assert seen[:2] == [[f"{NAME}.sock"], [f"{NAME}-new.sock"]]
    assert seen[2] == left


@pytest.mark.parametrize("api", VERSIONS, indirect=True)
def test_a_pod_runs_with_a_device_and_leaves_nothing_behind(api: FakeAPI) -> None:
    version, service = VERSIONS[api.release]
    node = api.node()
    publish(api, version)
    create_template(api, version)
    with PythonDriver(node, service) as driver:
        register(driver)
        assert driver.registration == ""
        create_pod(api)
        api.settle()
        assert phase(api) == "Running"
        [claim] = api.list("ResourceClaim", namespace="default")
        assert driver.prepared == [claim["metadata"]["name"]]
        assert node.cdi_devices("default", "pod") == [f"{NAME}/gpu=gpu-0"]
        api.delete("Pod", "pod")
        api.settle()
        assert driver.unprepared == driver.prepared
        assert api.list("Pod", namespace="default") == []
        assert api.list("ResourceClaim", namespace="default") == []


def test_a_pod_waits_for_its_driver_and_an_event_says_so(api: FakeAPI) -> None:
    publish(api, "v1")
    create_template(api, "v1")
    create_pod(api)
    api.settle()
    assert phase(api) == "Pending"
    messages = [each["message"] for each in api.list("Event", namespace="default", api_version="v1")]
    problem = f"DRA driver {NAME} is not registered"
    expected = f"Failed to prepare dynamic resources: prepare dynamic resources: {problem}"
    assert expected in messages
    with PythonDriver(api.node()) as driver:
        register(driver)
        api.settle()
        assert phase(api) == "Running"


def test_what_a_driver_answers_instead_of_devices_is_in_an_event(api: FakeAPI) -> None:
    publish(api, "v1")
    create_template(api, "v1")
    with PythonDriver(api.node()) as driver:
        register(driver)
        driver.error = "out of smoke"
        create_pod(api)
        api.settle()
        assert phase(api) == "Pending"
        [claim] = api.list("ResourceClaim", namespace="default")
        name = claim["metadata"]["name"]
        failed = f"NodePrepareResources failed for ResourceClaim {name}: out of smoke"
        messages = [each["message"] for each in api.list("Event", namespace="default", api_version="v1")]
        expected = f"Failed to prepare dynamic resources: prepare dynamic resources: {failed}"
        assert expected in messages


def test_a_driver_that_comes_back_after_a_crash_finishes_the_work(api: FakeAPI) -> None:
    publish(api, "v1")
    create_template(api, "v1")
    with PythonDriver(api.node()) as driver:
        register(driver)
        driver.error = "crashing"
        create_pod(api)
        api.settle()
        driver.crash()
    with PythonDriver(api.node()) as driver:
        register(driver)
        api.settle()
        assert phase(api) == "Running"
        assert len(driver.prepared) == 1


def test_two_pods_share_what_is_there_and_the_third_waits(api: FakeAPI) -> None:
    publish(api, "v1")
    create_template(api, "v1")
    with PythonDriver(api.node()) as driver:
        register(driver)
        for name in ("a", "b", "c"):
            create_pod(api, name)
            api.settle()
        assert [phase(api, name) for name in ("a", "b", "c")] == ["Running", "Running", "Pending"]
        api.delete("Pod", "a")
        api.settle()
        assert phase(api, "c") == "Running"


def test_a_driver_without_a_service_that_the_kubelet_knows_is_refused(api: FakeAPI) -> None:
    with PythonDriver(api.node(), "v7.DRAPlugin") as driver:
        register(driver)
        assert driver.registration is not None
        assert "none of services supported by the plugin" in driver.registration
    assert api.node().drivers == []


def test_a_pod_that_needs_no_device_runs_at_once(api: FakeAPI) -> None:
    spec = {"containers": [{"name": "c", "image": "i"}]}
    api.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "pod"}, "spec": spec})
    api.settle()
    status = api.get("Pod", "pod")["status"]
    assert status["phase"] == "Running"
    assert {each["type"]: each["status"] for each in status["conditions"]}["Ready"] == "True"
    api.delete("Pod", "pod")
    api.settle()
    assert api.list("Pod", namespace="default") == []


def test_several_nodes_have_directories_of_their_own() -> None:
    with FakeAPI(controllers="kubelet", nodes="a,b") as api:
        api.settle()
        assert [each["metadata"]["name"] for each in api.list("Node")] == ["a", "b"]
        assert api.node("a").registry != api.node("b").registry
        assert api.get("Lease", "a", namespace="kube-node-lease")
        with pytest.raises(KeyError):
            api.node("c")


def test_without_a_kubelet_there_is_no_node() -> None:
    with FakeAPI(controllers="namespace") as api, pytest.raises(RuntimeError, match="kubelet does not run"):
        api.node()


def test_a_pod_that_is_removed_at_once_is_unprepared_once(api: FakeAPI) -> None:
    publish(api, "v1")
    create_template(api, "v1")
    with PythonDriver(api.node()) as driver:
        register(driver)
        create_pod(api)
        api.settle()
        api.delete("Pod", "pod", options=NOW)
        api.settle()
        assert driver.unprepared == driver.prepared
