"""Intel's released GPU driver with a controller (classic DRA), and its examples for whole GPUs."""

from collections.abc import Callable

from fakeapi import FakeAPI
from tests.drivers.driver_setup import NODE, Demo, DriverSetup
from tests.drivers.fake_gpus import GPUS, device_names, write_gpus
from tests.drivers.released_driver import ReleasedDriver
from tests.drivers.running_demo import RunningDemo

NAMESPACE = "intel-gpu-resource-driver"
PROGRAMS = ("kubelet-gpu-plugin", "gas-status-updater", "gpu-controller")
DRIVER = ReleasedDriver(
    name="intel-resource-drivers-for-kubernetes",
    module="github.com/intel/intel-resource-drivers-for-kubernetes",
    version="v0.4.0",
    go="1.21",
    release="1.30",
    image="intel/intel-gpu-resource-driver",
    programs={name: f"cmd/{name}" for name in PROGRAMS},
)


def _published(api: FakeAPI) -> bool:
    states = api.list("GpuAllocationState", namespace=NAMESPACE)
    return any(
        each.get("status") == "Ready" and len(each["spec"]["allocatableDevices"]) == GPUS for each in states
    )


def _check_one_gpu(demo: RunningDemo) -> None:
    """Asserts that the containers with a claim list one GPU in /dev/dri, and the others none."""
    _check(demo, gpus=1)


def _check_all_gpus(demo: RunningDemo) -> None:
    _check(demo, gpus=GPUS)


def _check(demo: RunningDemo, gpus: int) -> None:
    [pod] = demo.pods
    with_claim, without = pod["spec"]["containers"]
    [claim] = demo.claims_of_container(pod, with_claim)
    assert claim["status"]["driverName"] == "gpu.resource.intel.com"
    listed = demo.await_log(pod, with_claim, "renderD")
    visible = [gpu for gpu in range(GPUS) if all(name in listed for name in device_names(gpu))]
    assert len(visible) == gpus
    assert "dri" not in demo.await_log(pod, without, "null")


def _example(name: str, check: Callable[[RunningDemo], None] = _check_one_gpu) -> Demo:
    return Demo((f"deployments/gpu/{name}.yaml",), check)


SETUP = DriverSetup(
    driver=DRIVER,
    namespace=NAMESPACE,
    manifests=(
        "deployments/gpu/static/crds",
        "deployments/gpu/resource-class.yaml",
        "deployments/gpu/resource-driver-namespace.yaml",
        "deployments/gpu/resource-defaults.yaml",
        "deployments/gpu/resource-driver.yaml",
    ),
    options={
        "feature_gates": "DynamicResourceAllocation=true",
        "nodes": NODE,
        "run": ["*busybox=/"],
    },
    write_hardware=write_gpus,
    published=_published,
    demos=(
        _example("delayed/inline/pod-inline"),
        _example("delayed/external/pod-external"),
        _example("immediate/inline/pod-inline"),
        _example("immediate/external/pod-external"),
        _example("delayed/monitor-pod", _check_all_gpus),
    ),
)
